# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Compute the arguments of a tool that request the next page of a response. Pure functions.

APIs announce the next page by a link (RFC 8288) or by a cursor in the body or a header field. If an API does neither,
the next page is computed from the numbers of items and pages. `PageFacts` is what a response says of all this.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from ..core.jsonrpc import NotJSON, loads
from ..core.wire_formats import ABSENT
from ..text.folded_names import alphanumeric
from . import page_arguments
from .page_arguments import CURSOR, MOST_DIGITS, NUMBER, OFFSET, SIZE, argument_of, in_query, is_paged, number_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..core.catalog import Tool
    from ..http.exchange import Response, Sent


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


_NEXT_LINK = re.compile(r'<([^<>]*)>[^<]*?;\s*rel\s*=\s*(?:next\b|"[^"]*\bnext\b)', re.IGNORECASE)
_INDEX = re.compile(r"pageindex")

LONGEST = 500
"""Maximum length in characters of a cursor or link that is passed on."""

_NEXT_MEMBERS = ("href", "url", "after", "cursor", "token", "link")


class NextPage:
    """Location of the next page: the arguments to change, or the `address` of the page's link if arguments cannot
    request it.

    `host` is the host of an absolute link, otherwise "". `guessed` is True if the API does not say that there is such a
    page.
    """

    __slots__ = ("address", "arguments", "guessed", "host")

    def __init__(
        self, arguments: Mapping[str, str | int], address: str = "", host: str = "", guessed: bool = False
    ) -> None:
        self.arguments = arguments
        self.address = address
        self.host = host
        self.guessed = guessed

    def told(self, tool: Tool) -> str:
        """Return text that says how to get the next page: `address` if it is set, else arguments as `name=value`."""
        return self.address or ", ".join(
            f"{name}={page_arguments.as_json(tool, name, each)}" for name, each in self.arguments.items()
        )

    def values(self, tool: Tool) -> dict[str, Any]:
        """Return the arguments that request the page, converted to the types that the tool expects."""
        return {name: page_arguments.typed(tool, name, each) for name, each in self.arguments.items()}

    def behind_first(self, tool: Tool) -> NextPage | None:
        """Return the page after this one if this one is the page number 1, which may be the first page; else None."""
        page = argument_of(tool, NUMBER)
        return NextPage({page: 2}, guessed=self.guessed) if self.arguments == {page: 1} else None


class Progress:
    """How far a call that fetches all pages has come.

    - `first`: number of the first page or offset of the first item; None if only single responses say it.
    - `before`: how many items of the list precede the first page that was fetched; None if unknown.
    - `read`: how many items were fetched before the current page.
    - `announced`: the API said of an earlier page that another page follows. Then silence means the end of the list.
    - `strict`: an unknown first page may have the number 0.
    """

    __slots__ = ("announced", "before", "first", "read", "strict")

    def __init__(self, strict: bool = False) -> None:
        self.first: int | None = None
        self.before: int | None = None
        self.read = 0
        self.announced = False
        self.strict = strict


def facts_of(response: Response, value: Any, sent: Sent, steps: list[str] | None = None) -> PageFacts:
    """Return what a response says about its page. `value`: its JSON value. `steps`: the path to the list, if known."""
    return PageFacts(None if value is ABSENT else value, response.fields, steps, argument_of(sent.tool, SIZE))


def next_page(value: Any, sent: Sent, response: Response, shown: int = 0) -> NextPage | None:
    """Return where the next page is, from the Link header field, or else from the parsed response; None if neither says
    it.

    `shown` is how many items of the list were shown, 0 for all.
    """
    if link := linked_page(response.header("link"), sent):
        return link[0]
    if value is ABSENT or not is_paged(sent.tool):
        return None
    return following(facts_of(response, value, sent), sent, shown)


def linked_page(links: str, sent: Sent) -> tuple[NextPage | None] | None:
    """Return the next page by a Link header field; None if the field does not have such a link."""
    found = _NEXT_LINK.search(links[:LONGEST_FIELD]) if links else None
    return None if found is None else (linked(found[1], sent),)


