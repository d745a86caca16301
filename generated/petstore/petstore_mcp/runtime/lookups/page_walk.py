# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fetch all pages of a list in one call, for tools whose entry in `bindings.json` has `pages`.

Each page is a request of its own: it waits for the rate limit, hooks see it, and it uses up time of the call. If a page
cannot be fetched, the result has the earlier pages and says why the list is incomplete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..calls.plain_call import Unmade, sentence, unheard
from ..core import spans
from ..http.client import Failure
from .joined_pages import JoinedPages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from ..calls.plain_call import CallUnderWay, PreparedCall, WholeAnswer
    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..http.exchange import Response, Sent
    from ..tables.table import Pages

    Prepare = Callable[[dict[str, Any]], Awaitable[PreparedCall]]
    Exchange = Callable[[PreparedCall, dict[str, Any]], Awaitable[tuple[Response | Failure, Sent]]]


MOST_PAGES = 100
MOST_LOOKED = 10
"""Largest number of pages that one call fetches (MOST_PAGES), and that one lookup fetches (MOST_LOOKED)."""


def walk(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None] | None]:
    """Return the step that fetches the pages after the first response. All pages become the response of the call."""

    def step(call: CallUnderWay) -> Awaitable[None] | None:
        pages = tool.binding.get("pages") if call.whole is None else call.whole.pages
        assert call.answer is not None
        assert call.ready is not None
        if pages is None or call.ready.download is not None or not 200 <= call.answer.status < 300:
            return None
        return _walked(services, call, pages)

    return step


async def _walked(services: Services, call: CallUnderWay, pages: Pages) -> None:
    async def prepare(arguments: dict[str, Any]) -> PreparedCall:
        arguments = services.preparation.verified(call.tool, arguments, call.budget)
        return await services.calls.prepared(call.tool, arguments, call.budget)

    async def exchange(ready: PreparedCall, arguments: dict[str, Any]) -> tuple[Response | Failure, Sent]:
        return await services.exchange.made(call.tool, ready, arguments, unheard, call.budget)

    assert call.answer is not None
    assert call.sent is not None
    assert call.ready is not None
    pages_of_call = PageWalk(call.tool, pages, prepare, exchange, services.writer.closed)
    authority, shown = call.ready.address.authority, call.shown or services.writer.shown
    call.answer, call.sent = await pages_of_call.further(
        call.answer, call.sent, authority, shown, call.report, call.whole
    )


class PageWalk:
    """Fetcher of all pages of a list within one call."""

    def __init__(
        self, tool: Tool, rule: Pages, prepare: Prepare, exchange: Exchange, close: Callable[[Response], None]
    ) -> None:
        """Create the fetcher. `rule`: the tool's `pages` rule, which only read-only tools have.

        `prepare` checks arguments and builds a request; `exchange` sends the request; `close` frees a response.
        """
        self._tool = tool
        self._rule = rule
        self._prepare = prepare
        self._exchange = exchange
        self._close = close

    async def further(
        self,
        answer: Response,
        sent: Sent,
        authority: str,
        shown: int,
        report: Callable[[str], None],
        whole: WholeAnswer | None = None,
    ) -> tuple[Response, Sent]:
        """Fetch the pages after the first one. Return all pages joined to one response, and the last request sent.

        `answer` and `sent`: response and request of the first page. `authority`: host and port of the API. `report` is
        called with the number of pages so far. `whole`: None, unless this is an inner call that finds an item's id by
        the item's name. Then `whole.part` says which pages were read if a page is missing.
        """
        removed = self._tool.binding.get("result", {}).get("remove", ())
        most, strict = (MOST_LOOKED, True) if whole else (MOST_PAGES, False)
        joined = JoinedPages(self._rule, authority, shown, most, removed, strict)
        joined.add(answer, sent)
        arguments = sent.arguments
        while joined.further:
            report(f"page {joined.count}, {len(joined.items):,} item{'s' * (len(joined.items) != 1)}")
            arguments = {**arguments, **joined.further}
            try:
                page, asked = await self._exchange(await self._prepare(arguments), arguments)
            except Unmade as reason:
                joined.stop(f"the next page was not asked for: {sentence(self._tool.name, reason)}".rstrip("."))
                break
            if isinstance(page, Failure):
                joined.stop(f"the next page did not come: {page.reason}")
                break
            try:
                joined.add(page, asked)
                if page.status < 300:
                    sent = asked
            finally:
                self._close(page)
        if whole is not None and not joined.complete:
            whole.part = joined.extent
        spans.note(status=answer.status)
        together = joined.response()
        sent.pages = joined.told(sent)
        if together is None:
            return answer, sent
        self._close(answer)
        return together, sent
