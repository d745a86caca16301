# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Log one line per request, and add the request's bytes to the span and the metrics of its call.

A line names the method, the host and the path template. It never contains a query or an argument's value. A path that a
hook changed may contain anything, so the line names the hook instead of the path.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..core import log, spans

if TYPE_CHECKING:
    from types import TracebackType

    from ..core.spans import Reading, Sending
    from ..request.request import Request
    from ..text.addresses import Address
    from .exchange import Response


class Exchange:
    """Context manager that logs and measures one request and its response."""

    __slots__ = ("_address", "_heard", "_line", "_number", "_request", "_sending", "_span", "_started")

    def __init__(self, request: Request, address: Address) -> None:
        self._request = request
        self._address = address
        self._span = spans.current() or spans.Span()
        self._heard = log.hears("debug")
        self._sending: Sending | None = None

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the trace header fields for the upstream, or [] if no trace is recorded."""
        return [] if self._sending is None else self._sending.fields

    def __enter__(self) -> Exchange:
        self._span.requests += 1
        if self._span.client_log is not None:
            self._span.client_log("debug", f"Sends {self._request.method} {self._request.template}.")
        if self._span.operation is not None:
            self._sending = self._span.operation.sends(self._request, self._address)
        if self._heard:
            self._number, self._started = self._span.requests, time.monotonic()
            self._line: dict[str, object] = {}
        return self

    def reads(self, body: Reading) -> None:
        """Let the progress reports of the call say how much of this response was received."""
        self._span.reads = body

    def answered(self, answer: Response) -> None:
        """Record the response's status and the number of bytes sent and received."""
        sent, received = len(self._request.body or b""), answer.size
        self._span.sent += sent
        self._span.received += received
        if self._sending is not None:
            self._sending.status = answer.status
        if self._span.client_log is not None:
            self._span.client_log("debug", f"The API answered {answer.named} with {received:,} bytes.")
        if self._heard:
            self._line = {"status": answer.status, "sent": sent, "received": received}

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._span.reads = None
        if self._sending is not None:
            self._sending.close(problem)
        if not self._heard:
            return
        made = {"method": self._request.method, "url": f"{self._address}{self._request.template}"}
        if self._request.rewritten:
            made["rewritten"] = self._request.rewritten
        if kind is not None:
            self._line["failed"] = getattr(problem, "reason", kind.__name__)
        milliseconds = round((time.monotonic() - self._started) * 1000, 1)
        log.event("debug", "request", request=self._number, **made, **self._line, ms=milliseconds)