def linked(url: str, sent: Sent) -> NextPage | None:
    """Return the arguments that select the page to which a link leads, or the link itself if no arguments do.

    Return None if the link leads to the page that was just shown.
    """
    try:
        target = urlsplit(url)
    except ValueError:
        return NextPage({}, url[:LONGEST])
    host = target.netloc.lower()
    by_name = {name: argument for argument, name in page_arguments.names_in_request(sent.tool)}
    asked = parse_qsl(target.query)
    found = {by_name[name]: value for name, value in asked if name in by_name}
    changed = {name: value for name, value in found.items() if in_query(sent.arguments.get(name)) != value}
    if not (target.path.endswith(sent.path) or not target.path):
        return NextPage({}, url[:LONGEST], host)
    if found and len(found) == len(asked) and not any(_goes_on(name, value, sent) for name, value in changed.items()):
        return None
    if not changed:
        return NextPage({}, url[:LONGEST], host)
    return NextPage(changed, host=host)


def following(facts: PageFacts, sent: Sent, shown: int = 0, progress: Progress | None = None) -> NextPage | None:
    """Return the arguments that request the next page; None if there is no next page, or if that cannot be known.

    `shown` is how many items of a list were shown, 0 for all. `progress`: how far a call that fetches all pages has
    come. Such a call also gets a page of which the API says nothing.
    """
    if facts.more is False:
        return None
    whole = not 0 < shown < len(facts.items)
    place = Place(facts, sent, progress)
    # A call that fetches all pages follows the API's words beyond the total: some APIs call the items of a page so.
    if whole and not facts.more and place.is_last and not (progress and facts.following):
        return None
    for said in facts.following:
        if not isinstance(found := _next(said, sent), _Unrelated):
            return found
    # In these members, some APIs repeat the cursor of the request; `_next` refuses it, because it leads to this page.
    for said in facts.positions:
        found = _next(said, sent)
        if isinstance(found, NextPage) or said in (None, ""):
            return found if isinstance(found, NextPage) else None
    return place.counted(0 if whole else shown, progress)


class _Unrelated:
    """Marker: the examined member of the response is not about paging."""


def _next(said: Any, sent: Sent) -> NextPage | _Unrelated | None:
    """Return the arguments for the next page, which `said`, a member of the response, gives as a URL, cursor or number.
    Return None if the member says that there is no further page.
    """
    if said is None or said == "":
        return None
    if isinstance(said, dict):
        said = next((said[name] for name in _NEXT_MEMBERS if said.get(name)), None)
    if isinstance(said, str) and said.startswith(("http://", "https://", "/", "?")):
        return linked(said, sent)
    if isinstance(said, bool) or not isinstance(said, (str, int)):
        return _Unrelated()
    kinds = (NUMBER, OFFSET, CURSOR) if str(said).isdecimal() else (CURSOR,)
    argument = next(filter(None, (argument_of(sent.tool, kind) for kind in kinds)), "")
    return _advice(argument, str(said)[:LONGEST], sent) if argument else _Unrelated()


def _advice(argument: str, value: str, sent: Sent) -> NextPage | None:
    """Return `argument=value` as the location of the next page; None if it leads to the current or an earlier page."""
    return NextPage({argument: value}) if _goes_on(argument, value, sent) else None


def _goes_on(argument: str, value: str, sent: Sent) -> bool:
    """Return whether a call with `argument` set to `value` requests another page than the current call.

    Page numbers and offsets must be greater than the current ones.
    """
    present = sent.arguments.get(argument, page_arguments.schema_of(sent.tool, argument).get("default"))
    if present is None:
        return True
    if page_arguments.kind_of(sent.tool, argument) is CURSOR or not (
        value.isdecimal() and in_query(present).isdecimal()
    ):
        return in_query(present) != value
    return int(value[:MOST_DIGITS]) > int(in_query(present)[:MOST_DIGITS])


