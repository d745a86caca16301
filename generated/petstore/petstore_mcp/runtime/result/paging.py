# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Compute the arguments of a tool that request the next page of a response, or a smaller response. Pure functions.

APIs announce the next page by a link (RFC 8288) or by a cursor in the body. If an API does neither, the next page is
computed from the numbers of items.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from ..core.jsontext import NotJSON, loads
from ..core.wire_formats import ABSENT

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from ..http.exchange import Response, Sent

# Patterns for normalized names (`_plain`) of arguments that select a page, or the fields to return
_SIZE = re.compile(r"(page)?(limit|size|perpage|count|maxresults|maxitems|top|first|pagesize|rows|take|max)")
_NUMBER = re.compile(r"page|pagenumber|pageno|pageindex")
_OFFSET = re.compile(r"offset|skip|start|startindex|startat|from")
_FIELDS = re.compile(r"fields?|select|include(fields)?|fl|attributes|only")
_CURSOR = re.compile(
    r"(page|next)?cursor|(next|page|nextpage|continuation|pagination)token|marker|continuation|(start(ing)?)?after|scrollid"
)
# Patterns for normalized names of members in response bodies
_NEXT = re.compile(r"next(page|pagetoken|pagecursor|pagenumber|token|cursor|marker|offset|link|url|href|pageurl)?")
_POSITION = re.compile(r"endcursor|cursor|continuation(token)?|paginationtoken|scrollid|after")
_INNER = re.compile(r"meta(data)?|paging|pagination|pageinfo|links|cursors|responsemetadata|page")
_MORE = re.compile(r"hasmore|hasnext(page)?|more|istruncated|incompleteresults")
_TOTAL = re.compile(r"total|total(count|results|items|records|elements|size)|numfound")
_PAGES = re.compile(r"(total|num|numberof|max)pages?|(last|max)page|pagecount|totalpagecount")
#: Header fields with the total number of items, for a response that is only a list
TOTALS = ("X-Total-Count", "X-Total", "X-Total-Pages")

_NEXT_LINK = re.compile(r'<([^<>]*)>[^<]*?;\s*rel\s*=\s*(?:next\b|"[^"]*\bnext\b)', re.IGNORECASE)
LONGEST_FIELD = 8000
"""Maximum number of characters of a Link header field that are searched."""

LONGEST = 500
"""Maximum length in characters of a cursor or link that is passed on."""

MOST_DIGITS = 18
NOTHING: Mapping[str, str] = {}


class NextPage:
    """Location of the next page: the arguments to change, or the `address` of the page's link if arguments cannot
    request it.

    `host` is the host of an absolute link, otherwise "".
    """

    __slots__ = ("address", "arguments", "host")

    def __init__(self, arguments: Mapping[str, str | int], address: str = "", host: str = "") -> None:
        self.arguments = arguments
        self.address = address
        self.host = host

    def told(self, tool: Tool) -> str:
        """Return text that says how to get the next page: `address` if it is set, else arguments as `name=value`."""
        return self.address or ", ".join(
            f"{name}={_written(tool, name, each)}" for name, each in self.arguments.items()
        )

    def values(self, tool: Tool) -> dict[str, Any]:
        """Return the arguments that request the page, converted to the types that the tool expects."""
        return {name: _typed(tool, name, each) for name, each in self.arguments.items()}


def is_paged(tool: Tool) -> bool:
    """Return whether the tool has a paging argument, such as a page number, an offset or a cursor."""
    if tool.paged is None:
        tool.paged = any(_argument(tool, kind) for kind in (_CURSOR, _NUMBER, _OFFSET))
    return tool.paged


def next_page(value: Any, sent: Sent, links: str, counts: Mapping[str, str], shown: int = 0) -> NextPage | None:
    """Return where the next page is, from the Link header field, or else from the parsed response; None if neither says
    it.

    `counts` holds the header fields named in TOTALS. `shown` is how many items of the list were shown, 0 for all.
    """
    if links and (link := _NEXT_LINK.search(links[:LONGEST_FIELD])):
        return linked(link[1], sent)
    if value is not ABSENT and is_paged(sent.tool):
        return following(value, sent, shown, counts)
    return None


def counts(response: Response) -> dict[str, str]:
    """Return the header fields of a response that give the total number of items or pages."""
    return {name: found for name in TOTALS if (found := response.header(name.lower()))}


def says_more(value: Any) -> bool:
    """Return whether a response says that more items follow, even if it does not say how to request them."""
    said = _said(value)
    more = any(_MORE.fullmatch(name) and each is True for name, each in said.items())
    return more or any(_NEXT.fullmatch(name) and each for name, each in said.items())


