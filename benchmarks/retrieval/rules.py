"""Measure what each rule of the search is worth, and how the search does with constants that others have chosen.

    python -m benchmarks.retrieval.rules [FOLDER]

The first table has two rows for each rule. A column has the percentage points of C@5 and C@10 (`__main__.py`) that a
set of questions loses if the search lacks the rule. `more` and `fewer` count the sets that do better and worse with it.
Each row is measured with a copy of the product, in which a text is replaced.

The second table is cross-validated: it has C@10 of each set with the constants of GRID that are the best for all other
sets together.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from package.runtime.search import retriever

from benchmarks.corpus import CORPUS
from benchmarks.retrieval.rankers import Search
from benchmarks.retrieval.served import Needs, served

ROOT = Path(__file__).parents[2]
_SEARCH = "templates/package/runtime/search/"


class Rule(NamedTuple):
    """A rule, and the text of a file that makes it, without which the search lacks the rule."""

    name: str
    file: str
    old: str
    new: str = ""


_RANKING, _INDEX = f"{_SEARCH}retriever.py", "mcpgen/retrieval/index.py"
RULES = (
    Rule("six letters of a stem", f"{_SEARCH}stems.py", "LONGEST_STEM = 6", "LONGEST_STEM = 99"),
    Rule("synonyms", _RANKING, "SYNONYM = 0.5", "SYNONYM = 0.0"),
    Rule("pairs written as one word", _RANKING, ", *(whole for _, whole in self._postings.joined(text))"),
    Rule("named", _RANKING, "(1 + share)", "1"),
    Rule("intent", _RANKING, "UNFIT = 0.7", "UNFIT = 1.0"),
    Rule("questions read", _RANKING, "in QUESTIONS:", "in ():"),
    Rule("clauses", _RANKING, "MOST_CLAUSES = 20", "MOST_CLAUSES = 0"),
    Rule(
        "the query beside its clauses",
        _RANKING,
        "[query, *(clauses if len(clauses) > 1 else ())]",
        "clauses if len(clauses) > 1 else [query]",
    ),
    Rule("purposes", _RANKING, "PURPOSE = 0.5", "PURPOSE = 1.0"),
    Rule("words of no name count half", _INDEX, "_UNKNOWN = 0.5", "_UNKNOWN = 1.0"),
    Rule("lengths of fields", _INDEX, "K1, B = 1.2, 0.5", "K1, B = 1.2, 0.0"),
    Rule("deprecated later", _INDEX, "_DEPRECATED = 0.8", "_DEPRECATED = 1.0"),
    Rule("few rows if nothing fits", f"{_SEARCH}coverage.py", "EXPLAINED = 0.05,", "EXPLAINED = 0.0,"),
)

GRID = {"SYNONYM": (0.3, 0.5, 0.7), "PURPOSE": (0.3, 0.5, 0.7), "UNFIT": (0.5, 0.7, 0.85)}
"""Constants of the search, and the values among which others choose."""

DEPTHS = (5, 10)
Shares = dict[str, dict[str, float]]
"""Measure → set → percentage of its questions with all needed tools."""

Asked = list[tuple[str, Search, list[tuple[str, Needs]]]]
"""For each pool the name of its set, the search over it, and its questions."""


def shares(asked: Asked) -> Shares:
    """Return for each depth the share of each set's questions with all needed tools among so many results."""
    complete: dict[int, dict[str, list[bool]]] = {depth: {} for depth in DEPTHS}
    for of, search, questions in asked:
        for text, needs in questions:
            names = search.answer(text, max(DEPTHS)).names
            for depth, sets in complete.items():
                shown = set().union(*names[:depth])
                sets.setdefault(of, []).append(all(need & shown for need in needs))
    return {
        f"C@{depth}": {of: 100 * statistics.mean(each) for of, each in sets.items()} for depth, sets in complete.items()
    }


def without(rule: Rule, folder: Path) -> Shares:
    """Return the shares of each set if the search lacks a rule, measured in another process."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary)
        for name in ("mcpgen", "templates", "benchmarks", "tests/interop"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".clients"))
        text = (copy / rule.file).read_text(encoding="utf-8")
        assert text.count(rule.old) == 1, f"{rule.file} must contain once: {rule.old}"
        (copy / rule.file).write_text(text.replace(rule.old, rule.new), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((temporary, str(copy / "templates")))}
        command = [sys.executable, "-m", "benchmarks.retrieval.rules", str(folder), "--json"]
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=True)
        found: Shares = json.loads(done.stdout)
        return found


def cross_validated(asked: Asked) -> dict[str, float]:
    """Return C@10 of each set with the constants of GRID that are the best for all other sets."""
    results = []
    for values in product(*GRID.values()):
        with ExitStack() as patched:
            for name, value in zip(GRID, values, strict=True):
                patched.enter_context(patch.object(retriever, name, value))
            results.append(shares(asked)["C@10"])
    found = {}
    for of in results[0]:
        best = max(results, key=lambda result: sum(share for each, share in result.items() if each != of))
        found[of] = best[of]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=CORPUS)
    parser.add_argument("--json", action="store_true", help="print C@10 of each set as JSON, and nothing else")
    given = parser.parse_args()
    asked = [(each.pool.of, Search(each.table, each.tools), each.questions) for each in served(given.folder)]
    found = shares(asked)
    if given.json:
        print(json.dumps(found))
        return 0
    sets = list(found["C@10"])
    print(f"{'':36}" + "".join(f"{of[:7] + of[-2:] * (' ' in of):>10}" for of in sets) + "   more  fewer")
    for measure, share in found.items():
        print(f"{measure:36}" + "".join(f"{share[of]:10.1f}" for of in sets), flush=True)
    for rule in RULES:
        lacking = without(rule, given.folder)
        for measure, share in found.items():
            gains = [share[of] - lacking[measure][of] for of in sets]
            more, fewer = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
            row = "".join(f"{gain:10.1f}" for gain in gains)
            print(f"{rule.name + ', ' + measure:36}{row}{more:7}{fewer:7}", flush=True)
    validated = cross_validated(asked)
    print(f"\n{'C@10, chosen by others':36}" + "".join(f"{validated[of]:10.1f}" for of in sets))
    return 0


if __name__ == "__main__":
    sys.exit(main())
