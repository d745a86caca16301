"""Measure the search with constants that are chosen without the set of questions that is reported.

`GRID` has values for each constant that matters, among them the value that turns its rule off. So a set does not only
lack a say in the constants, but also in which rules the search has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from package.runtime.search import retriever, stems
from package.runtime.search.retriever import Retriever

from benchmarks.retrieval.served import Needs, served
from mcpgen.retrieval import index

DEPTH = 10

GRID: tuple[tuple[ModuleType, Mapping[str, tuple[float, ...]]], ...] = (
    (stems, {"LONGEST_STEM": (6, 99)}),
    (index, {"B": (0.0, 0.5, 0.75), "_UNKNOWN": (0.5, 1.0)}),
    (retriever, {"SYNONYM": (0.0, 0.5, 0.7), "UNFIT": (0.7, 0.85, 1.0), "PURPOSE": (0.5, 1.0)}),
)
"""Module → constant → values. Stems are part of the compile, the next constants of the index, the last of a query."""


@contextmanager
def each_value(module: ModuleType, values: dict[str, float]) -> Iterator[None]:
    """Give the constants of a module other values."""
    with ExitStack() as patched:
        for name, value in values.items():
            patched.enter_context(patch.object(module, name, value))
        stems.stem.cache_clear()
        yield
    stems.stem.cache_clear()


def choices(values: Mapping[str, tuple[float, ...]]) -> Iterator[dict[str, float]]:
    """Yield every choice of one value for each constant."""
    yield from (dict(zip(values, each, strict=True)) for each in product(*values.values()))


class _Pool:
    """A pool of documents, whose index can be made again with other constants."""

    def __init__(self, of: str, table: bytes, made_of: Any, questions: list[tuple[str, Needs]]) -> None:
        self.of = of
        self._table = json.loads(table)
        self._made_of = made_of
        self._questions = questions

    def retriever(self) -> Retriever:
        """Return the search over the pool, with today's constants of the index."""
        return Retriever({**self._table, "terms": index._terms(*self._made_of)})

    def complete(self, search: Retriever) -> list[bool]:
        """Return for each question whether all needed tools are among the first results."""
        return [all(need & _shown(search, text) for need in needs) for text, needs in self._questions]


def _shown(search: Retriever, text: str) -> set[str]:
    hits = search.search(text, DEPTH, lambda name: True).hits
    return {search.names[number] for hit in hits for number in (hit.number, *(source for _, source in hit.sources))}


def _pools(folder: Path, only: str) -> list[_Pool]:
    """Compile all pools, and keep what the index of each is made of."""
    with patch.object(index, "_terms", wraps=index._terms) as made:
        return [_Pool(each.pool.of, each.table, made.call_args.args, each.questions) for each in served(folder, only)]


def shares(folder: Path, only: str) -> list[dict[str, float]]:
    """Return for each choice of constants the percentage of each set's questions with all needed tools."""
    (_, of_stems), (_, of_index), (_, of_query) = GRID
    found = []
    for stem in choices(of_stems):
        with each_value(stems, stem):
            pools = _pools(folder, only)
            for weights in choices(of_index):
                with each_value(index, weights):
                    searches = [(pool, pool.retriever()) for pool in pools]
                for factors in choices(of_query):
                    with each_value(retriever, factors):
                        complete: dict[str, list[bool]] = {}
                        for pool, search in searches:
                            complete.setdefault(pool.of, []).extend(pool.complete(search))
                        found.append({of: 100 * sum(each) / len(each) for of, each in complete.items()})
    return found


def held_out(folder: Path, only: str) -> dict[str, float]:
    """Return C@10 of each set with the constants that are the best for all other sets."""
    results = shares(folder, only)
    best = {of: max(results, key=lambda each: sum(each.values()) - each[of]) for of in results[0]}
    return {of: chosen[of] for of, chosen in best.items()}
