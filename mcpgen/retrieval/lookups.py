"""Add arguments that accept a name instead of an id, if exactly one other tool certainly finds the id by the name.

For example, a tool with `movie_id` also gets `movie`, and a call must give one of the two. A lookup is certain if
exactly one tool lists or searches items of the kind that the id identifies, such as movies. The document must describe
that its response has a name, and an id of the same type. The tool must not need arguments that the call lacks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import alike, alphanumeric, argument_name, distinct, words
from mcpgen.base.work import Budget
from mcpgen.lower.inputs.slots import LOOKUP, SERVER
from mcpgen.lower.schema.compose import PART, RUN, Composer, types
from mcpgen.lower.text.prose import ended, shortened
from mcpgen.lower.tool import listings
from mcpgen.model import Catalog, Lookup, ToolSpec
from mcpgen.model.pins import Pins, Slot
from mcpgen.retrieval import producers
from mcpgen.retrieval.producers import Source

_OF_PEOPLE = ("username", "login", "email", "nickname")
_ORIGINAL = ("originalname", "originaltitle", "filename", "headline")
_NAMES = ("name", "title", "displayname", "fullname", "label", "summary", "subject", *_OF_PEOPLE, *_ORIGINAL)
"""Names of members that contain the name of an item, without case and punctuation, the best first."""

_ABOUT = ("releasedate", "firstairdate", "year", "date", "email", "fullname", "type", "kind", "status", "state", "city")
"""Names of members that distinguish items with the same name, without case and punctuation."""

_QUERY = ("query", "q", "search", "searchterm", "searchquery", "term", "text", "keyword", "keywords")
_IDS = frozenset(["id", "uuid", "guid", "key"])
_MOST_NAMES = 4
_SCALARS = {"string", "integer"}


@dataclass(frozen=True, slots=True)
class Finder:
    """A tool that finds items: its argument for a name, the place of the items in its response, and the members of an
    item.
    """

    tool: ToolSpec
    query: str
    items: str
    members: Mapping[str, JsonObject]
    ranked: bool


# A lookup by the wrong tool could change the wrong item, so exactly one tool must find items of this kind
# (docs/decisions/search.md).
def add(catalog: Catalog, definitions: Mapping[str, JsonObject], promises: Pins, diagnostics: Diagnostics) -> Catalog:
    """Return `catalog`, all tools of a server, with an argument for an item's name beside arguments for ids. Only tools
    for which the project's owner has switched on `lookups` get such arguments.

    `definitions`: the named schemas to which schemas of responses refer. `promises`: names that earlier runs of mcpgen
    gave to arguments, which must not change.
    """
    if not any(tool.operation.decided.lookups for tool in catalog.tools):
        return catalog
    composer = Composer(definitions, Budget(RUN, PART))
    by_name = {tool.name: tool for tool in catalog.tools}
    sources = producers.sources(catalog.tools, composer)
    finders: dict[tuple[str, str], Finder | None] = {}
    tools = []
    for tool in catalog.tools:
        if not tool.operation.decided.lookups or tool.profile == "written":
            tools.append(tool)
            continue
        found: list[Lookup] = []
        pinned = promises.tools[tool.operation.key].arguments if tool.operation.key in promises.tools else {}
        for source in sources.get(tool.name, []):
            key = source.tool, source.noun
            if key not in finders:
                finders[key] = finder_of(by_name[source.tool], source, composer)
            finder = finders[key]
            lookup = None if finder is None else _lookup(tool, source, finder, pinned, found)
            found += [] if lookup is None else [lookup]
        tools.append(_with(tool, found) if found else tool)
    _report(tools, diagnostics)
    return replace(catalog, tools=tuple(tools))


def _report(tools: Sequence[ToolSpec], diagnostics: Diagnostics) -> None:
    """Report if no tool accepts a name in place of an id, although the project's owner has switched on `lookups` for
    all or for single tools.
    """
    wanted = [tool for tool in tools if tool.operation.decided.lookups]
    if not any(tool.binding.lookups for tool in wanted):
        for tool in wanted[:1]:
            message = (
                "No tool accepts names instead of ids, because mcpgen found no tool with which the server could look "
                "up an id by a name."
            )
            hint = "Declare the items' ids and names in the response schemas of operations that list or search items."
            diagnostics.add("no-lookup", message, tool.operation.where if len(wanted) == 1 else None, hint)


def finder_of(tool: ToolSpec, source: Source, composer: Composer) -> Finder | None:
    """Return what a lookup must know of `tool`, which finds items by name, or None if lookups cannot use the tool.

    Lookups cannot use a tool that may change data, asks the user, or searches items of all kinds. Nor can they use a
    tool whose result the project's owner rewrites, or whose items the document does not describe.
    """
    result = tool.operation.decided.result
    rewritten = result is not None and ("text" in result.rules or result.select is not None)
    if source.general or rewritten or not tool.annotations.read_only or tool.confirm != "never" or tool.questions:
        return None
    found = listings.of_answer(tool.operation, composer)
    if found is None:
        return None
    query = _query(tool, source.noun)
    plain = alphanumeric(next((wire for (_, wire), name in tool.arguments.items() if name == query), ""))
    return Finder(
        tool,
        query,
        found[0],
        listings.item_of(found[1], composer),
        ranked=plain in _QUERY,
    )


def _query(tool: ToolSpec, noun: str) -> str:
    """Return the argument in which a tool takes a search text, or "" if it has no such argument."""
    properties = as_object(tool.input_schema.get("properties"))
    texts = {
        alphanumeric(wire): name
        for (place, wire), name in tool.arguments.items()
        if place in ("query", "body")
        and types(as_object(properties.get(name))) == ["string"]
        and "enum" not in as_object(properties.get(name))
    }
    plain = alphanumeric(noun)
    return next((texts[each] for each in (*_QUERY, "name", f"{plain}name", "title", plain) if each in texts), "")


def _lookup(
    tool: ToolSpec, source: Source, finder: Finder, pinned: Mapping[Slot, str], found: Sequence[Lookup]
) -> Lookup | None:
    """Return the lookup (search by a name, with the tool of `finder`) of the id that `source` describes.

    Return None if the lookup is not certain; the module's docstring says when it is.
    """
    properties, required = as_object(tool.input_schema.get("properties")), as_list(tool.input_schema.get("required"))
    kinds = types(as_object(properties.get(source.argument)))
    given = given_of(tool, finder)
    members = finder.members
    value = value_of(source, members, kinds)
    names = _names(members, source.noun)
    if len(kinds) != 1 or kinds[0] not in _SCALARS or given is None or not value or not names or not source.noun:
        return None
    if _is_name(value, names):
        return None
    slot: Slot = (LOOKUP, source.wire)
    taken = {*properties, *tool.binding.also, *(each.argument for each in found)}
    folded = {alike(name) for name in taken}
    noun = argument_name(source.noun)
    ladder = [pinned.get(slot, ""), noun, f"{noun}_name", f"{noun}_by_name"]
    name = distinct((each for each in ladder if each and alike(each) not in folded), noun[:50], source.wire, taken)
    return Lookup(
        argument=name,
        id=source.argument,
        tool=finder.tool.name,
        query=finder.query,
        given=given,
        items=finder.items,
        value=value,
        names=names,
        about=_about(members, (value, names[0])),
        required=source.argument in required,
        ranked=finder.ranked,
    )


def _is_name(value: str, names: Sequence[str]) -> bool:
    """Return True if the id of an item is its name, so that no lookup is needed."""
    return value in names[:1]


def given_of(tool: ToolSpec, finder: Finder) -> dict[str, str] | None:
    """Return required argument of `finder`, the tool that finds items → argument of `tool` that gives its value. Return
    None if any required argument would have no value.
    """
    given: dict[str, str] = {}
    slots = {name: slot for slot, name in finder.tool.arguments.items()}
    for each in map(str, as_list(finder.tool.input_schema.get("required"))):
        if each == finder.query:
            continue
        slot = slots.get(each)
        ours = tool.arguments.get(slot) if slot is not None and slot[0] in ("path", SERVER) else None
        if ours is None:
            return None
        given[each] = ours
    return given


def value_of(source: Source, members: Mapping[str, JsonObject], kinds: Sequence[str]) -> str:
    """Return the name of the item's member that contains the id, or "" if no member certainly contains it.

    `source` describes the argument that needs the id. `kinds`: the types that this argument accepts.
    """
    said = words(source.wire)
    last = said[-1] if said and said[-1] in _IDS else "id"
    plain = {alphanumeric(name): name for name in members}
    for wanted in (alphanumeric(source.wire), alphanumeric(source.noun) + last, last):
        name = plain.get(wanted, "")
        if name and set(types(members[name])) & _SCALARS:
            same = set(types(members[name])) & set(kinds)
            return name if same or (list(kinds) == ["string"]) else ""
    return ""


def _names(members: Mapping[str, JsonObject], noun: str) -> tuple[str, ...]:
    """Return the properties in an item's schema that contain a name or title of the item, the best first.

    `members`: the schemas of all properties. `noun`: the kind of item, such as `movie`.
    """
    plain = {alphanumeric(name): name for name, node in members.items() if "string" in types(node)}
    own = (f"{alphanumeric(noun)}name", f"{alphanumeric(noun)}title")
    return tuple(plain[each] for each in dict.fromkeys((*own, *_NAMES)) if each in plain)[:_MOST_NAMES]


def _about(members: Mapping[str, JsonObject], told: Sequence[str]) -> str:
    """Return the name of a property that distinguishes items with the same name, or "" if there is none.

    `members`: the properties in the schema of an item. `told`: properties to leave out, since they are shown anyway.
    """
    plain = {alphanumeric(name): name for name, node in members.items() if _SCALARS & set(types(node))}
    return next((plain[each] for each in _ABOUT if each in plain and plain[each] not in told), "")


def _with(tool: ToolSpec, lookups: list[Lookup]) -> ToolSpec:
    """Return `tool` with an argument for a name after each id argument in `lookups`. The id is then no longer required,
    since a call may give the name instead.
    """
    schema = dict(tool.input_schema)
    before = as_object(schema["properties"])
    by_id = {each.id: each for each in lookups}
    required = [name for name in as_list(schema.get("required")) if name not in by_id]
    properties: dict[str, JsonValue] = {name: before[name] for name in before if name in required}
    for each in lookups:
        properties[each.id] = _described(as_object(before[each.id]), each)
        properties[each.argument] = _argument(each, tool)
    properties |= {name: before[name] for name in before if name not in properties}
    schema["properties"] = properties
    schema["required"] = required
    if not required:
        del schema["required"]
    wires = {name: wire for (_, wire), name in tool.arguments.items()}
    slots: dict[Slot, str] = {(LOOKUP, wires[each.id]): each.argument for each in lookups}
    return replace(
        tool,
        input_schema=schema,
        binding=replace(tool.binding, lookups=tuple(lookups)),
        arguments={**tool.arguments, **slots},
    )


def _described(schema: JsonObject, lookup: Lookup) -> JsonObject:
    """Return the schema of an id argument. Its description now also says that a name may be given instead."""
    said = as_text(schema.get("description"))
    note = f"Or give {lookup.argument}."
    return {**schema, "description": f"{ended(said)} {note}" if said else note}


def _argument(lookup: Lookup, tool: ToolSpec) -> JsonObject:
    """Return the schema of the argument that accepts a name instead of an id."""
    count = "exactly" if lookup.required else "at most"
    exact = "exact " if not (tool.annotations.read_only and lookup.ranked) else ""
    text = (
        f"The {exact}{lookup.names[0]}, in place of {lookup.id}: {lookup.tool} finds the id. Give {count} one of the "
        "two."
    )
    return {"type": "string", "description": shortened(text, 200)}
