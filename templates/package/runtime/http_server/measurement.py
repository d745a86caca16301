# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pass events of the HTTP service to telemetry, if the operator has enabled telemetry."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .streamable import metrics_page
from .streamable.head import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..core.effects import Peer
    from ..core.wire_formats import Outcome
    from ..telemetry.recorder import Recorder
    from ..telemetry.reporter import Reporter
    from ..telemetry.telemetry_settings import Telemetry
    from .streamable.head import Head


class Measurement:
    """Telemetry of one HTTP service. If `reporter` is None (telemetry is off), the methods do nothing."""

    def __init__(self, reporter: Reporter | None, telemetry: Telemetry | None) -> None:
        self._reporter = reporter
        self._telemetry = telemetry
        self.recorder: Recorder | None = None if reporter is None else reporter.recorder

    def start(self, numbers: Callable[[], tuple[int, int]]) -> None:
        """Start to send or write telemetry. `numbers()` returns how many calls are running and how many are waiting."""
        if self._reporter is not None:
            self._reporter.reads_calls(numbers)
            self._reporter.start()

    async def close(self) -> None:
        """Send the last telemetry report, and stop."""
        if self._reporter is not None:
            await asyncio.to_thread(self._reporter.cut)

    def renew(self, catalog: Catalog) -> None:
        """From now on, record a tool's name only if the tool is in `catalog`. Record any other name as `_OTHER`."""
        if self.recorder is not None:
            self.recorder.renew(catalog)

    def page(self, head: Head, stranger: Callable[[Head], Answer | None]) -> Answer | None:
        """Return the response to a request for `/metrics`, or None for other paths, or if metrics are not served."""
        if head.path != metrics_page.PATH or self._reporter is None or self._telemetry is None:
            return None
        if not self._telemetry.at_path:
            return None
        page = self._reporter
        return metrics_page.answer(head, self._telemetry.token, stranger, page.text, page.media_type)

    def received(self, head: Head, peer: Peer) -> None:
        """Copy the `traceparent` header field of an HTTP request to `peer`, the request's caller."""
        if self.recorder is not None:
            peer.trace = head.get("traceparent") or ""

    def answers(self, part: object) -> None:
        """Count an HTTP response if it is an error."""
        if self.recorder is not None and isinstance(part, Answer) and part.status >= 400:
            self.recorder.turned_away(part.status)

    def ended(self, key: int, outcome: Outcome | str) -> None:
        """Record the outcome of a call, or `cancelled` if the call was cancelled and so has no outcome."""
        if self.recorder is not None:
            self.recorder.ended(key, outcome)
