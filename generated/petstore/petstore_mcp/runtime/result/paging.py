# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Compute the arguments of a tool that request the next page of a response. Pure functions.

APIs announce the next page by a link (RFC 8288) or by a cursor in the body or a header field. If an API does neither,
the next page is computed from the numbers of items and pages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from ..core.wire_formats import ABSENT
from ..text.folded_names import alphanumeric
from . import page_arguments
from .page_arguments import CURSOR, MOST_DIGITS, NUMBER, OFFSET, SIZE, argument_of, in_query, is_paged, number_in
from .page_facts import LONGEST_FIELD, PageFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.catalog import Tool
    from ..http.exchange import Response, Sent

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
