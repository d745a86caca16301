"""Find the tools that produce the ids which other tools need, so that a search shows both.

An id in a path comes from the search of its noun (`/search/movie` for `/movie/{movie_id}`), else from the list of its
noun (`/teams` for `/teams/{id}`), else from a search of everything (`/search`). The producer may need no ids of its own
but those that the consumer needs too.
"""

import re
from collections.abc import Iterable, Mapping

from mcpgen.base.names import words
from mcpgen.lower.tool import id_sources
from mcpgen.model import ToolSpec
from mcpgen.naming.inflection import singular

_VARIABLE = re.compile(r"\{([^{}]*)\}")
MOST = 2
"""Limit on the producers of one tool."""

Sources = dict[str, list[tuple[str, str]]]
"""Tool → its id arguments, each with the tool that produces the id."""


def find(tools: Iterable[ToolSpec]) -> Sources:
    """Return the producers of each tool that has any."""
    tools = [tool for tool in tools if not tool.operation.deprecated]
    by_key = {tool.operation.key: tool for tool in tools}
    listed = id_sources.find([tool.operation for tool in tools], by_key)
    searches, general = _searches(tools)
    found: Sources = {}
    for tool in tools:
        names = {wire: argument for (place, wire), argument in tool.arguments.items() if place in ("path", "query")}
        wanted = [each for each in _VARIABLE.finditer(tool.operation.path) if each[1] in names]
        pairs = []
        for variable in wanted:
            noun = _noun(tool.operation.path[: variable.start()], variable[1])
            listing = by_key.get(listed.parameters[tool.operation.key].get(variable[1], ""))
            is_last = variable is wanted[-1]
            source = searches.get(noun) or listing or (general if is_last and _is_id(variable[1]) else None)
            if source is not None and source is not tool and _can_be_called(source, tool):
                pairs.append((names[variable[1]], source.name))
        for wire, key in listed.parameters[tool.operation.key].items():
            if key in by_key and wire in names and all(names[wire] != each for each, _ in pairs):
                pairs.append((names[wire], by_key[key].name))
        if pairs:
            found[tool.name] = pairs[-MOST:]
    return found


def needed(sources: Mapping[str, list[tuple[str, str]]]) -> list[str]:
    """Return the producers, those that most tools need first."""
    counts: dict[str, int] = {}
    for pairs in sources.values():
        for _, name in pairs:
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], name))


def _searches(tools: list[ToolSpec]) -> tuple[dict[str, ToolSpec], ToolSpec | None]:
    """Return noun → the tool that searches such items, and the tool that searches everything, if there is one."""
    found: dict[str, ToolSpec] = {}
    general = []
    for tool in tools:
        segments = [each for each in tool.operation.path.split("/") if each]
        if not tool.annotations.read_only or "search" not in segments[-2:]:
            continue
        noun = segments[-1] if segments[-2:-1] == ["search"] else segments[-2] if len(segments) > 1 else ""
        said = words(noun)
        if segments[-1:] == ["search"] and (len(segments) == 1 or not said or re.fullmatch(r"v?\d+", noun)):
            general.append(tool)
        elif said and "{" not in noun:
            found.setdefault("_".join([*said[:-1], singular(said[-1])]), tool)
    return found, general[0] if len(general) == 1 else None


def _noun(before: str, variable: str) -> str:
    """Return the singular noun that an id names: that of the segment before it."""
    segment = before.rstrip("/").rpartition("/")[2]
    said = words(segment) if "{" not in segment else words(variable)[:-1]
    return "_".join([*said[:-1], singular(said[-1])]) if said else ""


def _is_id(name: str) -> bool:
    return (words(name) or [""])[-1] in ("id", "ids", "key", "uuid")


def _can_be_called(source: ToolSpec, tool: ToolSpec) -> bool:
    """Return True if the path of `source` needs no ids but those that `tool` needs too."""
    own = set(_VARIABLE.findall(source.operation.path))
    return own <= set(_VARIABLE.findall(tool.operation.path))
