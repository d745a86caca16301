# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Look up ids if a call gives names in their place, for tools whose entry in `bindings.json` has `lookups`.

A lookup is an inner call of the tool that lists or finds such items. The ids found are part of the result, and of the
question to a user who has to confirm the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..calls.plain_call import CallUnderWay, unheard
from ..core import spans
from ..core.jsonrpc import NotJSON, loads
from ..inner_calls import inner_calls
from ..request.argument_errors import Problem, Refused
from ..result import response
from ..result.response import TEXT
from ..settings.settings import NotReady
from ..text.sanitize import brief
from .named_items import NotFound, chosen, items_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..core.wire_formats import Result
    from ..tables.table import Lookup, Pages
    from .named_items import Item

    Look = Callable[[Lookup, dict[str, Any], "WholeAnswer"], Awaitable[Result]]

LONGEST_ERROR = 1000


class WholeAnswer:
    """Instruction for an inner call (one that this server makes itself) to return a whole list, up to the page limits.

    `pages`: rule for fetching all pages of the list, or None for the first page only. `part`: "" if the inner call's
    result has the whole list, else which part of the list it has.
    """

    __slots__ = ("pages", "part")

    def __init__(self, pages: Pages | None) -> None:
        self.pages = pages
        self.part = ""


class Found:
    """An id that was looked up for a name.

    `name` and `id`: the argument that takes a name, and the argument that takes the id. `item`: the item found.
    `others`: a remark on similar items, or "". `value`: the id.
    """

    __slots__ = ("id", "item", "name", "others", "value")

    def __init__(self, lookup: Lookup, item: Item, others: str) -> None:
        self.name = lookup["argument"]
        self.id = lookup["id"]
        self.item = item
        self.others = others
        self.value: str | int = item.id

    def __str__(self) -> str:
        return f"{self.name}: {self.item}" + (f" ({self.others})" if self.others else "")


