# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Join the pages of a list into one response, as if the API had returned all items at once. No input or output.

The joined response is the last page with the items of all pages. So it is processed like any response: parts are
removed, the output schema is checked, and a too large response is cut and stored.

The upstream is not trusted. A page that occurs a second time ends the reading, as do limits on pages, items and bytes.
A link to another host or path is not followed; a link only supplies values for arguments of the tool.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT
from ..http.exchange import Response
from ..text.sanitize import brief, decode
from . import paging, projection, wrapping
from .drop_fields import tokens, without
from .pointers import find
from .response import LARGEST_PARSED

if TYPE_CHECKING:
    from ..core.table import Pages
    from ..http.exchange import Sent

MOST_ITEMS = 10_000

_PORTS = ("", ":80", ":443")
_UNREACHED = "further"
"""Address of a next page that a response only announces, without saying where it is."""

_ENOUGH = "more is not taken in one call"
_AGAIN = "the API then answered with a page that it had given before"


class JoinedPages:
    """Pages of one list, in order.

    - `count`: how many pages are joined. `items`: the items of these pages as JSON texts.
    - `further`: arguments that request the next page; empty after the last page.
    """

    __slots__ = (
        "_address",
        "_full",
        "_guessed",
        "_last",
        "_most_bytes",
        "_most_pages",
        "_next",
        "_removed",
        "_rule",
        "_seen",
        "_size",
        "_stopped",
        "count",
        "further",
        "items",
    )

    def __init__(self, rule: Pages, address: str, shown: int, most: int, removed: Any = ()) -> None:
        """Begin without pages. `address`: host and port of the API. `shown`: limit on the bytes that a result shows.
        `most`: limit on pages.

        `removed` lists pointers to the parts of each page that must not leave this server.
        """
        self._rule = rule
        self._address = address
        self._most_pages, self._most_bytes = most, max(LARGEST_PARSED, 2 * shown)
        self._removed = removed
        self._seen: set[str] = set()
        self._size = 0
        self._last: tuple[Response, str] | None = None
        self._next: paging.NextPage | None = None
        self._guessed = False
        self._full = 0
        self._stopped = ""
        self.further: dict[str, Any] = {}
        self.items: list[str] = []
        self.count = 0

    @property
    def complete(self) -> bool:
        """Return True if the last page of the list is joined."""
        return not self._stopped

    def add(self, answer: Response, sent: Sent) -> None:
        """Append the items of the page in `answer`. Append none if `answer` is an error or lacks the list, or if the
        page repeats an earlier page or exceeds a limit.

        Then set `further` to the arguments that request the next page, or to {} if no page is to be requested.
        """
        self.further = {}
        page = _Page.read(answer, self._rule)
        if page is None or not 200 <= answer.status < 300:
            if self.count and not self._guessed:
                told = "is no such list" if 200 <= answer.status < 300 else f"was answered with {answer.named}"
                self.stop(f"the next page {told}")
            return
        following = page.next(sent, paging.counts(answer))
        if self._removed:
            page.remove(self._removed)
        items = page.texts()
        text = "\n".join(items)
        if text in self._seen or (self._guessed and not items):
            if not self._guessed:
                self.stop(_AGAIN)
            return
        size = self._size + len(text.encode(errors="replace")) + len(items)
        if self.count and (size > self._most_bytes or len(self.items) + len(items) > MOST_ITEMS):
            self.stop(_ENOUGH)
            return
        self._seen |= {text} if text else set()
        self.items += items
        self.count += 1
        self._size = size if self.count > 1 else answer.size
        self._last = answer, page.around()
        self._next, self._guessed = following
        if self._guessed and len(items) < self._full:
            self._next = None
        self._full = max(self._full, len(items))
        if self._next is not None:
            self._go_on(sent)

    def stop(self, why: str) -> None:
        """Record why the reading ends before the last page."""
        self._stopped = why
        self.further = {}

    def _go_on(self, sent: Sent) -> None:
        """Set `further` to the arguments of the next page, unless a limit or a link to another host forbids it."""
        assert self._next is not None
        wanted = self._next.values(sent.tool)
        if self._is_elsewhere(self._next):
            self.stop(f"the next page is at another host, {brief(self._next.host, 100)}, to which nothing is sent")
        elif self._next.address:
            self.stop("the link to the next page is not one that the arguments of this tool can follow")
        elif all(sent.arguments.get(name) == value for name, value in wanted.items()):
            self.stop(_AGAIN)
        elif self.count >= self._most_pages or len(self.items) >= MOST_ITEMS:
            self.stop(_ENOUGH)
        else:
            self.further = wanted

    def _is_elsewhere(self, following: paging.NextPage) -> bool:
        """Return whether a link leads to another host or port than those of the API."""
        return bool(following.host) and all(following.host.removesuffix(each) != self._address for each in _PORTS)

    def told(self, sent: Sent) -> str:
        """Return how many pages were read, and how to continue; "" if the first page is the last."""
        pages = f"{self.count} page{'s' * (self.count > 1)}"
        items = f"{len(self.items):,} item{'s' * (len(self.items) != 1)}"
        if not self._stopped:
            return f"all {pages}, {items}" if self.count > 1 else ""
        told = f"the first {pages}, {items}; {self._stopped}."
        following = self._next
        if following is None or following.address or self._is_elsewhere(following):
            return told
        if self._removed and not all(isinstance(each, int) for each in following.arguments.values()):
            return told  # no advice on how to continue: a cursor may contain data that the `result` rules remove
        return f"{told} To go on, call again with {following.told(sent.tool)}"

    def response(self) -> Response | None:
        """Return the joined response; None if fewer than two pages were joined."""
        if self._last is None or self.count < 2:
            return None
        last, around = self._last
        before, _, after = around.partition(_PLACE)
        content = f"{before}[{','.join(self.items)}]{after}"
        fields = [(name, value) for name, value in last.fields if name.lower() in ("date", "retry-after")]
        return Response(
            last.status, last.reason, [*fields, ("Content-Type", "application/json")], content.encode(errors="replace")
        )


