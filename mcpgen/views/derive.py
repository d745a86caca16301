"""Choose a view for each tool: a table for lists, a card for one item, a form for calls whose response says nothing.

A view comes from the schema of the successful response, and from what the project's owner decided (`view`). A view of a
tool that changes something names the tool that reads the same path, so that people see the state before the call.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.work import Budget, Exhausted
from mcpgen.lower.schema.compose import PART, RUN, Composer
from mcpgen.lower.tool import listings
from mcpgen.model import Catalog, ToolSpec
from mcpgen.views import columns

_VARIABLE = re.compile(r"\{[^{}]*\}")
NONE = "none"
"""Kind of view of a tool that has none."""

_Readers = Mapping[tuple[str, str], ToolSpec]
"""Document and path, without the names of variables → the tool that reads this path."""


def with_views(catalog: Catalog, definitions: Mapping[str, JsonObject], wanted: bool) -> Catalog:
    """Return `catalog` with a view for each tool: if `wanted`, or if the project's owner decided on the tool's view.

    `definitions`: the named schemas to which schemas of responses refer.
    """
    if not wanted and all(tool.operation.decided.view is None for tool in catalog.tools):
        return catalog
    composer = Composer(definitions, Budget(RUN, PART))
    readers = {_place(tool): tool for tool in reversed(catalog.tools) if _reads(tool)}
    tools = tuple(replace(tool, view=_view(tool, readers, composer, wanted=wanted)) for tool in catalog.tools)
    return replace(catalog, tools=tools)


def _view(tool: ToolSpec, readers: _Readers, composer: Composer, *, wanted: bool) -> JsonObject | None:
    """Return the view of a tool as `bindings.json` has it, or None if the tool has none."""
    decided = tool.operation.decided.view
    if (decided is None and not wanted) or (decided or {}).get("kind") == NONE:
        return None
    decided = decided or {}
    kind, items, members = _shape(tool, composer)
    view: JsonObject = {"kind": decided.get("kind", kind)}
    if "title" in decided:
        view["title"] = decided["title"]
    if items:
        view["items"] = items
    most = columns.MOST_IN_TABLE if view["kind"] == "table" else columns.MOST_IN_CARD
    names = [str(each) for each in as_list(decided.get("columns"))]
    found = columns.named(names, members, composer) if names else columns.chosen(members, composer, most)
    if found:
        view["columns"] = found
    if before := _before(tool, readers):
        view["before"] = before
    return view


def _shape(tool: ToolSpec, composer: Composer) -> tuple[str, str, dict[str, JsonObject]]:
    """Return the kind of view for a tool's results, the place of the list or object, and the members of an item.

    The place is "" for the whole response, and if the document does not say it: the application then searches it.
    """
    schema, rules = listings.described(tool.operation), tool.operation.decided.result
    if schema is None or (rules is not None and (rules.select is not None or rules.replaces)):
        return "card" if tool.annotations.read_only or schema is not None else "form", "", {}
    try:
        if (found := listings.of_answer(tool.operation, composer)) is not None:
            place, item = found
            if not place or not columns.is_one(listings.item_of(schema, composer)):
                return "table", place, listings.item_of(item, composer)
        return "card", *columns.object_in(schema, composer)
    except (SkipOperation, Exhausted, RecursionError):
        return "card", "", {}


def _before(tool: ToolSpec, readers: _Readers) -> JsonObject:
    """Return the tool that reads what a call changes, with its arguments; {} if there is none."""
    reader = readers.get(_place(tool))
    if tool.annotations.read_only or reader is None or "{" not in tool.operation.path:
        return {}
    ours = dict(enumerate(_in_path(tool)))
    arguments: JsonObject = {name: ours[index] for index, name in enumerate(_in_path(reader)) if index in ours}
    needed = {*map(str, as_list(as_object(reader.input_schema).get("required")))}
    return {"tool": reader.name, "arguments": arguments} if arguments and needed <= arguments.keys() else {}


def _in_path(tool: ToolSpec) -> list[str]:
    """Return the names of the arguments in the path of a tool, in their order."""
    parts = (part for part in tool.binding.path if not isinstance(part, str))
    return [part.argument for part in parts if part.argument is not None]


def _reads(tool: ToolSpec) -> bool:
    return tool.operation.method == "GET" and tool.annotations.read_only and tool.confirm == "never"


def _place(tool: ToolSpec) -> tuple[str, str]:
    return tool.operation.document, _VARIABLE.sub("{}", tool.operation.path)
