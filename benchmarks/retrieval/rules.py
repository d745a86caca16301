"""Measure what each rule of the search is worth.

    python -m benchmarks.retrieval.rules [FOLDER]

The table has rows for each rule. A column has what a set of questions loses if the search lacks the rule: percentage
points of C@5 and C@10 (`__main__.py`); percentage points of the questions that a deprecated tool answers too and whose
answer shows the successor first; and the tokens that an answer to an unanswerable question grows by. `more` and `fewer`
count the sets that do better and worse with the rule. Rows without any difference are left out. Each rule is measured
with a copy of the product, in which a text is replaced.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpus import CORPUS
from benchmarks.retrieval.rankers import Search
from benchmarks.retrieval.served import Served, served
from mcpgen.base import tokens

ROOT = Path(__file__).parents[2]
_SEARCH = "templates/package/runtime/search/"


class Rule(NamedTuple):
    """A rule, and the text of a file that makes it, without which the search lacks the rule."""

    name: str
    file: str
    old: str
    new: str = ""


_RANKING, _INDEX, _STEMS = f"{_SEARCH}retriever.py", "mcpgen/retrieval/index.py", f"{_SEARCH}stems.py"
_COMPILED = (_INDEX, _STEMS)
"""Files on which the search index depends."""

RULES = (
    Rule("six letters of a stem", _STEMS, "LONGEST_STEM = 6", "LONGEST_STEM = 99"),
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
    Rule("purposes and conditions", _RANKING, "PURPOSE = 0.5", "PURPOSE = 1.0"),
    Rule("words of no name count half", _INDEX, "_UNKNOWN = 0.5", "_UNKNOWN = 1.0"),
    Rule("lengths of fields", _INDEX, "K1, B = 1.2, 0.5", "K1, B = 1.2, 0.0"),
    Rule("deprecated later", _INDEX, "_DEPRECATED = 0.6", "_DEPRECATED = 1.0"),
    Rule("few rows if nothing fits", f"{_SEARCH}coverage.py", "EXPLAINED = 0.05,", "EXPLAINED = 0.0,"),
)

DEPTHS = (5, 10)
FIRST, TOKENS = "successor first", "tokens of a refusal"
LESS_IS_BETTER = (TOKENS,)
Measures = dict[str, dict[str, float]]
"""Measure → set → its mean over the questions of the set."""


def measures(asked: list[tuple[Served, Search]]) -> Measures:
    """Measure the search over each pool with the questions of the pool."""
    values: dict[str, dict[str, list[float]]] = {}
    for pool, search in asked:

        def add(measure: str, value: float, of: str = pool.pool.of) -> None:
            values.setdefault(measure, {}).setdefault(of, []).append(value)

        for text, needs in pool.questions:
            names = search.answer(text, max(DEPTHS)).names
            for depth in DEPTHS:
                shown = set().union(*names[:depth])
                add(f"C@{depth}", 100 * all(need & shown for need in needs))
        for text, (need,) in pool.successors:
            ranked = [names[0] for names in search.answer(text, max(DEPTHS)).names]
            add(FIRST, 100 * (next((name for name in ranked if name in need | pool.deprecated), "") in need))
        for text in pool.pool.nothing:
            add(TOKENS, tokens.estimate(search.answer(text, max(DEPTHS)).shown))
    return {measure: {of: statistics.mean(each) for of, each in sets.items()} for measure, sets in values.items()}


def without(rule: Rule, folder: Path, pools: Path) -> Measures:
    """Measure the search without a rule, in another process.

    `pools`: the compiled pools. They are compiled again if the rule is one of the index.
    """
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary)
        for name in ("mcpgen", "templates", "benchmarks", "tests/interop"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".clients"))
        text = (copy / rule.file).read_text(encoding="utf-8")
        assert text.count(rule.old) == 1, f"{rule.file} must contain once: {rule.old}"
        (copy / rule.file).write_text(text.replace(rule.old, rule.new), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((temporary, str(copy / "templates")))}
        command = [sys.executable, "-m", "benchmarks.retrieval.rules", str(folder), "--json"]
        command += () if rule.file in _COMPILED else ("--pools", str(pools))
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=True)
        found: Measures = json.loads(done.stdout)
        return found


def row(values: dict[str, float], sets: list[str]) -> str:
    """Return a row of the table. A set without such questions has an empty cell."""
    return "".join(f"{values[of]:10.1f}" if of in values else f"{'':10}" for of in sets)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=CORPUS)
    parser.add_argument("--json", action="store_true", help="print all measures as JSON, and nothing else")
    parser.add_argument("--pools", type=Path, help="a file with the compiled pools")
    given = parser.parse_args()
    pools = pickle.loads(given.pools.read_bytes()) if given.pools else list(served(given.folder))
    found = measures([(each, Search(each.table, each.tools)) for each in pools])
    if given.json:
        print(json.dumps(found))
        return 0
    sets = list(found["C@10"])
    print(f"{'':46}" + "".join(f"{of[:7] + of[-2:] * (' ' in of):>10}" for of in sets) + "   more  fewer")
    for measure, values in found.items():
        print(f"{measure:46}{row(values, sets)}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        kept = Path(temporary) / "pools"
        kept.write_bytes(pickle.dumps(pools))
        for rule in RULES:
            gains_of(rule, found, without(rule, given.folder, kept), sets)
    return 0


def gains_of(rule: Rule, found: Measures, lacking: Measures, sets: list[str]) -> None:
    """Print what each set gains by a rule. `lacking`: the measures without the rule."""
    for measure, values in found.items():
        sign = -1 if measure in LESS_IS_BETTER else 1
        gains = {of: round(sign * (value - lacking[measure][of]), 1) for of, value in values.items()}
        more, fewer = sum(gain > 0 for gain in gains.values()), sum(gain < 0 for gain in gains.values())
        if more or fewer:
            print(f"{rule.name + ', ' + measure:46}{row(gains, sets)}{more:7}{fewer:7}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