def look_up(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that finds the ids of items that the arguments name, and puts them in place of the names.

    It raises NotReady if there is no item of a given name.
    """

    async def step(call: CallUnderWay) -> None:
        async def look(lookup: Lookup, arguments: dict[str, Any], whole: WholeAnswer) -> Result:
            return await _look(services, call, lookup, arguments, whole)

        check(tool, call.arguments)
        call.arguments, found = await resolve(tool, call.arguments, services.catalog.writes(tool.name), look)
        if found:
            call.arguments = services.preparation.verified(tool, call.arguments, call.budget)
            call.given = shown(call.given, found) if call.given else {}
            call.found = found

    return step


async def _look(
    services: Services, call: CallUnderWay, lookup: Lookup, arguments: dict[str, Any], whole: WholeAnswer
) -> Result:
    """Call the tool that `lookup` names, to find the id for a name, and return its result.

    The result contains at most LARGEST_PARSED bytes of the response. `whole` says whether to fetch all pages of the
    list in which the id is searched. If the result lacks a part of the list, set `whole.part`.
    """
    inner: CallUnderWay | None = None

    async def made() -> Result:
        nonlocal inner
        plan = services.calls.plan(lookup["tool"])
        inner = CallUnderWay(plan.tool, arguments, unheard, call.dialogue, call.ask, plan.budget())
        inner.whole, inner.shown = whole, response.LARGEST_PARSED
        return await services.calls.run(inner)

    record = services.lasting.record
    result = await inner_calls.made(lookup["tool"], arguments, made, services.catalog, record, call.dialogue)
    if inner is not None and inner.cut:
        whole.part = whole.part or "the beginning of its answer"
    return result


def tell(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that adds the items found to the result."""

    def step(call: CallUnderWay) -> None:
        if call.found and call.result is not None:
            call.result = told(call.result, call.found)

    return step


def check(tool: Tool, arguments: dict[str, Any]) -> None:
    """Raise Refused if a call gives both a name and its id, an empty name, or neither although one is required."""
    problems = []
    for lookup in tool.binding.get("lookups", ()):
        name, number = lookup["argument"], lookup["id"]
        if name in arguments and number in arguments:
            problems.append(Problem(name, f"is given beside {number}; give one of the two"))
        elif "required" in lookup and name not in arguments and number not in arguments:
            problems.append(Problem(number, f"is required, or {name} in its place"))
        elif not str(arguments.get(name, "-")).strip():
            problems.append(Problem(name, f"is empty; give a name, or {number} in its place"))
    if problems:
        raise Refused(*problems)


def given(tool: Tool, arguments: dict[str, Any]) -> list[Lookup]:
    """Return the `lookups` rules for which `arguments` has a name instead of an id, in the order of `bindings.json`."""
    return [lookup for lookup in tool.binding.get("lookups", ()) if lookup["argument"] in arguments]


async def resolve(
    tool: Tool, arguments: dict[str, Any], writes: bool, look: Look
) -> tuple[dict[str, Any], list[Found]]:
    """Return the arguments with ids in place of names, and the ids found. `look` calls the tool that returns the items.

    Raise NotReady if there is no item of a given name, and OtherOutcome if such a call ends without a result.
    """
    found: list[Found] = []
    for lookup in given(tool, arguments):
        name = lookup["argument"]
        first = "ranked" in lookup and not writes  # the first item is the best, so one page suffices
        whole = WholeAnswer(None if first else {"items": lookup["items"]})
        asked = {theirs: arguments[ours] for theirs, ours in lookup.get("given", {}).items() if ours in arguments}
        if "query" in lookup:
            asked[lookup["query"]] = arguments[name]
        result = await look(lookup, asked, whole)
        try:
            item, others = _chosen(lookup, str(arguments[name]), result, writes, whole.part)
        except NotFound as reason:
            shown = brief(str(arguments[name]), 100)
            raise NotReady(f"{name} '{shown}', looked up by {lookup['tool']}: {reason}. Give {lookup['id']}.") from None
        entry = Found(lookup, item, others)
        entry.value = _fitting(item.id, tool, lookup["id"])
        arguments = {**{key: each for key, each in arguments.items() if key != name}, lookup["id"]: entry.value}
        found.append(entry)
    spans.note(looked_up={entry.id: entry.value for entry in found})
    return arguments, found


def _chosen(lookup: Lookup, name: str, result: Result, writes: bool, part: str) -> tuple[Item, str]:
    if result.is_error:
        raise NotFound(f"that failed: {brief(str(result), LONGEST_ERROR)}".rstrip("."))
    texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
    try:
        value: object = loads(texts[0])[0] if texts else None
    except NotJSON:
        value = None
    items = items_of(value, lookup)
    if items is None:
        raise NotFound("its answer holds no list of such items")
    return chosen(items, name, lookup, writes=writes, part=part)


def _fitting(value: str | int, tool: Tool, argument: str) -> str | int:
    """Return an id converted to the type of the argument, or unchanged if it cannot be converted."""
    kind = tool.schema.get("properties", {}).get(argument, {}).get("type")
    if kind == "string":
        return str(value)
    if kind in ("integer", "number") and isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value[:18])
    return value


def shown(arguments: dict[str, Any], found: list[Found]) -> dict[str, Any]:
    """Return the arguments to show in a confirmation: those of the client, with each id that was found for a name."""
    return {**arguments, **{each.id: f"{each.value}, looked up: {each}" for each in found}}


def told(result: Result, found: Sequence[object]) -> Result:
    """Add to a result, for each id that was looked up, a line that says which item was found. Return the result.

    The lines are added to the text, and unless the result is an error, to the structured value too.
    """
    lines = "\n".join(map(str, found))
    if result.is_error and result.content and result.content[0]["type"] == "text":
        first = {**result.content[0], "text": f"{result.content[0]['text']}\n{lines}"}
        result.content = [first, *result.content[1:]]
        return result
    result.content = [*result.content, {"type": "text", "text": lines}]
    if isinstance(result.structured, dict):
        before = result.structured.get(TEXT)
        result.structured = {**result.structured, TEXT: f"{before}\n{lines}" if isinstance(before, str) else lines}
        result.written = ""
    return result