def linked(url: str, sent: Sent) -> NextPage | None:
    """Return the arguments that select the page to which a link leads, or the link itself if no arguments do.

    Return None if the link leads to the page that was just shown.
    """
    try:
        target = urlsplit(url)
    except ValueError:
        return NextPage({}, url[:LONGEST])
    host = target.netloc.lower()
    by_name = {name: argument for argument, name in _query(sent.tool)}
    asked = parse_qsl(target.query)
    found = {by_name[name]: value for name, value in asked if name in by_name}
    changed = {name: value for name, value in found.items() if _sent(sent.arguments.get(name)) != value}
    if not (target.path.endswith(sent.path) or not target.path):
        return NextPage({}, url[:LONGEST], host)
    if found and len(found) == len(asked) and not any(_goes_on(name, value, sent) for name, value in changed.items()):
        return None
    if not changed:
        return NextPage({}, url[:LONGEST], host)
    return NextPage(changed, host=host)


def following(value: Any, sent: Sent, shown: int = 0, told: Mapping[str, str] = NOTHING) -> NextPage | None:
    """Return the arguments that request the next page; None if there is no next page, or if that cannot be known.

    `shown` is how many items of a list were shown, 0 for all. `told` holds the header fields named in TOTALS.
    """
    said = _all_said(value, told)
    if any(_MORE.fullmatch(name) and each is False for name, each in said.items()):
        return None
    items = _items(value)
    more = any(_MORE.fullmatch(name) and each is True for name, each in said.items())
    whole = not 0 < shown < len(items)
    if whole and not more and _is_last(len(items), said, sent):
        return None
    for name in filter(_NEXT.fullmatch, said):
        if not isinstance(found := _next(said[name], sent), _Unrelated):
            return found
    # In these members, some APIs repeat the cursor of the request; `_next` refuses it, because it leads to this page.
    for name in filter(_POSITION.fullmatch, said):
        found = _next(said[name], sent)
        if isinstance(found, NextPage) or said[name] in (None, ""):
            return found if isinstance(found, NextPage) else None
    return _counted(items, said, more, sent, 0 if whole else shown)


def untold(value: Any, sent: Sent, told: Mapping[str, str] = NOTHING) -> NextPage | None:
    """Return the arguments for a possible next page, if the response does not say whether there is a next page.

    Return None if the response says it or has no items, if the page size is known, or if no argument selects pages.
    """
    said, items = _all_said(value, told), _items(value)
    if any(kind.fullmatch(name) for name in said for kind in (_MORE, _TOTAL, _PAGES, _NEXT, _POSITION)):
        return None
    return None if _size(said, sent) or not items else _counted(items, said, True, sent, 0)


def narrower(tool: Tool, items: int = 0) -> str:
    """Return a sentence on how to call the tool for a smaller response; "" if no argument can do that.

    `items` is how many items of the list can be shown, or 0 if there is no list.
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


def _all_said(value: Any, told: Mapping[str, str]) -> dict[str, Any]:
    """Return the members of a response, and the totals in its header fields, by normalized name."""
    return {**{_plain(name.removeprefix("X-")): number for name, number in told.items()}, **_said(value)}


def _said(value: Any) -> dict[str, Any]:
    """Return the members of a response by their normalized names, including the members of nested paging objects such
    as `pagination`.
    """
    if not isinstance(value, dict):
        return {}
    said: dict[str, Any] = {}
    for name, member in value.items():
        if isinstance(member, dict) and _INNER.fullmatch(_plain(name)):
            said.update(_said(member))
    return {**said, **{_plain(name): member for name, member in value.items()}}


class _Unrelated:
    """Marker: the examined member of the response is not about paging."""


def _next(said: Any, sent: Sent) -> NextPage | _Unrelated | None:
    """Return the arguments for the next page, which `said`, a member of the response, gives as a URL, cursor or number.
    Return None if the member says that there is no further page.
    """
    if said is None or said == "":
        return None
    if isinstance(said, dict):
        said = said.get("href") or said.get("url")
    if isinstance(said, str) and said.startswith(("http://", "https://", "/", "?")):
        return linked(said, sent)
    if isinstance(said, bool) or not isinstance(said, (str, int)):
        return _Unrelated()
    kinds = (_NUMBER, _OFFSET, _CURSOR) if str(said).isdecimal() else (_CURSOR,)
    argument = next(filter(None, (_argument(sent.tool, kind) for kind in kinds)), "")
    return _advice(argument, str(said)[:LONGEST], sent) if argument else _Unrelated()


def _advice(argument: str, value: str, sent: Sent) -> NextPage | None:
    """Return `argument=value` as the location of the next page; None if it leads to the current or an earlier page."""
    return NextPage({argument: value}) if _goes_on(argument, value, sent) else None


def _goes_on(argument: str, value: str, sent: Sent) -> bool:
    """Return whether a call with `argument` set to `value` requests another page than the current call.

    Page numbers and offsets must be greater than the current ones.
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


