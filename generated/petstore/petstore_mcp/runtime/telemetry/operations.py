# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Records of clients' requests (operations), and of the HTTP requests that they cause.

These objects are created during a call, so they only hold plain data. Attributes and spans are derived from the records
later (`attributes`, `spans`). The records contain no arguments, no queries and no values in a path.
"""

from __future__ import annotations

import os
from time import time_ns
from typing import TYPE_CHECKING, final

from ..http.tracecontext import parse, state_of

if TYPE_CHECKING:
    from collections import deque
    from typing import Any, Protocol

    from ..core.jsonrpc import Id
    from ..core.spans import Peer, Span
    from ..core.wire_formats import FollowedTask
    from ..request.request import Request
    from ..text.addresses import Address

    class Recorder(Protocol):
        """Interface of the object that stores the telemetry records (recorder.Recorder)."""

        waiting: deque[Any]
        sending: int
        decided: bool | None

        def samples(self, trace: str, parent: bool | None) -> bool:
            """Return whether to record the trace with this id.

            `parent`: whether the client records it, or None if unknown.
            """

        def has_enough(self) -> None:
            """Start to process the waiting telemetry records. Called when at least ENOUGH records wait."""


_AT_ONCE = 256


class Ids:
    """Source of random ids of a given number of bytes, in hexadecimal. Thread-safe."""

    __slots__ = ("_bytes", "_ready")

    def __init__(self, size: int) -> None:
        self._bytes = size
        self._ready: list[str] = []
        if hasattr(os, "register_at_fork"):  # a forked process must not use the same ids; Windows has no fork
            os.register_at_fork(after_in_child=self._ready.clear)

    def take(self) -> str:
        """Return an id that was not returned before. It is never 0, which W3C Trace Context forbids."""
        try:
            return self._ready.pop()
        except IndexError:
            zero = text = "0" * 2 * self._bytes
            while zero in text:
                text = os.urandom(self._bytes * _AT_ONCE).hex(" ", self._bytes)
            first, *others = text.split()
            self._ready.extend(others)
            return first


SPANS, TRACES = Ids(8), Ids(16)

ENOUGH = 512
"""Number of waiting telemetry records from which on `has_enough` is called."""

_SAMPLED = 1


@final
class Operation:
    """A request or notification of a client, from its arrival until its answer.

    - `method`, `target`: MCP method, and name of the tool or prompt. Names that are not defined become `_OTHER`.
    - `id`, `revision`: id of the request, None for a notification; revision of MCP, or "".
    - `uri`: URI or URI template of the resource as in `resources.json`, or "".
    - `code`, `message`: code and sentence of a protocol error. `error`: another class of error, or "".
    - `trace`, `span`, `parent`, `state`: ids of the trace, of this span and of its parent, and the `tracestate`.
    - `call`: span data of the call that the request began, or None.
    - `task`: the MCP task that the request began or asked about, or None.
    - `link`: `traceparent` of the HTTP request, if it belongs to another trace.
    - `sampled`: whether spans are recorded.
    """

    __slots__ = (
        "began", "call", "code", "ended", "error", "id", "link", "message", "method", "parent", "peer", "recorder",
        "revision", "sampled", "span", "state", "target", "task", "trace", "uri",
    )  # fmt: skip

    began: int
    ended: int
    recorder: Recorder
    method: str
    id: Id | None
    peer: Peer | None
    target: str
    revision: str
    uri: str
    message: str
    error: str
    code: int | None
    call: Span | None
    task: FollowedTask | None
    trace: str
    span: str
    parent: str
    state: str
    link: str
    sampled: bool

    def start(self) -> None:
        """Give this operation a new trace id, and decide whether the trace is recorded.

        The attribute `span` (id of this operation's span) is set when a call begins, or by `close` if no call began.
        """
        self.trace = TRACES.take()
        decided = self.recorder.decided
        self.sampled = self.recorder.samples(self.trace, None) if decided is None else decided

    def join(self, traceparent: object, tracestate: object) -> None:
        """Join the client's trace if it names one, else begin a trace.

        The attribute `span` (id of this operation's span) is set when a call begins, or by `close` if no call began.
        """
        parent = parse(traceparent) if traceparent is not None else None
        if parent is None:
            self.start()
            return
        self.trace, self.parent, flags = parent
        self.state = state_of(tracestate) if tracestate else ""
        self.sampled = self.recorder.samples(self.trace, bool(int(flags, 16) & _SAMPLED))

    def close(self) -> None:
        """Record that the answer has been sent."""
        if not self.span and self.trace:
            self.span = SPANS.take()
        self.ended = time_ns()
        waiting = self.recorder.waiting
        waiting.append(self)
        if len(waiting) >= ENOUGH:
            self.recorder.has_enough()

    def sends(self, request: Request, address: Address) -> Sending:
        """Begin the telemetry record of an HTTP request that is being sent now, and return the record."""
        sending = Sending()
        sending.began = time_ns()
        sending.operation = self
        sending.method = request.method
        sending.template = address.path + request.template if request.template else ""
        sending.address = address
        sending.again = request.sent
        request.sent += 1
        sending.status = 0
        sending.error = sending.span = ""
        sending.fields = []
        self.recorder.sending += 1
        if self.trace:
            sending.span = span = SPANS.take()
            if request.traced:
                flags = "01" if self.sampled else "00"
                sending.fields.append(("traceparent", f"00-{self.trace}-{span}-{flags}"))
                if self.state:
                    sending.fields.append(("tracestate", self.state))
        return sending


# A constructor would cost 1,000 of the 54,000 instructions that telemetry may add to a call (docs/decisions/speed.md).
def new_operation(recorder: Recorder, method: str, id: Id | None, peer: Peer | None) -> Operation:  # noqa: A002
    """Return a new telemetry record for an MCP message that was just received."""
    begun = Operation()
    begun.began = time_ns()
    begun.recorder = recorder
    begun.method = method
    begun.id = id
    begun.peer = peer
    begun.target = begun.revision = begun.uri = begun.message = begun.error = ""
    begun.trace = begun.span = begun.parent = begun.state = begun.link = ""
    begun.code = begun.call = begun.task = None
    begun.sampled = False
    return begun


@final
class Sending:
    """An HTTP request, from its beginning to its response.

    - `method`, `template`: HTTP method, and path with placeholders for values; "" if no path may be recorded.
    - `address`: address of the server to which it is sent.
    - `status`: HTTP status, 0 without a response. `error`: OpenTelemetry's `error.type`, or "".
    - `again`: how often the same request was sent before.
    - `fields`: W3C trace context fields that are sent to the API.
    """

    __slots__ = (
        "address", "again", "began", "ended", "error", "fields", "method", "operation", "span", "status", "template",
    )  # fmt: skip

    began: int
    ended: int
    operation: Operation
    method: str
    template: str
    address: Address
    again: int
    status: int
    error: str
    span: str
    fields: list[tuple[str, str]]

    def close(self, problem: BaseException | None) -> None:
        """Record that the response was received, or how the request failed."""
        self.ended = time_ns()
        if problem is not None:
            cancelled = type(problem).__name__ == "CancelledError"
            self.error = "cancelled" if cancelled else str(getattr(problem, "kind", "")) or "_OTHER"
        recorder = self.operation.recorder
        recorder.sending -= 1
        recorder.waiting.append(self)
