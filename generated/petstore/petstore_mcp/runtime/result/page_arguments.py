# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the arguments of a tool that select a page of a list, or a smaller part of the response. Pure functions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import NotJSON, loads
from ..text.folded_names import alphanumeric

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.catalog import Tool
    from ..http.exchange import Sent
    from ..tables.table import Field

# Patterns for normalized names (`alphanumeric`) of arguments that select a page, or the fields to return
SIZE = re.compile(
    r"(page)?(limit|size|perpage|count|maxresults|maxitems|top|first|pagesize|rows|take|max)"
    r"|(items|results|records)perpage"
)
NUMBER = re.compile(r"(current)?page|page(number|no|num|index)")
OFFSET = re.compile(r"offset|skip|start|startindex|startat|from")
CURSOR = re.compile(
    r"(page|next|start|after)?cursor|(next|page|nextpage|continuation|pagination)token|marker|continuation"
    r"|(start(ing)?)?after|scrollid|exclusivestartkey"
)
_OFFSETS = ("offset", "skip")
FIELDS = re.compile(r"fields?|select|include(fields)?|fl|attributes|only")

# Words of descriptions that say which number the first page has. Few calls need these patterns, so `re` compiles them
# at their first use.
_FIRST = {
    number: (
        rf"\b(?:{word})[ -]?(?:based|indexed)\b"
        rf"|\b(?:start|begin|count|number|index)\w*\s(?:\w+\s){{0,2}}?(?:at|from|with)\s(?:page\s)?(?:{word})\b"
        rf"|\b(?:{word})\s*(?:=|:|is|means|for|->)\s*(?:the\s)?first"
        rf"|\bfirst\s(?:page|item|result|record)\s?(?:is|has|=|:)\s?(?:(?:page|number|index|at)\s){{0,3}}(?:{word})\b"
        rf"|\bdefaults?\s?(?:value\s)?(?:is\s|to\s|[:=]\s?)?(?:{word})\b"
        rf"|\b{number}\s?(?:\.\.+|\u2026|-|\u2013|to)\s?N\b"
    )
    for number, word in ((0, "0|zero"), (1, "1|one"))
}

MOST_DIGITS = 18


def is_paged(tool: Tool) -> bool:
    """Return whether the tool has a paging argument, such as a page number, an offset or a cursor."""
    if tool.paged is None:
        tool.paged = any(argument_of(tool, kind) for kind in (CURSOR, NUMBER, OFFSET))
    return tool.paged


def narrower(tool: Tool, items: int = 0) -> str:
    """Return a sentence on how to call the tool for a smaller response; "" if no argument can do that.

    `items` is how many items of the list can be shown, or 0 if there is no list.
    """
    ways = []
    if size := argument_of(tool, SIZE):
        ways.append(f"{size}={items}" if items else f"a smaller {size}")
    if page := argument_of(tool, NUMBER) or argument_of(tool, OFFSET):
        ways.append(f"the next {page}")
    if fields := argument_of(tool, FIELDS) or tool.binding.get("fields", ""):
        ways.append(f"fewer {fields}" if fields.endswith("s") else f"a shorter {fields}")
    if ways:
        return f"To see more, call again with {', '.join(ways)}."
    return "To see more, narrow the call by its other arguments." if names_in_request(tool) else ""


def argument_of(tool: Tool, kind: re.Pattern[str]) -> str:
    """Return the name of the argument whose name in the request matches the pattern `kind`, or ""."""
    return next((argument for argument, name in names_in_request(tool) if kind.fullmatch(alphanumeric(name))), "")


def kind_of(tool: Tool, argument: str) -> re.Pattern[str] | None:
    """Return the pattern that an argument's name matches: cursor, page number or offset; None if it matches no
    pattern.
    """
    return next((kind for kind in (CURSOR, NUMBER, OFFSET) if argument_of(tool, kind) == argument), None)


def names_in_request(tool: Tool) -> list[tuple[str, str]]:
    """Return the arguments that may select a page, each with its name in the request.

    These are the arguments in the query, and cursors in the body. Of a body with the number and the size of a page, and
    of a tool that fetches all pages, which only reads, they are all members.
    """
    bound: list[Any] = [*tool.binding.get("query", ())]
    for field in (fields := tool.binding.get("body", {}).get("fields", ())):
        if "pages" in tool.binding or CURSOR.fullmatch(alphanumeric(field["name"])) or _selects_pages(fields):
            bound.append(field)
    return [(each["argument"], each["name"]) for each in bound if isinstance(each, dict) and each.get("argument")]


def _selects_pages(fields: Iterable[Field]) -> bool:
    names = [alphanumeric(each["name"]) for each in fields]
    return any(map(SIZE.fullmatch, names)) and any(NUMBER.fullmatch(name) or name in _OFFSETS for name in names)


def schema_of(tool: Tool, argument: str) -> dict[str, Any]:
    """Return the schema of an argument; {} if it has none."""
    found = tool.schema.get("properties", {}).get(argument)
    return found if isinstance(found, dict) else {}


def described_first(tool: Tool, argument: str) -> int | None:
    """Return the number of the first page, or the offset of the first item, by the schema of the argument: 0 or 1.

    Return None if the schema does not say it.
    """
    schema = schema_of(tool, argument)
    for key in ("default", "minimum"):
        if type(schema.get(key)) is int and schema[key] in (0, 1):
            return int(schema[key])
    words = str(schema.get("description", ""))
    return next((number for number, said in _FIRST.items() if re.search(said, words, re.IGNORECASE)), None)


def number_in(sent: Sent, argument: str) -> int | None:
    """Return the number that the call sent for an argument, else the argument's default, else None."""
    value = sent.arguments.get(argument, schema_of(sent.tool, argument).get("default"))
    if isinstance(value, str) and value.isdecimal() and len(value) <= MOST_DIGITS:
        return int(value)
    return value if type(value) is int else None


def as_json(tool: Tool, argument: str, value: str | int) -> str:
    """Return a value as JSON, as it appears in the arguments of a call."""
    if isinstance(value, int):
        return str(value)
    kind = schema_of(tool, argument).get("type")
    return value if kind in ("integer", "number", "boolean") else json.dumps(value, ensure_ascii=False)


def typed(tool: Tool, argument: str, value: str | int) -> Any:
    """Return a value converted to the type of the tool's argument `argument`, or unchanged if that is not possible."""
    if isinstance(value, int):
        return str(value) if schema_of(tool, argument).get("type") == "string" else value
    try:
        return loads(as_json(tool, argument, value))[0]
    except NotJSON:
        return value


def in_query(value: Any) -> str:
    """Return a value as text, as written in a query string without percent-encoding."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