def _counted(items: list[Any], said: dict[str, Any], more: bool, sent: Sent, shown: int) -> NextPage | None:
    """Return the arguments for the next page: the next offset or page number, or the id of the last item.

    Return None if the page is empty, or if no flag, total or page size shows that items follow.
    """
    tool, count = sent.tool, len(items)
    size, total = _size(said, sent), _whole(said, _TOTAL)
    if offset := _argument(tool, _OFFSET):
        left = more or total > 0 or 0 < size <= count or shown > 0
        begin = _number(sent, offset, _first(tool, offset))
        return NextPage({offset: begin + (shown or count)}) if left and count else None
    if (page := _argument(tool, _NUMBER)) and not shown:
        number = _number(sent, page, start := _first(tool, page))
        known = (total > 0 and (size > 0 or number == start)) or _whole(said, _PAGES) > 0
        left = more or known or (not total and 0 < size <= count)
        return NextPage({page: number + 1}) if left and count else None
    last = items[-1].get("id") if more and count and isinstance(items[-1], dict) else None
    cursor = _argument(tool, _CURSOR)
    return _advice(cursor, str(last), sent) if cursor.endswith("after") and last is not None else None


def _whole(said: dict[str, Any], kind: re.Pattern[str]) -> int:
    """Return the integer in a member of the response whose name matches the pattern `kind`, or 0."""
    found = (str(each) for name, each in said.items() if kind.fullmatch(name) and type(each) in (int, str))
    return next((int(each) for each in found if each.isdecimal() and len(each) <= MOST_DIGITS), 0)


def _size(said: dict[str, Any], sent: Sent) -> int:
    """Return the page size that the call requested, else the page size that the response gives, else 0."""
    asked = _number(sent, _argument(sent.tool, _SIZE), 0)
    return asked or _whole({name: each for name, each in said.items() if name != "count"}, _SIZE)


def _first(tool: Tool, argument: str) -> int:
    """Return the number of the API's first page, or the offset of its first item: 0 or 1."""
    lowest = _schema(tool, argument).get("minimum")
    if type(lowest) is int and lowest in (0, 1):
        return lowest
    return 1 if _kind_of(tool, argument) is _NUMBER else 0


def _number(sent: Sent, argument: str, otherwise: int) -> int:
    """Return the number that the call sent for an argument, else the argument's default, else `otherwise`."""
    value = sent.arguments.get(argument, _schema(sent.tool, argument).get("default"))
    if isinstance(value, str) and value.isdecimal() and len(value) <= MOST_DIGITS:
        return int(value)
    return value if type(value) is int else otherwise


def _schema(tool: Tool, argument: str) -> dict[str, Any]:
    """Return the schema of an argument; {} if it has none."""
    found = tool.schema.get("properties", {}).get(argument)
    return found if isinstance(found, dict) else {}


def _kind_of(tool: Tool, argument: str) -> re.Pattern[str] | None:
    """Return the pattern that an argument's name matches: cursor, page number or offset; None if it matches no
    pattern.
    """
    return next((kind for kind in (_CURSOR, _NUMBER, _OFFSET) if _argument(tool, kind) == argument), None)


def _argument(tool: Tool, kind: re.Pattern[str]) -> str:
    """Return the name of the argument whose query parameter has a name that matches the pattern `kind`, or ""."""
    return next((argument for argument, name in _query(tool) if kind.fullmatch(_plain(name))), "")


def _written(tool: Tool, argument: str, value: str | int) -> str:
    """Return a value as JSON, as it appears in the arguments of a call."""
    if isinstance(value, int):
        return str(value)
    kind = _schema(tool, argument).get("type")
    return value if kind in ("integer", "number", "boolean") else json.dumps(value, ensure_ascii=False)


def _typed(tool: Tool, argument: str, value: str | int) -> Any:
    """Return a value converted to the type of the tool's argument `argument`, or unchanged if that is not possible."""
    if isinstance(value, int):
        return str(value) if _schema(tool, argument).get("type") == "string" else value
    try:
        return loads(_written(tool, argument, value))[0]
    except NotJSON:
        return value


def _sent(value: Any) -> str:
    """Return a value as text, as written in a query string without percent-encoding."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _query(tool: Tool) -> list[tuple[str, str]]:
    """Return the arguments that are sent in the query, each with its name in the request."""
    bound = tool.binding.get("query", ())
    return [(each["argument"], each["name"]) for each in bound if isinstance(each, dict) and each.get("argument")]


def _plain(name: str) -> str:
    """Return a normalized name: lower-case letters and digits only, so that `page[size]` and `$page_size` are equal."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
