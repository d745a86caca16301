# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Work out the arguments for the next page of a response, and for a smaller response. Pure functions.

APIs announce the next page by a link (RFC 8288) or by a cursor in the body. If an API does neither, the next page is
computed from counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from ..core.wire_formats import ABSENT

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from ..http.exchange import Sent

# Names as `_plain` returns them. First names of arguments:
_SIZE = re.compile(r"(page)?(limit|size|perpage|count|maxresults|maxitems|top|first|pagesize|rows|take|max)")
_NUMBER = re.compile(r"page|pagenumber|pageno|pageindex")
_OFFSET = re.compile(r"offset|skip|start|startindex|startat|from")
_FIELDS = re.compile(r"fields?|select|include(fields)?|fl|attributes|only")
_CURSOR = re.compile(
    r"(page|next)?cursor|(next|page|nextpage|continuation|pagination)token|marker|continuation|(start(ing)?)?after|scrollid"
)
# Names of members in bodies:
_NEXT = re.compile(r"next(page|pagetoken|pagecursor|pagenumber|token|cursor|marker|offset|link|url|href|pageurl)?")
_POSITION = re.compile(r"endcursor|cursor|continuation(token)?|paginationtoken|scrollid|after")
_INNER = re.compile(r"meta(data)?|paging|pagination|pageinfo|links|cursors|responsemetadata|page")
_MORE = re.compile(r"hasmore|hasnext(page)?|more|istruncated|incompleteresults")
_TOTAL = re.compile(r"total|total(count|results|items|records|elements|size)|numfound")
_PAGES = re.compile(r"(total|num|numberof|max)pages?|(last|max)page|pagecount|totalpagecount")
#: Header fields with the total for a response that is a bare list.
TOTALS = ("X-Total-Count", "X-Total", "X-Total-Pages")

LONGEST = 500
"""Longest cursor or link in characters that is passed on."""

MOST_DIGITS = 18
NOTHING: Mapping[str, str] = {}


def is_paged(tool: Tool) -> bool:
    """Return whether the tool has an argument that selects where the response begins."""
    if tool.paged is None:
        tool.paged = any(_argument(tool, kind) for kind in (_CURSOR, _NUMBER, _OFFSET))
    return tool.paged


def linked(url: str, sent: Sent) -> str:
    """Return the arguments that select the page a link leads to.

    Return the link itself if no arguments do, and "" if the link leads to the page just shown.
    """
    try:
        target = urlsplit(url)
    except ValueError:
        return url[:LONGEST]
    by_name = {name: argument for argument, name in _query(sent.tool)}
    asked = parse_qsl(target.query)
    found = {by_name[name]: value for name, value in asked if name in by_name}
    changed = {name: value for name, value in found.items() if _sent(sent.arguments.get(name)) != value}
    if not (target.path.endswith(sent.path) or not target.path):
        return url[:LONGEST]
    if found and len(found) == len(asked) and not any(_goes_on(name, value, sent) for name, value in changed.items()):
        return ""
    if not changed:
        return url[:LONGEST]
    return ", ".join(f"{name}={_written(sent.tool, name, value)}" for name, value in changed.items())


def following(value: Any, sent: Sent, shown: int = 0, told: Mapping[str, str] = NOTHING) -> str:
    """Return the arguments that request the next page; "" if there is none, or if that cannot be known.

    `shown` is how many items of a list were shown, 0 for all. `told` holds the header fields named in TOTALS.
    """
    said = {**{_plain(name.removeprefix("X-")): number for name, number in told.items()}, **_said(value)}
    if any(_MORE.fullmatch(name) and each is False for name, each in said.items()):
        return ""
    items = _items(value)
    more = any(_MORE.fullmatch(name) and each is True for name, each in said.items())
    whole = not 0 < shown < len(items)
    if whole and not more and _is_last(len(items), said, sent):
        return ""
    for name in filter(_NEXT.fullmatch, said):
        if (found := _next(said[name], sent)) is not ABSENT:
            return str(found)
    for name in filter(_POSITION.fullmatch, said):  # some only repeat the cursor that was sent
        if (found := _next(said[name], sent)) not in (ABSENT, "") or said[name] in (None, ""):
            return str(found)
    return _counted(items, said, more, sent, 0 if whole else shown)


