# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read what a response says about the pages of its list, in its body and its header fields. Pure functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import NotJSON, loads
from ..text.folded_names import alphanumeric
from .page_arguments import MOST_DIGITS, NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterable

# Patterns for normalized names of members and header fields
_NEXT = re.compile(
    r"(odata)?next(page)?(token|cursor|number|start|index|offset|skip|marker|key|link|uri|url|href|recordsurl)?"
)
_POSITION = re.compile(r"(end|after)?cursor|continuation(token)?|paginationtoken|scrollid|after|lastevaluatedkey")
_INNER = re.compile(
    r"(list|page|paging|pagination|response|result)?(info|meta(data)?)"
    r"|paging|pagination|paginator|pager|pageable|page|links|cursors?|hits"
)
_MORE = re.compile(
    r"has(more|next)(page|pages|items|results|records|data)?|more(items|results|pages|records|data)?(available)?"
    r"|istruncated|next(page)?"
)
_END = re.compile(r"(is)?last(page)?|endof(list|data|results|records|items)|isend|nomore(pages|items|results)?")
_TOTAL = re.compile(
    r"(grand|overall)?total|(total|full|overall)(number|count|results?|items?|records?|elements?|entries|objects|rows"
    r"|hits|size)|(count|results?|items?|records?|elements?|rows?|hits?)total|(num)?found|nbhits"
)
_COUNT = re.compile(r"((result|item|record|row|element)s?)?count")
_PAGES = re.compile(r"(total|num|numberof|nb|max)?pages|(last|max|total)page|pages?(count|total)|totalpages?count")
_NUMBER = re.compile(rf"{NUMBER.pattern}|number|current(pagenumber)?|pagecurrent")
_SIZE = re.compile(r"(page)?(limit|size|perpage)|maxresults|maxitems|take|(items|results|records)perpage|pagelen")

_LINKS = ("links", "link")
_HOLDERS = ("embedded", "data", "result", "results", "response", "payload", "hits", "content", "body")
_FIELD = re.compile(
    r"x-(?:(?:pagination|paging|page|wp|ms)-)?(.+)|(?:pagination|paging)-(.+)|((?:total|next)-.+)", re.IGNORECASE
)
_RANGE = re.compile(r"(?:[\w-]+[ =])?(?:\d{1,18}-(\d{1,18})|\*)/(\d{1,18}|\*)")
_LINKED_BACK = re.compile(r';\s*rel\s*=\s*"?(?:prev|previous|last)\b', re.IGNORECASE)
LONGEST_FIELD = 8000
"""Maximum number of characters of a header field that are searched."""


class PageFacts:
    """What a response says about its page.

    - `items`: the items of the list; [] if no list or several were found.
    - `more`: whether pages follow; None if the response does not say so.
    - `total`, `pages`: number of items and of pages of the whole list; 0 if unknown.
    - `number`: number of this page in the API's counting; None if unknown.
    - `end`: how many items the list has up to the end of this page; None if unknown.
    - `size`: number of items of a full page; 0 if unknown.
    - `following`, `positions`: values of members that name the next page, and of members that name a cursor.
    """

    __slots__ = ("_said", "end", "following", "items", "more", "number", "pages", "positions", "size", "total")

    def __init__(
        self, value: Any, fields: Iterable[tuple[str, str]] = (), steps: list[str] | None = None, limit: str = ""
    ) -> None:
        """Read the facts from the JSON value and the header fields of a response.

        `steps`: path to the list, if it is known. `limit`: name of the argument for the number of items, which the
        response may repeat.
        """
        steps = list_path(value) if steps is None else steps
        found = None if steps is None else _at(value, steps)
        self.items: list[Any] = found if isinstance(found, list) else []
        headers = list(fields)
        self._said = said = {**_in_fields(headers), **_in_objects(value, steps or [])}
        self.following = _named(said, _NEXT)
        self.positions = _named(said, _POSITION)
        self.number = _whole(_named(said, _NUMBER))
        self.size = _whole(_named(said, _SIZE)) or 0
        self.pages = _whole(_named(said, _PAGES)) or 0
        self.total = _whole(_named(said, _TOTAL)) or 0
        count = 0 if _COUNT.fullmatch(alphanumeric(limit)) else _whole(_named(said, _COUNT)) or 0
        if not self.total and count > len(self.items):
            self.total = count  # a `count` may also be the number of items of this page
        self.end: int | None = None
        for text in (text for name, text in headers if name.lower() == "content-range"):
            if part := _RANGE.fullmatch(text.strip()):
                self.end = int(part[1]) + 1 if part[1] else None
                self.total = self.total or (0 if part[2] == "*" else int(part[2]))
        self.more = self._goes_on(", ".join(text for name, text in headers if name.lower() == "link"))

    def _goes_on(self, links: str) -> bool | None:
        """Return whether pages follow, by a flag or by links to other pages than the next; None if neither says it."""
        flags = {name: each for name, each in self._said.items() if isinstance(each, bool)}
        for kind, end in ((_MORE, False), (_END, True)):
            for flag in _named(flags, kind):
                return flag is not end
        back = _LINKED_BACK.search(links[:LONGEST_FIELD]) and "next" not in links.lower()
        return False if back else None

    def integer(self, name: str) -> int | None:
        """Return the integer in the member with this name, or None."""
        return _whole([self._said.get(alphanumeric(name))])


