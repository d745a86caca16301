"""Measure how well the search finds tools.

    python -m benchmarks.retrieval [FOLDER] [--only SET,SET] [--alone] [--lists] [--schemas] [--held-out]

FOLDER holds the documents of the corpus. The output has a row for each set of questions (`questions.py`) and search.
C@5 and C@10 are the shares of questions with all needed tools among the first 5 and 10 results, with the tools that are
shown beside a result because they return its ids. `rows` is C@10 without these tools. R@10 is the share of needed tools
among the first 10 results. Further columns are the tokens of an answer, and the median and longest milliseconds of a
question. `nothing` counts the questions for which the search said that nothing fits, and showed its three nearest
tools alone. `perhaps` counts those for which it said that perhaps nothing fits.

The lines below the table show how many unanswerable questions get the same two answers. Further lines show how well the
compiler finds the producer of an id: the tool whose result contains it. `--lists` also measures the tokens of every
document's list of tools. `--held-out` only measures C@10 of each set with constants that the other sets have chosen
(`held_out.py`), which takes minutes. `python -m benchmarks.retrieval.rules` measures each rule of the search.

The search is compared with the plain recipe, and with FastMCP's search over the tools that FastMCP makes of the same
documents. `--alone` leaves FastMCP out, and `--only` the other sets. FastMCP answers with complete tool definitions.
They lack output schemas here, which makes its answers smaller and faster than by default. `--schemas` includes the
output schemas, and takes half an hour.
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

from package.runtime.core.catalog import Catalog

from benchmarks.bars import Bar, show
from benchmarks.corpus import CORPUS
from benchmarks.retrieval import held_out, producers
from benchmarks.retrieval.peer import NAME, Peer, Unavailable
from benchmarks.retrieval.questions import TUNED, UNTUNED, Pool
from benchmarks.retrieval.rankers import Ranker, Recipe, Search
from benchmarks.retrieval.served import Needs, compiled, served
from mcpgen.base import tokens
from mcpgen.base.errors import FatalError
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch

MOST = 10
MOST_TOKENS_OF_LIST = 750
BARS = {"socbench": 82, "toolalpaca": 95, "untuned": 80}


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


class Tally:
    """The results of one search for the questions of a set."""

    def __init__(self) -> None:
        self.asked = self.needed = self.found = 0
        self.complete = dict.fromkeys(("C@5", "C@10", "rows"), 0)
        self.verdicts = dict.fromkeys(("fits", "perhaps", "nothing"), 0)
        self.tokens: list[int] = []
        self.ms: list[float] = []

    def ask(self, ranker: Ranker, question: str, needs: Needs) -> None:
        """Ask a question, and count its result."""
        started = time.process_time()
        answer = ranker.answer(question, MOST)
        self.ms.append(1000 * (time.process_time() - started) if answer.ms is None else answer.ms)
        five, ten = (set().union(*answer.names[:most]) for most in (5, 10))
        own = {names[0] for names in answer.names if names}
        self.asked += 1
        self.needed += len(needs)
        self.found += sum(bool(need & ten) for need in needs)
        for key, there in (("C@5", five), ("C@10", ten), ("rows", own)):
            self.complete[key] += all(need & there for need in needs)
        self.verdicts[answer.verdict] += 1
        self.tokens.append(tokens.estimate(answer.shown))

    def share(self, key: str = "C@10") -> float:
        """Return the percentage of questions with all needed tools."""
        return 100 * self.complete[key] / self.asked

    def __str__(self) -> str:
        shares = [*map(self.share, ("C@5", "C@10", "rows")), 100 * self.found / self.needed]
        times = f"{statistics.median(self.ms):9.1f}{max(self.ms):9.1f}"
        said = f"{self.verdicts['nothing']:9}{self.verdicts['perhaps']:9}"
        return "".join(f"{each:9.0f}" for each in (*shares, statistics.mean(self.tokens))) + times + said


HEAD = ("C@5", "C@10", "rows", "R@10", "tokens", "ms", "longest", "nothing", "perhaps")


def peer(pool: Pool, operations: dict[str, set[str]], schemas: bool) -> Peer | None:
    """Return FastMCP's search over the documents of a pool, or None if FastMCP cannot be installed."""
    try:
        return Peer(pool.documents, operations, [each.text for each in pool.questions], MOST, schemas)
    except Unavailable as reason:
        print(reason)
        return None


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


