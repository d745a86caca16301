# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Operations: what is noted of a request of a client, and of each HTTP request that it leads to.

These objects are made on the way of a call, so they only hold facts. What follows from them is found out later
(`attributes`, `spans`). No argument, no query and no value of a path is among them.
"""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING

from ..http.tracecontext import parse, state_of
from .ids import span_id, trace_id

if TYPE_CHECKING:
    from collections import deque
    from typing import Any, Protocol

    from ..core.effects import Peer
    from ..core.jsonrpc import Id
    from ..core.spans import Span
    from ..request.request import Request
    from ..text.addresses import Address

    class Recorder(Protocol):
        """Protocol for what keeps the records (recorder.Recorder)."""

        waiting: deque[Any]
        sending: int
        decided: bool | None

        def samples(self, trace: str, parent: bool | None) -> bool:
            """Return whether a trace is recorded."""

        def has_enough(self) -> None:
            """Let the waiting records be counted now."""


ENOUGH = 512
"""Number of waiting records at which they are taken at once."""

_SAMPLED = 1


class Operation:
    """A request or notification of a client, until its answer.

    - `method`, `target`: MCP method; name of the tool or prompt. Names that nobody has defined are `_OTHER`.
    - `kind`: what the target is, `tool`, `prompt` or "".
    - `id`, `revision`: id of the request, None for a notification; revision of MCP, or "".
    - `uri`: URI of the resource as the table has it, or "".
    - `code`, `message`: code and sentence of an error of the protocol. `error`: another class of error, or "".
    - `trace`, `span`, `parent`, `state`: ids of the trace, of this span and of its parent, and the `tracestate`.
    - `call`: what else is known of the call that it began, or None.
    - `link`: `traceparent` of the HTTP request, if it is another trace.
    - `sampled`: whether spans are recorded.
    """

    __slots__ = (
        "began",
        "call",
        "code",
        "ended",
        "error",
        "id",
        "kind",
        "link",
        "message",
        "method",
        "parent",
        "peer",
        "recorder",
        "revision",
        "sampled",
        "span",
        "state",
        "target",
        "trace",
        "uri",
    )

    def __init__(self, recorder: Recorder, method: str, id: Id | None, peer: Peer | None) -> None:  # noqa: A002
        self.began = time_ns()
        self.ended = 0
        self.recorder = recorder
        self.method = method
        self.id = id
        self.peer = peer
        self.target = self.kind = self.revision = self.uri = self.message = self.error = ""
        self.code: int | None = None
        self.call: Span | None = None
        self.trace = self.span = self.parent = self.state = self.link = ""
        self.sampled = False

    def start(self) -> None:
        """Begin a trace. `span` is named later."""
        self.trace = trace_id()
        decided = self.recorder.decided
        self.sampled = self.recorder.samples(self.trace, None) if decided is None else decided

    def join(self, traceparent: object, tracestate: object) -> None:
        """Join the trace that the client names, or begin one. `span` is named later."""
        parent = parse(traceparent) if traceparent is not None else None
        if parent is None:
            self.start()
            return
        self.trace, self.parent, flags = parent
        self.state = state_of(tracestate) if tracestate else ""
        self.sampled = self.recorder.samples(self.trace, bool(int(flags, 16) & _SAMPLED))

    def close(self) -> None:
        """Note that the answer is there."""
        if not self.span and self.trace:
            self.span = span_id()
        self.ended = time_ns()
        waiting = self.recorder.waiting
        waiting.append(self)
        if len(waiting) >= ENOUGH:
            self.recorder.has_enough()

    def sends(self, request: Request, address: Address) -> Sending:
        """Return the record of an HTTP request that is sent now."""
        return Sending(self, request, address)


class Sending:
    """An HTTP request, from its beginning to its response.

    - `method`, `template`: HTTP method; path with names in place of values, "" if no path may be told.
    - `host`, `port`, `origin`: where it goes.
    - `status`: HTTP status, 0 without a response. `error`: class of error, or "".
    - `again`: how often the same request was sent before.
    - `fields`: header fields that tell the API of the trace.
    """

    __slots__ = (
        "again",
        "began",
        "ended",
        "error",
        "fields",
        "host",
        "method",
        "operation",
        "origin",
        "port",
        "span",
        "status",
        "template",
    )

    def __init__(self, operation: Operation, request: Request, address: Address) -> None:
        self.began = time_ns()
        self.ended = 0
        self.operation = operation
        self.method = request.method
        self.template = address.path + request.template if request.template else ""
        self.host, self.port, self.origin = address.host, address.port, address.origin
        self.again = request.sent
        request.sent += 1
        self.status = 0
        self.error = ""
        self.span = ""
        self.fields: list[tuple[str, str]] = []
        operation.recorder.sending += 1
        if operation.trace:
            self.span = span_id()
            if request.traced:
                self.fields = [("traceparent", f"00-{operation.trace}-{self.span}-0{int(operation.sampled)}")]
                if operation.state:
                    self.fields.append(("tracestate", operation.state))

    def close(self, problem: BaseException | None) -> None:
        """Note that the response is there, or what went wrong."""
        self.ended = time_ns()
        if problem is not None:
            cancelled = type(problem).__name__ == "CancelledError"
            self.error = "cancelled" if cancelled else str(getattr(problem, "kind", "")) or "_OTHER"
        recorder = self.operation.recorder
        recorder.sending -= 1
        waiting = recorder.waiting
        waiting.append(self)
        if len(waiting) >= ENOUGH:
            recorder.has_enough()