def narrower(tool: Tool, items: int = 0) -> str:
    """Return a sentence on how to call the tool for a smaller response; "" if no argument can do that.

    `items` is how many items of the list fit, or 0 if there is no list.
    """
    ways = []
    if size := _argument(tool, _SIZE):
        ways.append(f"{size}={items}" if items else f"a smaller {size}")
    if page := _argument(tool, _NUMBER) or _argument(tool, _OFFSET):
        ways.append(f"the next {page}")
    if fields := _argument(tool, _FIELDS) or tool.binding.get("fields", ""):
        ways.append(f"fewer {fields}" if fields.endswith("s") else f"a shorter {fields}")
    if ways:
        return f"To see more, call again with {', '.join(ways)}."
    return "To see more, narrow the call by its other arguments." if _query(tool) else ""


def _said(value: Any) -> dict[str, Any]:
    """Return the members of a response by their plain names, including those of its paging objects."""
    if not isinstance(value, dict):
        return {}
    said: dict[str, Any] = {}
    for name, member in value.items():
        if isinstance(member, dict) and _INNER.fullmatch(_plain(name)):
            said.update(_said(member))
    return {**said, **{_plain(name): member for name, member in value.items()}}


def _next(said: Any, sent: Sent) -> str | object:
    """Return the arguments for the page that a member announces; "" for no page, ABSENT if the member is not about
    paging.
    """
    if said is None or said == "":
        return ""
    if isinstance(said, dict):
        said = said.get("href") or said.get("url")
    if isinstance(said, str) and said.startswith(("http://", "https://", "/", "?")):
        return linked(said, sent)
    if isinstance(said, bool) or not isinstance(said, (str, int)):
        return ABSENT
    kinds = (_NUMBER, _OFFSET, _CURSOR) if str(said).isdecimal() else (_CURSOR,)
    argument = next(filter(None, (_argument(sent.tool, kind) for kind in kinds)), "")
    return _advice(argument, str(said)[:LONGEST], sent) if argument else ABSENT


def _advice(argument: str, value: str, sent: Sent) -> str:
    """Return `argument=value`, or "" if that would request the page just shown or an earlier page."""
    return f"{argument}={_written(sent.tool, argument, value)}" if _goes_on(argument, value, sent) else ""


def _goes_on(argument: str, value: str, sent: Sent) -> bool:
    """Return whether a call with this value shows something other than this call did. Page numbers and offsets must
    grow.
    """
    present = sent.arguments.get(argument, _schema(sent.tool, argument).get("default"))
    if present is None:
        return True
    if _kind_of(sent.tool, argument) is _CURSOR or not (value.isdecimal() and _sent(present).isdecimal()):
        return _sent(present) != value
    return int(value[:MOST_DIGITS]) > int(_sent(present)[:MOST_DIGITS])


def _items(value: Any) -> list[Any]:
    """Return the list that the response is or contains; [] if there are none or several."""
    if isinstance(value, list):
        return value
    lists = [member for member in value.values() if isinstance(member, list)] if isinstance(value, dict) else []
    return lists[0] if len(lists) == 1 else []


def _is_last(count: int, said: dict[str, Any], sent: Sent) -> bool:
    """Return whether this page ends at the total number of items, or of pages, that the response gives."""
    tool, total, pages = sent.tool, _whole(said, _TOTAL), _whole(said, _PAGES)
    if offset := _argument(tool, _OFFSET):
        start = _first(tool, offset)
        return 0 < total <= _number(sent, offset, start) - start + count
    if page := _argument(tool, _NUMBER):
        start = _first(tool, page)
        before = _number(sent, page, start) - start
        if not before or pages:
            return 0 < pages <= before + 1 or (not before and 0 < total <= count)
        size = _size(said, sent)
        return size > 0 and 0 < total <= before * size + max(count, size)
    cursor = _argument(tool, _CURSOR)
    return cursor not in sent.arguments and 0 < total <= count


