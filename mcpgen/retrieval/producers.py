"""Find the tools that return the ids which other tools need (producers), so that a search shows these tools too.

Each id identifies a kind of item, its noun. The producer of an id in a path is the search for its noun (`/search/movie`
for `/movie/{movie_id}`), else the list of its noun (`/teams` for `/teams/{id}`), else a search of everything
(`/search`). The producer of an id in a query or body (`team_id`) is the search or the only list of its noun, or the
producer of a path variable of the same name. The producer must not need ids, except those that the consumer needs too.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.base.names import words
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.tool import id_sources, listings
from mcpgen.model import ToolSpec
from mcpgen.naming.verbs import singular

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_IDS = frozenset(["id", "ids", "uuid", "uuids", "key"])
_VAGUE = frozenset(["item", "key", "object", "record", "resource", "parent", "external", "client", "request"])
_ASIDE = frozenset(["selected"])
"""Words before a noun that do not change which kind of item it means."""

MOST = 2
"""Limit on the producers that a search shows for one tool."""

Sources = dict[str, list[tuple[str, str]]]
"""Tool → its id arguments, each with the tool that produces the id."""


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of the id in an argument.

    `wire`: the name of the argument in the request. `tool`: the tool that returns the id. `noun`: the kind of item that
    the id identifies. `general`: the tool searches items of every kind. `in_path`: the argument is in the path.
    """

    argument: str
    wire: str
    tool: str
    noun: str
    general: bool = False
    in_path: bool = False


def find(tools: Iterable[ToolSpec], composer: Composer) -> Sources:
    """Return tool → its producers (tools that return the ids that it needs), at most MOST for each tool that has any.

    If there are producers of ids in the tool's path, only these are returned; else producers of ids in other arguments.
    """
    found: Sources = {}
    for name, pairs in sources(tools, composer).items():
        shown = [each for each in pairs if each.in_path][-MOST:] or pairs[:MOST]
        found[name] = [(each.argument, each.tool) for each in shown]
    return found


def sources(tools: Iterable[ToolSpec], composer: Composer) -> dict[str, list[Source]]:
    """Return tool → the sources of the ids that it needs: which tools return them. Ids in its path come first, in the
    order of the path.

    `composer` resolves the schemas of responses.
    """
    known = _Known([tool for tool in tools if not tool.operation.deprecated], composer)
    found = {tool.name: in_path for tool in known.tools if (in_path := _of_path(tool, known))}
    same = _same_everywhere(found, known)
    for tool in known.tools:
        pairs = found.get(tool.name, [])
        taken = {each.argument for each in pairs}
        more = [each for each in _beside_path(tool, known, same) if each.argument not in taken]
        if more:
            found[tool.name] = [*pairs, *more]
    return found


class _Known:
    """Tools that may return ids, indexed by the noun of the items that they list or search."""

    def __init__(self, tools: list[ToolSpec], composer: Composer) -> None:
        self.tools = tools
        self.by_key = {tool.operation.key: tool for tool in tools}
        self.by_name = {tool.name: tool for tool in tools}
        self.listed = id_sources.find([tool.operation for tool in tools], self.by_key)
        self.searches, self.general = _searches(tools)
        self.calls = _calls(tools)
        self._gets = {(tool.operation.document, _blank(tool.operation.path)): tool for tool in tools if _gets(tool)}
        self._composer = composer

    def listing(self, tool: ToolSpec, wire: str) -> ToolSpec | None:
        """Return the tool that lists the values of a parameter, or None."""
        return self.by_key.get(self.listed.parameters[tool.operation.key].get(wire, ""))

    def at(self, tool: ToolSpec, path: str) -> ToolSpec | None:
        """Return the tool whose operation is a GET of `path` in the document of `tool` and returns a list, or None."""
        found = self._gets.get((tool.operation.document, _blank(path.rstrip("/"))))
        is_list = found is not None and listings.of_answer(found.operation, self._composer) is not None
        return found if is_list else None

    def of_noun(self, tool: ToolSpec, said: list[str]) -> ToolSpec | None:
        """Return the only tool that lists or searches the kind of item that the words `said` name, or None."""
        noun = "_".join([*said[:-1], singular(said[-1])])
        listing = self.listed.nouns.get((tool.operation.document, noun))
        return self.searches.get(noun) or (self.by_key.get(listing.key) if listing else None)


def _of_path(tool: ToolSpec, known: _Known) -> list[Source]:
    """Return the sources of the ids that a tool takes in its path: which other tools return them."""
    path = tool.operation.path
    names = {wire: argument for (place, wire), argument in tool.arguments.items() if place == "path"}
    wanted = [each for each in _VARIABLE.finditer(path) if each[1] in names]
    found = []
    for variable in wanted:
        noun, before = _noun(path[: variable.start()], variable[1]), path[: variable.start()]
        is_whole = before.endswith("/") and not before.endswith("}/") and path[variable.end() :][:1] in ("", "/")
        listing = known.listing(tool, variable[1]) or (known.at(tool, before) if is_whole and noun else None)
        by_all = known.general if variable is wanted[-1] and is_id(variable[1]) else None
        source = known.searches.get(noun) or listing or by_all
        if source is not None and source is not tool and _can_be_called(source, tool):
            everything = source is by_all and source is not listing
            found.append(Source(names[variable[1]], variable[1], source.name, noun, everything, in_path=True))
    return found


