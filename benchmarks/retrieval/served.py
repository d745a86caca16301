"""Compile the documents of each pool to a server with a search, and find the tools that its questions need."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.retrieval.questions import Pool, pools
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch

Needs = list[set[str]]
"""For each need of a question, the names of the tools that serve it."""


class Served(NamedTuple):
    """A pool, its search index (`table`) and the tools of its server, and its questions with their needs.

    `operations`: method and path → names of the tools that call the operation. `successors`: questions that one of the
    tools `deprecated` answers too.
    """

    pool: Pool
    table: bytes
    tools: list[dict[str, Any]]
    operations: dict[str, set[str]]
    questions: list[tuple[str, Needs]]
    successors: list[tuple[str, Needs]]
    deprecated: set[str]


def compiled(path: Path) -> Compiled:
    """Compile a document to a server with a tool search."""
    return compile_source(fetch.read(str(path)), Options(tools="search"))


def served(corpus: Path, only: str = "") -> Iterator[Served]:
    """Yield every pool with its server. `only`: the wanted sets, with commas between them, or "" for all."""
    with tempfile.TemporaryDirectory() as temporary:
        for number, pool in enumerate(pools(corpus, Path(temporary))):
            if only and pool.of not in only.split(","):
                continue
            place = Path(temporary) / str(number)
            place.mkdir()
            made = compiled(pool.source(place))
            assert made.catalog.search is not None, "compiled with a search"
            tools = json.loads(made.tree[f"{made.catalog.identity.package}/tools.json"])
            operations: dict[str, set[str]] = {}
            for tool in made.catalog.tools:
                operations.setdefault(f"{tool.operation.method} {tool.operation.path}", set()).add(tool.name)
            names = [tool["name"] for tool in tools]
            asked = [
                [(each.text, each.tools(names, operations)) for each in some]
                for some in (pool.questions, pool.successors)
            ]
            deprecated = {tool.name for tool in made.catalog.tools if tool.operation.deprecated}
            yield Served(pool, made.catalog.search.index, tools, operations, *asked, deprecated)
