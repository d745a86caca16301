"""Measure how many ids get the right producer, by a table that people judged (`tests/corpus/producers.yaml`).

Right is a producer that the table names, and none where it names none. The figures are for the ids of the table, which
were drawn at random: of those that have a producer, how many get a right one (found), and of those that get one, how
many are right.
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
"""Bars: the least share of producers that are right, and of ids with a producer that get a right one."""

_LINE = re.compile(r"(?P<id>\S+ \S+ (?:path|query|body) \S+) = (?P<right>.+)")
_REQUEST = re.compile(r"(\()?([A-Z]+ /[^\s()]*)\)?")


class Judged(NamedTuple):
    """An id: its operation, place and name; the requests that produce it, and those that may be named as well."""

    id: str
    right: frozenset[str]
    allowed: frozenset[str]


class Verdict(NamedTuple):
    """An id of a document, and the request of the producer that it gets, or ""."""

    document: str
    judged: Judged
    named: str

    @property
    def is_right(self) -> bool:
        """Return True if the producer is one that a person named, or none where none need be."""
        return self.named in self.judged.right | self.judged.allowed or not (self.named or self.judged.right)

    def __str__(self) -> str:
        return f"{self.document}: {self.judged.id} gets {self.named or 'none'}"


def table() -> dict[str, list[Judged]]:
    """Return document → its judged ids."""
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
    """Raised in place of building an index: the rest of the compile is not needed."""


@cache
def compiled(document: str) -> tuple[list[ToolSpec], dict[str, list[Source]]]:
    """Return the tools of a document of the corpus, and the producers of their ids, as the index is built from them."""
    seen: list[tuple[list[ToolSpec], dict[str, list[Source]]]] = []

    def build(tools: Sequence[ToolSpec], definitions: Mapping[str, JsonObject], *_: object) -> NoReturn:
        composer = Composer(definitions, Budget(RUN, PART))
        seen.append(([*tools], producers.sources(tools, composer)))
        raise _Seen

    with patch("mcpgen.retrieval.build", build), suppress(_Seen):
        compile_source(fetch.read(str(CORPUS / document)), Options(tools="search"))
    return seen[0]


def measure() -> list[Verdict]:
    """Return what each id of the table gets."""
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
    """Shares: of producers that are right, and of ids with a producer that get a right one."""

    right: float
    found: float
    ids: int

    def __str__(self) -> str:
        return f"{self.ids} ids: {self.right:.0%} of the producers named are right, {self.found:.0%} of the ids get one"


def figures(verdicts: list[Verdict]) -> Figures:
    """Return the shares of all verdicts."""
    named = [each for each in verdicts if each.named]
    wanted = [each for each in verdicts if each.judged.right]
    right = sum(each.is_right for each in named) / len(named)
    found = sum(each.named in each.judged.right for each in wanted) / len(wanted)
    return Figures(right, found, len(verdicts))