def _same_everywhere(found: Mapping[str, list[Source]], known: _Known) -> dict[tuple[str, str], Source]:
    """Return (document, path variable) → the source of the variable's ids.

    A variable is left out if one tool returns its ids for one URL path, and another tool for another URL path. A tool
    that searches items of every kind does not count as a source. `found`: tool → the sources of the ids in its path.
    """
    seen: dict[tuple[str, str], dict[str, Source]] = {}
    for name, pairs in found.items():
        for each in pairs:
            if not each.general:
                seen.setdefault((known.by_name[name].operation.document, each.wire), {})[each.tool] = each
    return {key: next(iter(by.values())) for key, by in seen.items() if len(by) == 1}


def _beside_path(tool: ToolSpec, known: _Known, same: Mapping[tuple[str, str], Source]) -> list[Source]:
    """Return the sources of the ids that a tool takes in its query and body: which other tools return them."""
    properties = as_object(tool.input_schema.get("properties"))
    pairs = []
    for (place, wire), argument in tool.arguments.items():
        if place not in ("query", "body") or not _takes_id(as_object(properties.get(argument))):
            continue
        found = _of_word(tool, wire, argument, known, same)
        producer = None if found is None else known.by_name[found.tool]
        if found is None or producer is None or producer is tool or _is_own(place, tool, producer):
            continue
        if _can_be_called(producer, tool):
            pairs.append(found)
    return pairs


def _of_word(
    tool: ToolSpec, wire: str, argument: str, known: _Known, same: Mapping[tuple[str, str], Source]
) -> Source | None:
    """Return the tool from which an argument's ids come, found by the argument's name: `team_id`, `customer`, or the
    `ids` of items to delete. `same`: results for path variables, which also hold for arguments of the same name.
    """
    said = words(wire)
    is_id = bool(said) and said[-1] in _IDS
    noun = [each for each in said[:-1] if each not in _ASIDE] if is_id else said
    name = "_".join([*noun[:-1], singular(noun[-1])]) if noun else ""
    known_by = same.get((tool.operation.document, wire))
    if is_id and noun and name not in _VAGUE and (source := known.listing(tool, wire) or known.of_noun(tool, noun)):
        return Source(argument, wire, (known.searches.get(name) or source).name, name)
    if known_by is not None and noun and (is_id or known_by.noun == name):
        return Source(argument, wire, known_by.tool, known_by.noun)
    if name and name not in _VAGUE and (source := known.calls.get((tool.operation.document, name))) is not None:
        return Source(argument, wire, source.name, name)
    if is_id and not noun and tool.operation.method == "DELETE":
        source = known.at(tool, tool.operation.path)
        return None if source is None else Source(argument, wire, source.name, _noun(f"{tool.operation.path}/", ""))
    return None


def _is_own(place: str, tool: ToolSpec, producer: ToolSpec) -> bool:
    """Return True if an id in the body counts as one that the caller chooses for a new item.

    This is so if `tool`, which takes the id, and `producer`, which returns it, have the same path, and `tool` is not a
    DELETE. Return False for an id that is not in the body.
    """
    own = tool.operation.path.rstrip("/") == producer.operation.path.rstrip("/")
    return place == "body" and own and tool.operation.method != "DELETE"


def _takes_id(schema: JsonObject) -> bool:
    """Return True if the schema of an argument allows an id, or a list of ids."""
    node = as_object(schema.get("items")) if schema.get("type") == "array" else schema
    open_ = not node.keys() & {"enum", "const"} and not str(node.get("format")).startswith("date")
    return open_ and node.get("type") in ("string", "integer")


def _calls(tools: list[ToolSpec]) -> dict[tuple[str, str], ToolSpec]:
    """Return (document, noun) → the tool that lists such items by a path such as `/users.list`, if exactly one does."""
    found: dict[tuple[str, str], list[ToolSpec]] = {}
    for tool in tools:
        last = tool.operation.path.rpartition("/")[2]
        said = words(last.removesuffix(".list"))
        if last.endswith(".list") and last.count(".") == 1 and said and tool.annotations.read_only:
            noun = "_".join([*said[:-1], singular(said[-1])])
            found.setdefault((tool.operation.document, noun), []).append(tool)
    return {key: each[0] for key, each in found.items() if len(each) == 1}


def _gets(tool: ToolSpec) -> bool:
    return tool.operation.method == "GET" and tool.annotations.read_only


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path)


def needed(sources: Mapping[str, list[tuple[str, str]]]) -> list[str]:
    """Return the tools that return ids for other tools, beginning with the one that most tools need."""
    counts: dict[str, int] = {}
    for pairs in sources.values():
        for _, name in pairs:
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], name))


def _searches(tools: list[ToolSpec]) -> tuple[dict[str, ToolSpec], ToolSpec | None]:
    """Return noun → the tool that searches for items of this kind. Also return the tool that searches everything, or
    None if there is no such tool.
    """
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
    """Return the singular noun of the items that an id variable identifies: the noun of the segment before it."""
    segment = before.rstrip("/").rpartition("/")[2]
    said = words(segment) if "{" not in segment else words(variable)[:-1]
    return "_".join([*said[:-1], singular(said[-1])]) if said else ""


def is_id(name: str) -> bool:
    """Return True if the name of a parameter or member says that the value is an id, or several."""
    return (words(name) or [""])[-1] in ("id", "ids", "key", "uuid")


def _can_be_called(source: ToolSpec, tool: ToolSpec) -> bool:
    """Return True if the path of `tool` contains every variable of the path of `source`."""
    own = set(_VARIABLE.findall(source.operation.path))
    return own <= set(_VARIABLE.findall(tool.operation.path))
