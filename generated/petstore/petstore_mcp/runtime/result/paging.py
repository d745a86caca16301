# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What comes after an answer, and how to ask for less, in the names of the tool's own arguments. Pure.

APIs say what comes next by a link (RFC 8288), by a cursor in the body, or not at all, so that it must be counted.
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

# Names as `_plain` makes them: those of arguments first.
_SIZE = re.compile(r"(page)?(limit|size|perpage|count|maxresults|maxitems|top|first|pagesize|rows|take|max)")
_NUMBER = re.compile(r"page|pagenumber|pageno|pageindex")
_OFFSET = re.compile(r"offset|skip|start|startindex|startat|from")
_FIELDS = re.compile(r"fields?|select|include(fields)?|fl|attributes|only")
_CURSOR = re.compile(
    r"(page|next)?cursor|(next|page|nextpage|continuation|pagination)token|marker|continuation|(start(ing)?)?after|scrollid"
)
# What stands in bodies.
_NEXT = re.compile(r"next(page|pagetoken|pagecursor|pagenumber|token|cursor|marker|offset|link|url|href|pageurl)?")
_POSITION = re.compile(r"endcursor|cursor|continuation(token)?|paginationtoken|scrollid|after")
_INNER = re.compile(r"meta(data)?|paging|pagination|pageinfo|links|cursors|responsemetadata|page")
_MORE = re.compile(r"hasmore|hasnext(page)?|more|istruncated|incompleteresults")
_TOTAL = re.compile(r"total|total(count|results|items|records|elements|size)|numfound")
_PAGES = re.compile(r"(total|num|numberof|max)pages?|(last|max)page|pagecount|totalpagecount")
#: Header fields that say as much of an answer that is a bare list.
TOTALS = ("X-Total-Count", "X-Total", "X-Total-Pages")

LONGEST = 500
"""Characters of a cursor or a link that are passed on."""

MOST_DIGITS = 18
NOTHING: Mapping[str, str] = {}


def is_paged(tool: Tool) -> bool:
    """Whether the tool takes an argument that says where an answer begins."""
    if tool.paged is None:
        tool.paged = any(_argument(tool, kind) for kind in (_CURSOR, _NUMBER, _OFFSET))
    return tool.paged


def linked(url: str, sent: Sent) -> str:
    """Return the arguments that lead where a link does; the link itself where no arguments do, "" where it leads to
    what was just shown.
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
    """Return the arguments that bring what comes after this answer; "" where nothing does, or nobody can know.

    `shown` is how many items of its list were shown, where not all were. `told` is what TOTALS say.
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
    for name in filter(_POSITION.fullmatch, said):  # some only repeat the one that was sent
        if (found := _next(said[name], sent)) not in (ABSENT, "") or said[name] in (None, ""):
            return str(found)
    return _counted(items, said, more, sent, 0 if whole else shown)


def narrower(tool: Tool, items: int = 0) -> str:
    """A sentence on how to call the tool for less; "" where no argument of it could do that. `items` is how many items
    of a list could be shown, 0 where that is not it."""
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
    """What the members of an answer, and of those in it that speak of pages, are by their plain names."""
    if not isinstance(value, dict):
        return {}
    said: dict[str, Any] = {}
    for name, member in value.items():
        if isinstance(member, dict) and _INNER.fullmatch(_plain(name)):
            said.update(_said(member))
    return {**said, **{_plain(name): member for name, member in value.items()}}


def _next(said: Any, sent: Sent) -> str | object:
    """Return what a member that says what comes next comes to: arguments, "" for nothing, ABSENT where it is about
    neither.
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
    """Return the argument with its value, "" where that brings what was just shown, or what came before."""
    return f"{argument}={_written(sent.tool, argument, value)}" if _goes_on(argument, value, sent) else ""


def _goes_on(argument: str, value: str, sent: Sent) -> bool:
    """Return whether a call with that value of the argument shows something else than this one did. Numbers of pages
    and offsets go up.
    """
    present = sent.arguments.get(argument, _schema(sent.tool, argument).get("default"))
    if present is None:
        return True
    if _kind_of(sent.tool, argument) is _CURSOR or not (value.isdecimal() and _sent(present).isdecimal()):
        return _sent(present) != value
    return int(value[:MOST_DIGITS]) > int(_sent(present)[:MOST_DIGITS])


def _items(value: Any) -> list[Any]:
    """The list that an answer is, or is about: the one in it."""
    if isinstance(value, list):
        return value
    lists = [member for member in value.values() if isinstance(member, list)] if isinstance(value, dict) else []
    return lists[0] if len(lists) == 1 else []


def _is_last(count: int, said: dict[str, Any], sent: Sent) -> bool:
    """Return whether an answer with so many items ends where the number that it says of all items, or of all pages, is
    reached.
    """
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
    """Return what comes next where only numbers tell, and the end is not reached."""
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
    """Return the number that a member of that kind says, 0 where none does."""
    found = (str(each) for name, each in said.items() if kind.fullmatch(name) and type(each) in (int, str))
    return next((int(each) for each in found if each.isdecimal() and len(each) <= MOST_DIGITS), 0)


def _size(said: dict[str, Any], sent: Sent) -> int:
    """Return how many items a page has, as it was asked for or else as the answer says; 0 where neither does."""
    asked = _number(sent, _argument(sent.tool, _SIZE), 0)
    return asked or _whole({name: each for name, each in said.items() if name != "count"}, _SIZE)


def _first(tool: Tool, argument: str) -> int:
    """Return the number of the first page, or of the first item."""
    lowest = _schema(tool, argument).get("minimum")
    if type(lowest) is int and lowest in (0, 1):
        return lowest
    return 1 if _kind_of(tool, argument) is _NUMBER else 0


def _number(sent: Sent, argument: str, otherwise: int) -> int:
    """The number that was sent for an argument, or would have been."""
    value = sent.arguments.get(argument, _schema(sent.tool, argument).get("default"))
    return value if type(value) is int else otherwise


def _schema(tool: Tool, argument: str) -> dict[str, Any]:
    """Return the schema of an argument, as far as it is one."""
    found = tool.schema.get("properties", {}).get(argument)
    return found if isinstance(found, dict) else {}


def _kind_of(tool: Tool, argument: str) -> re.Pattern[str] | None:
    """Return what says where an answer begins, of the kinds that there are; None for an argument that does not."""
    return next((kind for kind in (_CURSOR, _NUMBER, _OFFSET) if _argument(tool, kind) == argument), None)


def _argument(tool: Tool, kind: re.Pattern[str]) -> str:
    """The argument for the query whose name there is of that kind, "" where there is none."""
    return next((argument for argument, name in _query(tool) if kind.fullmatch(_plain(name))), "")


def _written(tool: Tool, argument: str, value: str) -> str:
    """A value as it stands in the arguments of a call."""
    kind = _schema(tool, argument).get("type")
    return value if kind in ("integer", "number", "boolean") else json.dumps(value, ensure_ascii=False)


def _sent(value: Any) -> str:
    """A value as it stood in the query, where that is simple."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _query(tool: Tool) -> list[tuple[str, str]]:
    """The arguments that go into the query, and their names there."""
    bound = tool.binding.get("query", ())
    return [(each["argument"], each["name"]) for each in bound if isinstance(each, dict) and each.get("argument")]


def _plain(name: str) -> str:
    """`page[size]`, `pageSize`, `$page_size`: the same word."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
