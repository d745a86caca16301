"""Measure how often the compiler names the right producer of an id: the tool whose result contains the id.

People have judged a random sample of arguments that take ids (`tests/corpus/producers.yaml`). A producer is right if
this file names it. If the file names none for an id, naming none is right. The first result is the share of named
producers that are right. The second is the share of ids with a producer for which the compiler names a right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn
from unittest.mock import patch

import yaml

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.work import Budget
from mcpgen.lower.schema.compose import PART, RUN, Composer
from mcpgen.model import ToolSpec
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.retrieval import producers
from mcpgen.retrieval.producers import Source

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dev"
TABLE = Path(__file__).parents[2] / "tests" / "corpus" / "producers.yaml"
RIGHT, FOUND = 0.95, 0.82
"""Lower limits: the share of named producers that are right, and the share of ids with a producer for which the
compiler names a right one.
"""

_LINE = re.compile(r"(?P<id>\S+ \S+ (?:path|query|body) \S+) = (?P<right>.+)")
_REQUEST = re.compile(r"(\()?([A-Z]+ /[^\s()]*)\)?")


class Judged(NamedTuple):
    """An argument that takes an id, with the producers that people judged to be right.

    `id`: operation, place and name of the argument. `right`: requests (method and path) that return the id. `allowed`:
    further requests that count as right.
    """

    id: str
    right: frozenset[str]
    allowed: frozenset[str]


class Verdict(NamedTuple):
    """The producer (a tool that returns an id) that the compiler names for an argument that takes this id.

    `judged`: the argument. `named`: the producer's method and path, or "" for none.
    """

    document: str
    judged: Judged
    named: str

    @property
    def is_right(self) -> bool:
        """Return True if people accept the named request as a source of the id, or if none is named and `judged.right`
        is empty.
        """
        return self.named in self.judged.right | self.judged.allowed or not (self.named or self.judged.right)

    def __str__(self) -> str:
        return f"{self.document}: {self.judged.id} gets {self.named or 'none'}"


def table() -> dict[str, list[Judged]]:
    """Read `producers.yaml`. Return a mapping from each document to arguments that take ids, each with the requests
    that people judged to return the id.
    """
    found: dict[str, list[Judged]] = {}
    for document, lines in yaml.safe_load(TABLE.read_text(encoding="utf-8")).items():
        for line in lines:
            parts = _LINE.fullmatch(line)
            assert parts is not None, f"{document}: {line}"
            requests = _REQUEST.findall(parts["right"])
            right = frozenset(request for bracket, request in requests if not bracket)
            allowed = frozenset(request for bracket, request in requests if bracket)
            found.setdefault(document, []).append(Judged(parts["id"], right, allowed))
    return found


class _Seen(Exception):
    """Raised to end a compile before it builds the search index: the tools that return ids are known by then."""


@cache
def compiled(document: str) -> tuple[list[ToolSpec], dict[str, list[Source]]]:
    """Return a document's tools, and by tool name the producers that the compiler finds for arguments that take ids."""
    seen: list[tuple[list[ToolSpec], dict[str, list[Source]]]] = []

    def build(tools: Sequence[ToolSpec], definitions: Mapping[str, JsonObject], *_: object) -> NoReturn:
        composer = Composer(definitions, Budget(RUN, PART))
        seen.append(([*tools], producers.sources(tools, composer)))
        raise _Seen

    with patch("mcpgen.retrieval.index.build", build), suppress(_Seen):
        compile_source(fetch.read(str(CORPUS / document)), Options(tools="search"))
    return seen[0]


def measure() -> list[Verdict]:
    """Return the producer that the compiler names for each id in `producers.yaml`: the tool whose result contains
    the id.
    """
    return [verdict for document, judged in table().items() for verdict in _of(document, judged)]


def _of(document: str, judged: list[Judged]) -> Iterator[Verdict]:
    listed, found = compiled(document)
    tools = {tool.name: tool for tool in listed}
    named: dict[str, str] = {}
    for name, sources in found.items():
        tool = tools[name]
        places = {argument: place for (place, _), argument in tool.arguments.items()}
        for source in sources:
            key = f"{_request(tool.operation.method, tool.operation.path)} {places[source.argument]} {source.wire}"
            operation = tools[source.tool].operation
            named[key] = _request(operation.method, operation.path)
    yield from (Verdict(document, each, named.get(each.id, "")) for each in judged)


def _request(method: str, path: str) -> str:
    return f"{method} {path}"


class Figures(NamedTuple):
    """Scores of the compiler for naming the producer of an id: the tool whose result contains the id.

    `right`: share of right ones among the producers that the compiler names. `found`: among the ids with a producer,
    the share for which the compiler names a right one. `ids`: number of all ids in `producers.yaml`.
    """

    right: float
    found: float
    ids: int

    def __str__(self) -> str:
        return f"{self.ids} ids: {self.right:.0%} of the producers named are right, {self.found:.0%} of the ids get one"


def figures(verdicts: list[Verdict]) -> Figures:
    """Score the producers that the compiler names (tools whose results contain an id) by people's judgments."""
    named = [each for each in verdicts if each.named]
    wanted = [each for each in verdicts if each.judged.right]
    right = sum(each.is_right for each in named) / len(named)
    found = sum(each.named in each.judged.right for each in wanted) / len(wanted)
    return Figures(right, found, len(verdicts))
