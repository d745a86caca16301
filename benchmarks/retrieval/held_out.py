"""Measure the search with constants that are chosen without the set of questions that is reported.

The grids have values for each constant that matters, among them the value that turns its rule off. So the other sets
choose the constants and the rules.
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

from package.runtime.search import retriever
from package.runtime.search.retriever import Retriever

from benchmarks.retrieval.served import Needs, served
from mcpgen.retrieval import index

DEPTH = 10

OF_INDEX = {"B": (0.0, 0.5, 0.75), "_UNKNOWN": (0.3, 0.5, 1.0)}
OF_QUERY = {"SYNONYM": (0.0, 0.5, 0.7), "UNFIT": (0.7, 0.85, 1.0), "PURPOSE": (0.5, 1.0)}


@contextmanager
def constants(module: ModuleType, grid: Mapping[str, tuple[float, ...]], values: tuple[float, ...]) -> Iterator[None]:
    """Give the constants of a module other values for a while."""
    with ExitStack() as patched:
        for name, value in zip(grid, values, strict=True):
            patched.enter_context(patch.object(module, name, value))
        yield


class _Pool:
    """A pool of documents, whose index can be made again with other constants."""

    def __init__(self, of: str, table: bytes, made_of: Any, questions: list[tuple[str, Needs]]) -> None:
        self.of = of
        self._table = json.loads(table)
        self._made_of = made_of
        self._questions = questions

    def retriever(self) -> Retriever:
        """Return the search over the pool, with the constants that the index has now."""
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


def _shares(folder: Path, only: str) -> Iterator[dict[str, float]]:
    """Yield for each choice of constants the percentage of each set's questions with all needed tools."""
    pools = _pools(folder, only)
    for weights in product(*OF_INDEX.values()):
        with constants(index, OF_INDEX, weights):
            searches = [(pool, pool.retriever()) for pool in pools]
        for factors in product(*OF_QUERY.values()):
            complete: dict[str, list[bool]] = {}
            with constants(retriever, OF_QUERY, factors):
                for pool, search in searches:
                    complete.setdefault(pool.of, []).extend(pool.complete(search))
            yield {of: 100 * sum(each) / len(each) for of, each in complete.items()}


def held_out(folder: Path, only: str) -> dict[str, float]:
    """Return C@10 of each set with the constants that are the best for all other sets together."""
    results = list(_shares(folder, only))
    found = {}
    for of in results[0]:
        found[of] = max(results, key=lambda each: sum(share for other, share in each.items() if other != of))[of]
    return found
