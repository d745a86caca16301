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
from ..pointers.drop_fields import tokens, without
from ..pointers.pointers import find
from ..result import paging, projection
from ..result.page_arguments import is_paged
from ..result.paging import list_path
from ..result.response import LARGEST_PARSED, read_json
from ..text.sanitize import brief, decode

if TYPE_CHECKING:
    from ..http.exchange import Sent
    from ..result.paging import PageFacts
    from ..tables.table import Pages

MOST_ITEMS = 10_000

_PORTS = ("", ":80", ":443")
_UNREACHED = "further"
"""Address of a next page that a response only announces, without saying where it is."""

_ENOUGH = "more is not taken in one call"
_AGAIN = "the API then answered with a page that it had given before"
_UNNAMED = "the API names no further page"
_BEHIND = (400, 404, 410, 416, 422)
"""Statuses with which APIs answer a request for a page behind the last one."""


class JoinedPages:
    """Pages of one list, in order.

    - `count`: how many pages are joined. `items`: the items of these pages as JSON texts.
    - `further`: arguments that request the next page; empty after the last page.
    """

    __slots__ = (
        "_address", "_last", "_most_bytes", "_most_pages", "_next", "_pages", "_progress", "_removed", "_seen",
        "_size", "_steps", "_stopped", "_total", "_unnamed", "count", "further", "items",
    )  # fmt: skip

    def __init__(
        self, rule: Pages, address: str, shown: int, most: int, removed: Any = (), strict: bool = False
    ) -> None:
        """Begin without pages. `address`: host and port of the API. `shown`: limit on the bytes that a result shows.
        `most`: limit on pages.

        `removed` lists pointers to the parts of each page that must not leave this server. `strict`: no page may be
        missed, even if the API says neither the number of the first page nor how many items there are.
        """
        self._steps = tokens(rule["items"]) if "items" in rule else None
        self._address = address
        self._most_pages, self._most_bytes = most, max(LARGEST_PARSED, 2 * shown)
        self._removed = removed
        self._progress = paging.Progress(strict)
        self._seen: set[str] = set()
        self._size = self._total = self._pages = 0
        self._last: tuple[Response, str] | None = None
        self._next: paging.NextPage | None = None
        self._stopped = ""
        self._unnamed = False
        self.further: dict[str, Any] = {}
        self.items: list[str] = []
        self.count = 0

    @property
    def complete(self) -> bool:
        """Return True if the last page of the list is joined, and all of its items, as far as the API tells."""
        return self.count > 0 and not (self._stopped or self._lacks)

    @property
    def _lacks(self) -> bool:
        """Return whether fewer items, or pages, were read than the API says that there are.

        This is also so if a flag announces a page, and nothing says how to request this page.
        """
        before, read = self._progress.before, len(self.items)
        if before is None or self._unnamed:
            return self._unnamed
        return before + read < self._total or (not before and self.count < self._pages and read != self._total)

    def add(self, answer: Response, sent: Sent) -> None:
        """Append the items of the page in `answer`. Append none if `answer` is an error or lacks the list, or if the
        page repeats an earlier page or exceeds a limit.

        Then set `further` to the arguments that request the next page, or to {} if no page is to be requested.
        """
        self.further = {}
        page = _Page.read(answer, self._steps) if 200 <= answer.status < 300 else None
        if page is None:
            self._end(answer)
            return
        self._steps = page.steps
        facts = page.facts(sent)
        following = page.next(facts, sent, self._progress)
        self._unnamed = bool(facts.more) and following is None
        if self._removed:
            page.remove(self._removed)
        items = page.texts()
        text = "\n".join(items)
        if text and text in self._seen:
            self._again(sent)
            return
        if self.count and not items and following is None:
            self._last = answer, page.around()
            self._end_empty()
            return
        size = self._size + len(text.encode(errors="replace")) + len(items)
        if self.count and (size > self._most_bytes or len(self.items) + len(items) > MOST_ITEMS):
            self.stop(_ENOUGH)
            return
        if not self.count:
            self._begin(facts, sent)
        self._seen |= {text} if text else set()
        self.items += items
        self.count += 1
        self._size = size if self.count > 1 else answer.size
        self._last = answer, page.around()
        self._total, self._pages = facts.total or self._total, facts.pages or self._pages
        self._progress.read = len(self.items)
        self._next = following
        if self._next is not None:
            self._progress.announced |= not self._next.guessed
            self._go_on(sent)

    def _begin(self, facts: PageFacts, sent: Sent) -> None:
        """Remember where in its list the first page stands."""
        place = paging.Place(facts, sent, self._progress)
        self._progress.first = place.first
        self._progress.before = None if place.end is None else place.end - len(facts.items)

    def _end_empty(self) -> None:
        """End the reading at a page without items."""
        if self._lacks:
            self.stop("the next page was empty")

    def _end(self, answer: Response) -> None:
        """End the reading at a response that is no page. This is the end of the list if the page was only a guess."""
        if self.count and answer.status == 204:
            self._end_empty()
        elif self.count and not (self._next and self._next.guessed and answer.status in _BEHIND):
            told = "is no such list" if 200 <= answer.status < 300 else f"was answered with {answer.named}"
            self.stop(f"the next page {told}")

    def _again(self, sent: Sent) -> None:
        """End the reading at a page that was read before. If it can be the first page, go on with the page after it."""
        following, progress = self._next, self._progress
        if following and self.count == 1 and not progress.first and (later := following.behind_first(sent.tool)):
            progress.first, self._next = 1, later
            self._go_on(sent)
        elif self._lacks or not (self._total or (following and following.guessed)):
            self.stop(_AGAIN)

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

    @property
    def extent(self) -> str:
        """Return which pages were read, and how many items they have."""
        if not self.count:
            return "a part of the answer"
        begun = self._progress.before != 0
        total = f" of {self._total:,}" if len(self.items) < self._total else ""
        every = f" of {self._pages:,}" if self.count < self._pages and not (begun or total) else ""
        which = ("the last " if begun else "all ") if self.complete else "" if begun else "the first "
        pages = f"{which}{self.count}{every} page{'s' * (bool(every) or self.count > 1)}"
        return f"{pages}, {len(self.items):,}{total} item{'s' * (bool(total) or len(self.items) != 1)}"

    def told(self, sent: Sent) -> str:
        """Return how many pages were read, and how to continue; "" if the first page is the last."""
        if self.complete:
            return self.extent if self.count > 1 else ""
        told = f"{self.extent}; {self._stopped or _UNNAMED}."
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

    __slots__ = ("_answer", "_mark", "_value", "steps")

    def __init__(self, answer: Response, value: Any, mark: str, steps: list[str]) -> None:
        self._answer = answer
        self._value = value
        self._mark = mark
        self.steps = steps

    @classmethod
    def read(cls, answer: Response, steps: list[str] | None) -> _Page | None:
        """Return the page in a response, or None if the response is not complete JSON that contains the list.

        `steps`: path to the list, None to take the only list.
        """
        if answer.partial or answer.size > LARGEST_PARSED:
            return None
        text, whole = decode(answer.content, answer.header("content-type"))
        mark = projection.mark(text)
        value, _ = read_json(text, mark)
        if value is ABSENT or not whole:
            return None
        steps = list_path(value) if steps is None else steps
        page = None if steps is None else cls(answer, value, mark, steps)
        return page if page is not None and isinstance(page._list, list) else None

    @property
    def _list(self) -> Any:
        found = find(self._value, "".join(f"/{each.replace('~', '~0').replace('/', '~1')}" for each in self.steps))
        # Some APIs write null for an empty list. HAL leaves out `_embedded` if there are no items.
        left_out = self.steps[:1] == ["_embedded"] and isinstance(self._value, dict) and "_embedded" not in self._value
        return [] if found is None or left_out else found

    def facts(self, sent: Sent) -> PageFacts:
        """Return what the response says about the pages of the list."""
        text, _ = decode(self._answer.content, self._answer.header("content-type"))
        value, _ = read_json(text)  # no `mark`, which would turn large numbers into texts: paging needs numbers
        return paging.facts_of(self._answer, value, sent, self.steps)

    def next(self, facts: PageFacts, sent: Sent, progress: paging.Progress) -> paging.NextPage | None:
        """Return the location of the next page, or None if none is known."""
        if link := paging.linked_page(self._answer.header("link"), sent):
            return link[0]
        if is_paged(sent.tool):
            return paging.following(facts, sent, 0, progress)
        return paging.NextPage({}, _UNREACHED) if facts.more or any(facts.following) else None

    def remove(self, pointers: list[str]) -> None:
        """Remove the parts of this page to which the JSON Pointers lead."""
        self._value = without(self._value, pointers)

    def texts(self) -> list[str]:
        """Return the items as JSON texts, with numbers written as received."""
        found = self._list
        return [projection.exact(item, self._mark) for item in found] if isinstance(found, list) else []

    def around(self) -> str:
        """Return the JSON text of the page, with the placeholder `_PLACE` instead of the list of the page's items."""
        if not self.steps or self._value is ABSENT:
            return _PLACE
        held: Any = self._value
        for step in self.steps[:-1]:
            held = held.setdefault(step, {}) if isinstance(held, dict) else {}
        held[self.steps[-1]] = _PLACE.strip('"')
        return projection.exact(self._value, self._mark)