_PLACE = f'"{os.urandom(16).hex()}"'
"""Placeholder for the list while the rest of a page is serialized. It is random, so that no upstream can send it."""


class _Page:
    """One page: its parsed value, and the path to the list in it."""

    __slots__ = ("_answer", "_mark", "_steps", "_value")

    def __init__(self, answer: Response, value: Any, mark: str, steps: list[str]) -> None:
        self._answer = answer
        self._value = value
        self._mark = mark
        self._steps = steps

    @classmethod
    def read(cls, answer: Response, rule: Pages) -> _Page | None:
        """Return the page in a response, or None if the response is not complete JSON that contains the list."""
        if answer.partial or answer.size > LARGEST_PARSED:
            return None
        text, whole = decode(answer.content, answer.header("content-type"))
        mark = projection.mark(text)
        value, _ = wrapping.read(text, mark)
        if value is ABSENT or not whole:
            return None
        steps = tokens(rule["items"]) if "items" in rule else _only_list(value)
        page = None if steps is None else cls(answer, value, mark, steps)
        return page if page is not None and isinstance(page._list, list) else None

    @property
    def _list(self) -> Any:
        return find(self._value, "".join(f"/{each.replace('~', '~0').replace('/', '~1')}" for each in self._steps))

    def next(self, sent: Sent, counts: dict[str, str]) -> tuple[paging.NextPage | None, bool]:
        """Return the location of the next page, or None if none is known.

        Also return True if the location is only a guess, because the response says nothing about a next page.
        """
        text, _ = decode(self._answer.content, self._answer.header("content-type"))
        value, _ = wrapping.read(text)  # no `mark`, which would turn large numbers into texts: paging needs numbers
        value = self._with_holder(value)
        found = paging.next_page(value, sent, self._answer.header("link"), counts)
        if found is not None:
            return found, False
        if not paging.is_paged(sent.tool):
            return (paging.NextPage({}, _UNREACHED) if paging.says_more(value) else None), False
        guess = None if self._answer.header("link") else paging.untold(value, sent, counts)
        return guess, guess is not None

    def _with_holder(self, value: Any) -> Any:
        """Return the value with the list's sibling members moved to the root, where the search for paging information
        looks.
        """
        holder, around = value, {}
        for step in self._steps[:-1]:
            around.update({name: each for name, each in holder.items() if name != step and not isinstance(each, list)})
            holder = holder[step]
        if not isinstance(holder, dict):
            return holder
        last = self._steps[-1]
        return {**around, **{name: each for name, each in holder.items() if name == last or not isinstance(each, list)}}

    def remove(self, pointers: list[str]) -> None:
        """Remove the parts of this page to which the JSON Pointers lead."""
        self._value = without(self._value, pointers)

    def texts(self) -> list[str]:
        """Return the items as JSON texts, with numbers written as received."""
        found = self._list
        return [projection.exact(item, self._mark) for item in found] if isinstance(found, list) else []

    def around(self) -> str:
        """Return the JSON text of the page, with the placeholder `_PLACE` instead of the list of the page's items."""
        if not self._steps or self._value is ABSENT:
            return _PLACE
        held: Any = self._value
        for step in self._steps[:-1]:
            held = held[step] if isinstance(held, dict) and step in held else {}
        held[self._steps[-1]] = _PLACE.strip('"')
        return projection.exact(self._value, self._mark)


def _only_list(value: Any) -> list[str] | None:
    """Return the path to the only list in a response; None if there are no lists or several."""
    if isinstance(value, list):
        return []
    names = [name for name, each in value.items() if isinstance(each, list)] if isinstance(value, dict) else []
    return names if len(names) == 1 else None
