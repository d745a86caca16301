"""Measure how well the search finds tools.

    python -m benchmarks.retrieval [FOLDER] [--lists] [--schemas]

FOLDER holds the documents of the corpus. The output has a row for each API, once with the questions used for tuning and
once with the held-out questions. R@5 and R@10 are the shares of needed tools among the first 5 and 10 results. C@10 is
the share of questions with all needed tools among the first 10. Further columns are the tokens of an answer with 10
tools, and the milliseconds of a question. `refused` counts answerable questions for which the search said that nothing
fits, and `doubted` those for which it said that perhaps nothing fits.

The lines below the table show how well the compiler finds the producer of an id: the tool whose result contains it.
Further lines show how many unanswerable questions were refused or doubted, and the share of tools that the search would
find, but misses because it refuses a question. `--lists` also measures the tokens of every document's list of tools.

The search is compared with BM25 over the same tools, and with FastMCP's search over the tools that FastMCP makes of the
document. Both answer with complete tool definitions. FastMCP's definitions lack output schemas here, which makes its
answers smaller and faster than by default. `--schemas` includes the output schemas, and takes half an hour.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from package.runtime.core.catalog import Catalog
from package.runtime.search import coverage

from benchmarks.bars import Bar, show
from benchmarks.corpus import CORPUS
from benchmarks.retrieval import producers
from benchmarks.retrieval.peer import NAME, Peer, Unavailable
from benchmarks.retrieval.questions import DOCUMENTS, Half, Question, questions, unanswerable
from benchmarks.retrieval.rankers import Plain, Ranker, Search
from mcpgen.base import tokens
from mcpgen.base.errors import FatalError
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch

MOST_TOKENS_OF_LIST = 750
HALVES: tuple[Half, ...] = ("tuned", "held out")


def compiled(path: Path) -> Compiled:
    """Compile a document to a server with a tool search."""
    return compile_source(fetch.read(str(path)), Options(tools="search"))


def index_seconds(path: Path) -> float:
    """Return the CPU seconds of a compile with a search index, minus those of a compile without one."""
    took = []
    for surface in ("all", "search"):
        started = time.process_time()
        compile_source(fetch.read(str(path)), Options(tools=surface))
        took.append(time.process_time() - started)
    return took[1] - took[0]


def list_tokens(found: Compiled) -> int:
    """Return the number of tokens in the response to `tools/list`. The tools are read from the files that a server
    loads.
    """
    package = found.catalog.identity.package
    with tempfile.TemporaryDirectory() as folder:
        for path, data in found.tree.items():
            if path.startswith(f"{package}/") and path.endswith(".json"):
                (Path(folder) / Path(path).name).write_bytes(data)
        return tokens.estimate(json.loads(b"".join(Catalog.load(folder).tools)))


def row(name: str, ranker: Ranker, asked: list[Question]) -> dict[str, float]:
    """Print a row with the results of a ranker for the questions `asked`, and return the results."""
    needed = sum(len(each.needs) for each in asked)
    five = ten = whole = refused = doubted = 0
    cost, took = [], []
    for each in asked:
        started = time.process_time()
        answer = ranker.answer(each.text, 10)
        took.append(1000 * (time.process_time() - started) if answer.ms is None else answer.ms)
        first, all_ = set().union(*answer.names[:5]), set().union(*answer.names)
        five, ten = five + len(each.needs & first), ten + len(each.needs & all_)
        whole += each.needs <= all_
        refused, doubted = refused + (not answer.names), doubted + (bool(answer.names) and not answer.sure)
        cost.append(tokens.estimate(answer.shown))
    figures = {
        "R@5": 100 * five / needed,
        "R@10": 100 * ten / needed,
        "C@10": 100 * whole / len(asked),
        "tokens": statistics.mean(cost),
        "ms": statistics.median(took),
        "refused": refused,
        "doubted": doubted,
    }
    print(f"{name:34}" + "".join(f"{figures[key]:9.1f}" if key == "ms" else f"{figures[key]:9.0f}" for key in figures))
    return figures


def peer(path: Path, api: str, found: Compiled, schemas: bool) -> Peer | None:
    """Return FastMCP's search over a document, or None if FastMCP cannot be installed."""
    names: dict[str, set[str]] = {}
    for tool in found.catalog.tools:
        names.setdefault(f"{tool.operation.method} {tool.operation.path}", set()).add(tool.name)
    asked = [each.text for half in HALVES for each in questions(api, half)]
    try:
        return Peer(path, names, asked, 10, schemas)
    except Unavailable as reason:
        print(reason)
        return None