def measure(
    folder: Path, only: str, alone: bool, schemas: bool
) -> tuple[dict[str, dict[str, Tally]], dict[str, int], list[Bar]]:
    """Ask all questions. Return the results by set and by search, the answers to unanswerable questions, and bars."""
    sets: dict[str, dict[str, Tally]] = {}
    nothing = dict.fromkeys(("fits", "perhaps", "nothing"), 0)
    bars: list[Bar] = []
    for pool, index, tools, operations, questions, *_ in served(folder, only):
        search = Search(index, tools)
        rankers: dict[str, Ranker] = {"search": search, "recipe": Recipe(index, tools)}
        if not alone and (theirs := peer(pool, operations, schemas)):
            rankers = {NAME: theirs, **rankers}
        for name, ranker in rankers.items():
            tally = sets.setdefault(pool.of, {}).setdefault(name, Tally())
            for text, needs in questions:
                tally.ask(ranker, text, needs)
        for text in pool.nothing:
            nothing[search.answer(text, MOST).verdict] += 1
        if pool.of in TUNED:
            bars.append(Bar(f"kB of the index of {pool.of}", len(gzip.compress(index)) / 1000, "<=", 200))
    return sets, nothing, bars


def together(sets: dict[str, dict[str, Tally]], chosen: list[str]) -> float:
    """Return the percentage of questions with all needed tools, over the questions of several sets."""
    tallies = [sets[each]["search"] for each in chosen]
    return 100 * sum(each.complete["C@10"] for each in tallies) / sum(each.asked for each in tallies)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=CORPUS)
    parser.add_argument("--only", default="")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--lists", action="store_true")
    parser.add_argument("--schemas", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    given = parser.parse_args()
    if given.held_out:
        for of, share in held_out.held_out(given.folder, given.only).items():
            print(f"{of:26}{share:9.1f}")
        return 0
    sets, nothing, bars = measure(given.folder, given.only, given.alone, given.schemas)
    print(f"{'':26}" + "".join(f"{key:>9}" for key in HEAD))
    for of, tallies in sets.items():
        for name, tally in tallies.items():
            print(f"{of + ', ' + name:26}{tally}")
        if NAME in tallies:
            above = tallies["search"].share() - tallies[NAME].share()
            bars.append(Bar(f"C@10 of {of}, above {NAME}", above, ">=", 0))
        bars.append(Bar(f"milliseconds of a question, {of}", statistics.median(tallies["search"].ms), "<=", 5))
        bars.append(Bar(f"tokens of an answer, {of}", statistics.mean(tallies["search"].tokens), "<=", 350))
    groups = {"untuned": [of for of in sets if of in UNTUNED]}
    for of in sets:
        groups.setdefault(of.partition(" ")[0], []).append(of)
    bars += [
        Bar(f"C@10 of {group}", together(sets, groups[group]), ">=", bar)
        for group, bar in BARS.items()
        if groups.get(group)
    ]
    told = nothing["nothing"] + nothing["perhaps"]
    print(f"\nOf {sum(nothing.values())} questions that no tool serves, {nothing['nothing']} are answered by")
    print(f'"nothing here does that", and {nothing["perhaps"]} more by "perhaps nothing here does that".')
    bars.append(
        Bar("% of unanswerable questions that are doubted", 100 * told / max(1, sum(nothing.values())), ">=", 90)
    )
    found_ids = producers.figures(producers.measure())
    print(f"\n{found_ids}")
    bars.append(Bar("% of producers that are right", 100 * found_ids.right, ">=", 100 * producers.RIGHT))
    bars.append(Bar("% of ids with a producer that get one", 100 * found_ids.found, ">=", 100 * producers.FOUND))
    bars.append(Bar("CPU seconds to make the index of github", index_seconds(given.folder / TUNED["github"]), "<=", 3))
    if given.lists:
        bars.append(Bar("tokens of the longest list", lists(given.folder), "<=", MOST_TOKENS_OF_LIST))
    return show(bars)


if __name__ == "__main__":
    sys.exit(main())