def list_path(value: Any) -> list[str] | None:
    """Return the path to the only list in a response; None if there are no lists or several.

    The list is a member, or a member of a member such as `data` or `_embedded`. Lists of links do not count, and empty
    lists count only if all lists are empty.
    """
    if isinstance(value, list):
        return []
    if not isinstance(value, dict):
        return None
    lists = [name for name, each in value.items() if isinstance(each, list) and alphanumeric(name) not in _LINKS]
    lists = [name for name in lists if value[name]] or lists
    if lists:
        return lists if len(lists) == 1 else None
    holders = {name: each for name, each in value.items() if isinstance(each, dict) and alphanumeric(name) in _HOLDERS}
    inner = [
        [name, *path] for name, each in holders.items() if (path := list_path(each)) is not None and len(path) == 1
    ]
    return inner[0] if len(inner) == 1 else None


def _at(value: Any, steps: list[str]) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _in_objects(value: Any, steps: list[str]) -> dict[str, Any]:
    """Return the members of the response, and of the objects on the path to its list, by normalized names."""
    said: dict[str, Any] = {}
    for step in [*steps, ""]:
        if isinstance(value, dict):
            said.update(_members({name: each for name, each in value.items() if name != step}))
            value = value.get(step)
    return said


def _members(value: dict[str, Any]) -> dict[str, Any]:
    """Return the members of an object by normalized names, including those of paging objects such as `pagination`."""
    said: dict[str, Any] = {}
    for name, member in value.items():
        if isinstance(member, dict) and _INNER.fullmatch(alphanumeric(name)):
            said.update(_members(member))
        elif isinstance(member, list) and alphanumeric(name) in _LINKS:
            links = (each for each in member if isinstance(each, dict))
            said.update(("next", each) for each in links if "next" in (each.get("rel"), each.get("relation")))
    return {**said, **{alphanumeric(name): member for name, member in value.items()}}


def _in_fields(fields: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the header fields about paging, such as X-Total-Count, X-Next-Cursor or X-Pagination, like members."""
    said: dict[str, Any] = {}
    for name, value in fields:
        if not (found := _FIELD.fullmatch(name)) or len(value) > LONGEST_FIELD:
            continue
        text = value.strip()
        said[alphanumeric(found[found.lastindex or 0])] = {"true": True, "false": False}.get(text.lower(), text)
        if text.startswith("{"):
            try:
                inner: Any = loads(text)[0]
            except NotJSON:
                continue
            said.update(_members(inner))
    return said


def _named(said: dict[str, Any], kind: re.Pattern[str]) -> list[Any]:
    """Return the values of the members whose names match the pattern `kind`."""
    return [each for name, each in said.items() if kind.fullmatch(name)]


def _whole(values: list[Any]) -> int | None:
    """Return the first integer among the values, or None. It may be a member, as in `{"value": 7}`."""
    found = (each.get("value") if isinstance(each, dict) else each for each in values)
    texts = (str(each) for each in found if type(each) in (int, str))
    return next((int(each) for each in texts if each.isdecimal() and len(each) <= MOST_DIGITS), None)