def abstention(rankers: dict[str, Search]) -> tuple[float, float]:
    """Print how many unanswerable questions are refused or doubted.

    Return both shares in percent: refused, and refused or doubted.
    """
    refused = doubted = count = 0
    print()
    for half in HALVES:
        answers = [ranker.answer(text, 10) for api, ranker in rankers.items() for text in unanswerable(api, half)]
        none = sum(not answer.names for answer in answers)
        unsure = sum(bool(answer.names) and not answer.sure for answer in answers)
        print(
            f"Of {len(answers)} questions that no tool serves, {half}: {none} are refused, {unsure} more are doubted."
        )
        count, refused, doubted = count + len(answers), refused + none, doubted + unsure
    return 100 * refused / count, 100 * (refused + doubted) / count


def lost_recall(rankers: dict[str, Search]) -> float:
    """Print and return the percentage of needed tools missed only because the search says that no tool fits."""

    def found() -> int:
        asked = ((ranker, each) for api, ranker in rankers.items() for half in HALVES for each in questions(api, half))
        return sum(len(each.needs & set().union(*ranker.answer(each.text, 10).names)) for ranker, each in asked)

    with patch.object(coverage, "LEAST_EXPLAINED", 0.0):
        most = found()
    lost = 100 * (1 - found() / most)
    print(f"Of {most} needed tools that are found if no question is refused, {lost:.1f} % are lost.")
    return lost


def lists(folder: Path) -> int:
    """Print the tokens of the list of tools of every document in `folder`, and return the largest number."""
    most = 0
    print("\ntokens of the list")
    for path in sorted(each for each in folder.rglob("*") if each.suffix in (".json", ".yaml", ".yml")):
        try:
            found = compiled(path)
        except FatalError:
            continue
        size = list_tokens(found)
        most = max(most, size)
        print(f"  {path.relative_to(folder).as_posix():52} {len(found.catalog.tools):6,} tools {size:6,}")
    return most


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=CORPUS)
    parser.add_argument("--lists", action="store_true")
    parser.add_argument("--schemas", action="store_true")
    given = parser.parse_args()
    bars: list[Bar] = []
    rankers: dict[str, Search] = {}
    print(f"{'':34}" + "".join(f"{key:>9}" for key in ("R@5", "R@10", "C@10", "tokens", "ms", "refused", "doubted")))
    for api, name in DOCUMENTS.items():
        found = compiled(given.folder / name)
        assert found.catalog.search is not None, "compiled with a search"
        tools = json.loads(found.tree[f"{found.catalog.identity.package}/tools.json"])
        rankers[api] = Search(found.catalog.search.index, tools)
        plain = Plain(tools)
        theirs = peer(given.folder / name, api, found, given.schemas)
        for half in HALVES:
            asked = questions(api, half)
            unknown = set().union(*(each.needs for each in asked)) - {tool["name"] for tool in tools}
            assert not unknown, f"the questions of {api} name tools that are not there: {unknown}"
            peers = row(f"{api} {half}, {NAME}", theirs, asked) if theirs is not None else {"C@10": 0.0}
            row(f"{api} {half}, BM25, definitions", plain, asked)
            figures = row(f"{api} {half}, search", rankers[api], asked)
            if half == "held out":
                bars.append(Bar(f"C@10 of {api}, above {NAME}", figures["C@10"] - peers["C@10"], ">=", 0))
                bars.append(Bar(f"C@10 of {api}", figures["C@10"], ">=", 66))
                bars.append(Bar(f"milliseconds of a question, {api}", figures["ms"], "<=", 10))
            if half == "held out" and api == "github":
                bars.append(Bar("tokens of an answer, github", figures["tokens"], "<=", 350))
        bars.append(Bar(f"kB of the index of {api}", len(gzip.compress(found.catalog.search.index)) / 1000, "<=", 200))
    found_ids = producers.figures(producers.measure())
    print(f"\n{found_ids}")
    bars.append(Bar("% of producers that are right", 100 * found_ids.right, ">=", 100 * producers.RIGHT))
    bars.append(Bar("% of ids with a producer that get one", 100 * found_ids.found, ">=", 100 * producers.FOUND))
    refused, told = abstention(rankers)
    bars.append(Bar("% of unanswerable questions that are refused or doubted", told, ">=", 90))
    bars.append(Bar("% of unanswerable questions that are refused", refused, ">=", 90))
    bars.append(Bar("% of recall that is lost by refusing", lost_recall(rankers), "<=", 2))
    bars.append(
        Bar("CPU seconds to make the index of github", index_seconds(given.folder / DOCUMENTS["github"]), "<=", 3)
    )
    if given.lists:
        bars.append(Bar("tokens of the longest list", lists(given.folder), "<=", MOST_TOKENS_OF_LIST))
    return show(bars)


if __name__ == "__main__":
    sys.exit(main())