def _counted(items: list[Any], said: dict[str, Any], more: bool, sent: Sent, shown: int) -> str:
    """Return the arguments for the next page, computed from counts; "" at the end or if unknown."""
    tool, count = sent.tool, len(items)
    size, total = _size(said, sent), _whole(said, _TOTAL)
    if offset := _argument(tool, _OFFSET):
        left = more or total > 0 or 0 < size <= count or shown > 0
        begin = _number(sent, offset, _first(tool, offset))
        return f"{offset}={begin + (shown or count)}" if left and count else ""
    if (page := _argument(tool, _NUMBER)) and not shown:
        number = _number(sent, page, start := _first(tool, page))
        known = (total > 0 and (size > 0 or number == start)) or _whole(said, _PAGES) > 0
        left = more or known or (not total and 0 < size <= count)
        return f"{page}={number + 1}" if left and count else ""
    last = items[-1].get("id") if more and count and isinstance(items[-1], dict) else None
    cursor = _argument(tool, _CURSOR)
    return _advice(cursor, str(last), sent) if cursor.endswith("after") and last is not None else ""


def _whole(said: dict[str, Any], kind: re.Pattern[str]) -> int:
    """Return the number in a member of that kind, or 0."""
    found = (str(each) for name, each in said.items() if kind.fullmatch(name) and type(each) in (int, str))
    return next((int(each) for each in found if each.isdecimal() and len(each) <= MOST_DIGITS), 0)


def _size(said: dict[str, Any], sent: Sent) -> int:
    """Return the page size that the call asked for, else the one in the response, else 0."""
    asked = _number(sent, _argument(sent.tool, _SIZE), 0)
    return asked or _whole({name: each for name, each in said.items() if name != "count"}, _SIZE)


def _first(tool: Tool, argument: str) -> int:
    """Return the number of the first page, or the offset of the first item."""
    lowest = _schema(tool, argument).get("minimum")
    if type(lowest) is int and lowest in (0, 1):
        return lowest
    return 1 if _kind_of(tool, argument) is _NUMBER else 0


def _number(sent: Sent, argument: str, otherwise: int) -> int:
    """Return the number sent for an argument, else its default, else `otherwise`."""
    value = sent.arguments.get(argument, _schema(sent.tool, argument).get("default"))
    return value if type(value) is int else otherwise


def _schema(tool: Tool, argument: str) -> dict[str, Any]:
    """Return the schema of an argument; {} if it has none."""
    found = tool.schema.get("properties", {}).get(argument)
    return found if isinstance(found, dict) else {}


def _kind_of(tool: Tool, argument: str) -> re.Pattern[str] | None:
    """Return the paging kind of an argument: cursor, page number or offset; None if it is none of them."""
    return next((kind for kind in (_CURSOR, _NUMBER, _OFFSET) if _argument(tool, kind) == argument), None)


def _argument(tool: Tool, kind: re.Pattern[str]) -> str:
    """Return the query argument whose wire name is of that kind, or ""."""
    return next((argument for argument, name in _query(tool) if kind.fullmatch(_plain(name))), "")


def _written(tool: Tool, argument: str, value: str) -> str:
    """Return a value as JSON, for display in the arguments of a call."""
    kind = _schema(tool, argument).get("type")
    return value if kind in ("integer", "number", "boolean") else json.dumps(value, ensure_ascii=False)


def _sent(value: Any) -> str:
    """Return a value as text, as a simple query contains it."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _query(tool: Tool) -> list[tuple[str, str]]:
    """Return the arguments sent in the query, each with its wire name."""
    bound = tool.binding.get("query", ())
    return [(each["argument"], each["name"]) for each in bound if isinstance(each, dict) and each.get("argument")]


def _plain(name: str) -> str:
    """Return one plain word for `page[size]`, `pageSize` and `$page_size`: lower-case letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