class Place:
    """Place of a page in its list, by numbers of items and pages.

    - `argument`: the argument that selects the page by a number. `number`: its number on this page, from `first` on.
    - `before`: how many pages precede this page, 0 if pages have no numbers. `end`: how many items the list has up to
      the end of this page, None if unknown.
    """

    __slots__ = ("_facts", "_offset", "_sent", "_size", "argument", "before", "end", "first", "number")

    def __init__(self, facts: PageFacts, sent: Sent, progress: Progress | None = None) -> None:
        tool, count = sent.tool, len(facts.items)
        self._facts = facts
        self._sent = sent
        self._offset = argument_of(tool, OFFSET)
        self.argument = self._offset or argument_of(tool, NUMBER)
        self.first = self._first(progress) if self.argument else 0
        sent_number = number_in(sent, self.argument)
        self.number = self.first if sent_number is None else sent_number
        self.first = min(self.first, self.number)
        asked = number_in(sent, argument_of(tool, SIZE)) or 0
        self._size = min(asked, facts.size) if asked and facts.size else asked or facts.size
        self.before = 0 if self._offset else self.number - self.first
        self.end = facts.end
        if self.end is None and progress is not None and progress.before is not None:
            self.end = progress.before + progress.read + count
        elif self.end is None:
            self.end = self._computed_end(count)

    def _first(self, progress: Progress | None) -> int:
        """Return the number of the API's first page, or the offset of its first item: 0 or 1."""
        if progress is not None and progress.first is not None:
            return progress.first
        facts, tool = self._facts, self._sent.tool
        described = page_arguments.described_first(tool, self.argument)
        if described is not None:
            return described
        name = dict(page_arguments.names_in_request(tool))[self.argument]
        told = facts.integer(name) if self._offset else facts.number
        if self.argument not in self._sent.arguments and told in (0, 1):
            return told
        unknown = progress is not None and progress.strict and not (facts.total or facts.pages)
        return 0 if self._offset or unknown or _INDEX.fullmatch(alphanumeric(name)) else 1

    def _computed_end(self, count: int) -> int | None:
        if self._offset:
            return self.number - self.first + count
        if self.argument and self.before:
            return self.before * self._size + count if self._size else None
        begun = not self.argument and argument_of(self._sent.tool, CURSOR) in self._sent.arguments
        return None if begun else count

    @property
    def is_last(self) -> bool:
        """Return whether this page ends at the total number of items, and of pages, that the response gives."""
        facts, ends = self._facts, []
        if facts.pages and self.argument and not self._offset:
            ends.append(facts.pages <= self.before + 1)
        if facts.total and self.end is not None:
            ends.append(facts.total <= self.end)
        return bool(ends) and all(ends)

    def counted(self, shown: int, progress: Progress | None) -> NextPage | None:
        """Return the arguments for the next page: the next offset or page number, or the id of the last item.

        Return None if no flag, total or page size shows that items follow. If the page is empty, only a flag counts. A
        call that fetches all pages also tries a page if neither this response nor an earlier one says anything.
        """
        facts, count = self._facts, len(self._facts.items)
        told = bool(facts.more or facts.total or facts.pages)
        if progress is not None and progress.announced and not told:
            return None
        silent = not (told or self._size or facts.following or facts.positions)
        guesses = progress is not None and silent
        left = (told and count) or facts.more or 0 < self._size <= count or (guesses and count) or shown
        if not left:
            return None
        if self._offset and (step := shown or count or self._size):
            return NextPage({self._offset: self.number + step}, guessed=not told)
        if self.argument and not self._offset:
            return None if shown else NextPage({self.argument: self.number + 1}, guessed=not told)
        last = facts.items[-1].get("id") if count and isinstance(facts.items[-1], dict) else None
        cursor = argument_of(self._sent.tool, CURSOR)
        if last is None or not cursor.endswith("after") or not (facts.more or guesses):
            return None
        found = _advice(cursor, str(last), self._sent)
        if found is not None:
            found.guessed = not told
        return found
