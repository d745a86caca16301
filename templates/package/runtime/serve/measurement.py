# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Tell what happens over HTTP to what measures, if anything does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..streamable import metrics_page
from ..streamable.head import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..core.effects import Peer
    from ..core.wire_formats import Outcome
    from ..settings.telemetry import Telemetry
    from ..streamable.head import Head
    from ..telemetry.recorder import Recorder
    from ..telemetry.reporter import Reporter


class Measurement:
    """What is measured of one service. Without a reporter its methods do nothing."""

    def __init__(self, reporter: Reporter | None, telemetry: Telemetry | None) -> None:
        self._reporter = reporter
        self._telemetry = telemetry
        self.recorder: Recorder | None = None if reporter is None else reporter.recorder

    def start(self, numbers: Callable[[], tuple[int, int]]) -> None:
        """Begin to report. `numbers` returns how many calls run and how many wait."""
        if self._reporter is not None:
            self._reporter.reads_calls(numbers)
            self._reporter.start()

    async def close(self) -> None:
        """Report for the last time."""
        if self._reporter is not None:
            await asyncio.to_thread(self._reporter.cut)

    def renew(self, catalog: Catalog) -> None:
        """Take names from another table from now on."""
        if self.recorder is not None:
            self.recorder.renew(catalog)

    def page(self, head: Head, stranger: Callable[[Head], Answer | None]) -> Answer | None:
        """Return the response to a request for `/metrics`; None for any other, or if the metrics are not served."""
        if head.path != metrics_page.PATH or self._reporter is None or self._telemetry is None:
            return None
        if not self._telemetry.at_path:
            return None
        page = self._reporter
        return metrics_page.answer(head, self._telemetry.token, stranger, page.text, page.media_type)

    def received(self, head: Head, peer: Peer) -> None:
        """Keep the trace that the HTTP request belongs to."""
        if self.recorder is not None:
            peer.trace = head.get("traceparent") or ""

    def answers(self, part: object) -> None:
        """Count an HTTP response if it is an error."""
        if self.recorder is not None and isinstance(part, Answer) and part.status >= 400:
            self.recorder.turned_away(part.status)

    def ended(self, key: int, outcome: Outcome | str) -> None:
        """Note the outcome of a call, or a word in place of one."""
        if self.recorder is not None:
            self.recorder.ended(key, outcome)
