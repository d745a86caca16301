"""Measure names of tools: legal, unique, faithful to the document, and independent of other operations."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.bars import Bar
from benchmarks.surface import documents
from benchmarks.surface.documents import Request, Surface, Tool
from benchmarks.surface.words import strangers
from mcpgen.base.errors import FatalError
from mcpgen.read import fetch
from tests.requests.raw import Files

SHUFFLES = 5
REMOVED = 0.2
LEGAL = re.compile(r"(?!.*__)[a-z][a-z0-9_]{0,49}")


@dataclass(frozen=True, slots=True)
class Row:
    """Results of one document.

    `moved`: names that change if the keys of the document's objects are shuffled. `survivors`: operations left if a
    fifth is removed. `renamed`: names that change among these.
    """

    name: str
    tools: int
    legal: int
    faithful: int
    moved: int
    survivors: int
    renamed: int
    examples: tuple[str, ...]


def measure(surface: Surface) -> Row:
    """Return the results of checking the tool names of one document."""
    counts = Counter(tool.name.casefold() for tool in surface.tools)
    legal = [tool for tool in surface.tools if LEGAL.fullmatch(tool.name) and counts[tool.name.casefold()] == 1]
    found = [(tool, strangers(tool.name, _said(surface, tool))) for tool in surface.tools]
    examples = [f"{tool.called}  not said: {', '.join(words)}" for tool, words in found if words]
    examples += [f"{tool.called}  not legal or not unique" for tool in surface.tools if tool not in legal]
    moved, survivors, renamed, changes = _stability(surface)
    return Row(
        surface.name,
        len(surface.tools),
        len(legal),
        sum(not words for _, words in found),
        moved,
        survivors,
        renamed,
        (*changes, *examples),
    )


def _said(surface: Surface, tool: Tool) -> Iterable[str]:
    """Return the texts in the document that describe an operation. The path `/` counts as the word `root`."""
    operation, path = tool.operation, tool.request[1]
    tags = [tag for tag in operation["tags"].value or [] if isinstance(tag, str)]
    return [operation.text("operationId"), path if path.strip("/") else "root", operation.text("summary"), *tags]


def _stability(surface: Surface) -> tuple[int, int, int, list[str]]:
    """Return three numbers, and each changed name as a text.

    The numbers are: names that change if the keys of the document's objects are shuffled; operations left if a fifth
    is removed; and names that change among the operations left.
    """
    value = Files().load(surface.path)
    before = {tool.request: tool.name for tool in surface.tools}
    changes: list[str] = []
    moved: set[Request] = set()
    for seed in range(SHUFFLES):
        after = _names(surface, _shuffled(value, random.Random(seed)))
        moved |= {request for request in before if after.get(request) != before[request]}
        changes += [_change("shuffled", request, before, after) for request in before.keys() & moved]
    after = _names(surface, _thinned(value, random.Random(surface.name)))
    renamed = {request for request in after if after[request] != before.get(request)}
    changes += [_change("thinned", request, before, after) for request in sorted(renamed)]
    return len(moved), len(after), len(renamed), list(dict.fromkeys(changes))


def _names(surface: Surface, value: Any) -> dict[Request, str]:
    """Compile `value` in place of the document of `surface`. Return a mapping from each request (method and path) to
    the name of its tool, or {} if no project can be generated.
    """
    fetched = replace(fetch.read(str(surface.path)), data=json.dumps(value).encode())
    try:
        return documents.names(fetched)
    except FatalError:
        return {}


def _change(how: str, request: Request, before: dict[Request, str], after: dict[Request, str]) -> str:
    return f"{how}: {' '.join(request)} was {before.get(request)}, is {after.get(request)}"


def _shuffled(value: Any, chance: random.Random) -> Any:
    """Return `value` with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: _shuffled(value[key], chance) for key in keys}
    return [_shuffled(member, chance) for member in value] if isinstance(value, list) else value


def _thinned(value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return `value` without a fifth of its operations."""
    methods = {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}
    every = [(path, key) for path, item in value["paths"].items() for key in item if key in methods]
    gone = set(chance.sample(every, round(len(every) * REMOVED)))
    kept = {
        path: {key: member for key, member in item.items() if (path, key) not in gone}
        for path, item in value["paths"].items()
    }
    return {**value, "paths": kept}


def show(rows: list[Row], examples: int) -> list[Bar]:
    """Print the table, the worst document first. Return each overall result with its upper or lower limit."""
    print(f"\n{'names':52} {'tools':>6} {'legal':>7} {'faithful':>9} {'moved':>6} {'renamed':>8}")
    for row in sorted(rows, key=lambda row: row.faithful / row.tools):
        print(
            f"{row.name[-52:]:52} {row.tools:6,} {_share(row.legal, row.tools):7.1f} "
            f"{_share(row.faithful, row.tools):9.1f} {row.moved:6} {row.renamed:4}/{row.survivors}"
        )
        for example in row.examples[:examples]:
            print(f"    {example}")
    tools, survivors = sum(row.tools for row in rows), sum(row.survivors for row in rows)
    macro = sum(_share(row.faithful, row.tools) for row in rows) / len(rows)
    return [
        Bar("per cent of names that are legal and unique", _share(sum(row.legal for row in rows), tools), ">=", 100),
        Bar("per cent of names faithful, mean over documents", macro, ">=", 97),
        Bar("per cent of names faithful, over all tools", _share(sum(row.faithful for row in rows), tools), ">=", 88),
        Bar(f"names changed by {SHUFFLES} shuffles", sum(row.moved for row in rows), "<=", 0),
        Bar(
            "per cent of names changed by removing a fifth", _share(sum(r.renamed for r in rows), survivors), "<=", 0.3
        ),
    ]


def _share(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
