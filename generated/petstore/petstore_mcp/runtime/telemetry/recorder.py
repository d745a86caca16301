# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store records of the requests, calls and answers that occur. Counting them is left to another thread.

The methods that the server calls only append to a queue. `take` empties the queue, in the thread that calls it.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from ..core.effects import BARE, METHODS, VERSION, Call, Fetch, ReadResource, SendError
from ..core.jsonrpc import Request
from ..core.spans import Span
from ..core.wire_formats import STATELESS_REVISIONS, Contents, Failure, Question, Result, Task, has
from . import metrics
from .operations import SPANS, new_operation

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..core.effects import Effect
    from ..core.jsonrpc import Notification
    from ..core.spans import Peer
    from ..core.wire_formats import FollowedTask, Outcome
    from .operations import Operation, Sending
    from .telemetry_settings import Telemetry

OTHER = "_OTHER"
MOST_WAITING = 20_000
"""Maximum number of records that wait to be counted. Beyond it, the oldest records are dropped, and counted as lost."""

_NOTIFICATIONS = (
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
)
_KNOWN = {**{method: method for method in (*METHODS, *_NOTIFICATIONS)}, **BARE}
_KEPT = "://result/"
_CUT = "cut"
_NO = ("decline", "cancel")


class Counted(NamedTuple):
    """A value to add to a metric: a number to a counter, seconds to a histogram."""

    metric: metrics.Metric
    attributes: tuple[tuple[str, str], ...]
    value: float


class Recorder:
    """Observer of the MCP messages that one process receives, and of the HTTP requests that it sends.

    - `waiting`: queue of telemetry records that the reporter has not taken yet. `lost`: number of dropped records.
    - `sending`: number of sent HTTP requests without a response so far.
    - `decided`: whether traces that begin here are recorded; None if `samples` decides for each trace.
    """

    def __init__(self, telemetry: Telemetry, catalog: Catalog, over_http: bool) -> None:
        self._traces = telemetry.traces is not None
        self._sampler, self._by_parent = telemetry.sampler, telemetry.by_parent
        self._bound = int(telemetry.ratio * 2**64)
        self.decided = None if telemetry.sampler == "traceidratio" else telemetry.sampler == "always_on"
        self._catalog = catalog
        self.waiting: deque[Operation | Sending | Counted] = deque()
        self._open: dict[int, Operation] = {}
        self._began = time.monotonic()
        self._revision = ""
        self.over_http = over_http
        self.sending = 0
        self.lost = 0
        self.wake: Callable[[], None] = _nobody
        self.gauges: dict[metrics.Metric, Callable[[], int]] = {
            metrics.OPEN: lambda: len(self._open),
            metrics.SENDING: lambda: self.sending,
        }

    def renew(self, catalog: Catalog) -> None:
        """From now on, record the names of tools in `catalog`. Any other name is recorded as `_OTHER`."""
        self._catalog = catalog

    # Methods that the MCP server calls (core.protocol.Observer)

    def begin(self, message: Request | Notification, peer: Peer | None) -> Operation:
        """Return a new telemetry record for an MCP message that was just received."""
        if isinstance(message, Request):
            begun, meta = new_operation(self, _KNOWN.get(message.method, OTHER), message.id, peer), message.meta
        else:
            begun, meta = (
                new_operation(self, _KNOWN.get(message.method, OTHER), None, peer),
                message.params.get("_meta"),
            )
        if self._traces:
            if meta and isinstance(meta, dict):
                begun.join(meta.get("traceparent"), meta.get("tracestate"))
            else:
                begun.start()
            if peer is not None:
                begun.link = peer.trace
        return begun

    def answered(self, operation: Operation, message: Request, effects: list[Effect], agreed: str | None) -> None:
        """Record the answer to a request, or the start of the call that will give it.

        `effects`: the actions that the request caused; one of them sends the answer or starts the call. `agreed`: the
        revision of MCP that a handshake has set, or None.
        """
        meta = message.meta
        said = meta.get(VERSION) if meta and isinstance(meta, dict) else None
        operation.revision = said if said and said in STATELESS_REVISIONS else agreed or ""
        for effect in effects:
            if type(effect) is Call:  # checked first, since most requests call a tool
                operation.target = effect.name
                self._open[effect.key] = operation
                _follow(operation, effect)
                return
            if isinstance(effect, (Fetch, ReadResource)):
                operation.uri = self._told_uri(effect)
                self._open[effect.key] = operation
                if isinstance(effect, Fetch):
                    _follow(operation, effect)
                return
            if isinstance(effect, Call):  # a request about an MCP task, or a prompt or completion that needs the API
                self._name(operation, message)
                self._open[effect.key] = operation
                _follow(operation, effect)
                return
            if isinstance(effect, SendError):
                operation.code, operation.message = effect.code, effect.sentence
        self._name(operation, message)
        if operation.method == "initialize" and operation.code is None:
            self._revision = operation.revision
        if operation.code is not None and operation.method == "tools/call":
            self.count(metrics.REFUSED, ("reason", "rejected"))
        operation.close()

    def notified(self, message: Notification, peer: Peer | None, agreed: str | None) -> None:
        """Record a notification that the client has sent."""
        operation = self.begin(message, peer)
        operation.revision = agreed or ""
        operation.close()

    def ended(self, key: int, outcome: Outcome | str) -> None:
        """Record the outcome of a call, or a word such as "cancelled" for a call that ended without outcome.

        If a call is reported twice, only the first report is used.
        """
        operation = self._open.pop(key, None)
        if operation is None:
            return
        _hear(operation, outcome)
        call, operation.call = operation.call, None
        if call is not None and call.task is not None:
            self._follow_task(operation, call.task)
        operation.close()
        if call is None or not (call.confirmation or call.refused) or isinstance(outcome, Question):
            return
        if call.confirmation in _NO:
            self.count(metrics.REFUSED, ("reason", "declined"))
        elif call.refused or call.confirmation not in ("", "accept"):
            self.count(metrics.REFUSED, ("reason", "refused"))

    def turned_away(self, status: int) -> None:
        """Count an HTTP request of a client that is answered with this error status."""
        self.count(metrics.TURNED_AWAY, ("status", str(status)))

    def session_over(self, seconds: float, revision: str) -> None:
        """Record that a session has ended, which lasted `seconds` seconds."""
        told = (("mcp.protocol.version", revision),) if revision else ()
        self.waiting.append(Counted(metrics.SESSIONS, (*told, *self.transport), max(seconds, 0.0)))

    # Methods that `Operation` and `Sending` call

    def samples(self, trace: str, parent: bool | None) -> bool:
        """Return whether a trace is recorded.

        `parent`: whether the client records the trace; None if the client sent no trace context.
        """
        if parent is not None and self._by_parent:
            return parent
        if self._sampler == "traceidratio":
            return int(trace[16:], 16) < self._bound
        return self._sampler == "always_on"

    def has_enough(self) -> None:
        """Drop the oldest waiting records beyond MOST_WAITING. Wake the reporter's thread, which turns the other
        records into metrics and spans.
        """
        while len(self.waiting) > MOST_WAITING:
            self.waiting.popleft()
            self.lost += 1
        self.wake()

    # Methods that the reporter calls

    @property
    def transport(self) -> tuple[tuple[str, str], ...]:
        """Return the OpenTelemetry attributes that describe the transport between clients and this server."""
        if self.over_http:
            return ("network.transport", "tcp"), ("network.protocol.name", "http")
        return (("network.transport", "pipe"),)

    def take(self) -> list[Operation | Sending | Counted]:
        """Remove all waiting records from the queue and return them."""
        waiting = self.waiting
        return [waiting.popleft() for _ in range(len(waiting))]

    def count(self, metric: metrics.Metric, *attributes: tuple[str, str]) -> None:
        """Add 1 to the counter `metric` for these attributes."""
        self.waiting.append(Counted(metric, attributes, 1.0))

    def close(self) -> None:
        """Record that each open call is cut off, because the process ends. Over stdio, record the session's end too."""
        for key in list(self._open):
            self.ended(key, _CUT)
        if not self.over_http:
            self.session_over(time.monotonic() - self._began, self._revision)

    # Private methods

    def _told_uri(self, effect: Fetch | ReadResource) -> str:
        """Return the URI or URI template that `resources.json` lists for the resource.

        The URI of a stored result is replaced by a template, since whoever knows the URI can read the result.
        """
        if isinstance(effect, Fetch):
            return effect.name
        scheme, kept, _ = effect.uri.partition(_KEPT)
        return f"{self._catalog.name}{_KEPT}{{id}}" if kept and scheme == self._catalog.name else OTHER

    def _follow_task(self, operation: Operation, task: FollowedTask) -> None:
        """Record the MCP task that a request began or asked about, and count the task's status."""
        operation.task = task
        if operation.method != "tools/call":
            operation.target = task.tool
        if task.status:
            about = ("mcp.method.name", operation.method), ("gen_ai.tool.name", task.tool)
            self.count(metrics.TASKS, *about, ("status", task.status))

    def _name(self, operation: Operation, message: Request) -> None:
        """Set `target` or `uri` of `operation`, the telemetry record of a request, from the request's params.

        The name of an unknown tool becomes `_OTHER`, and so does a prompt or URI that was answered with an error.
        """
        method, params = operation.method, message.params
        if method == "tools/call":
            name = params.get("name")
            operation.target = name if isinstance(name, str) and self._catalog.has(name) else OTHER
        elif method == "prompts/get":
            operation.target = OTHER if operation.code else str(params.get("name"))
        elif method == "resources/read":
            operation.uri = OTHER if operation.code else str(params.get("uri"))


def _hear(operation: Operation, outcome: Outcome | str) -> None:
    """Set the error of `operation`, a client's MCP request, by the outcome of the call that it began."""
    # Results are checked first, since most calls end with one.
    if isinstance(outcome, Result):
        if outcome.is_error and operation.method != "tools/call":  # the client gets protocol error -32603
            operation.code = -32603
        elif outcome.is_error:
            operation.error = "tool_error"
    elif isinstance(outcome, str):
        operation.error = outcome
    elif isinstance(outcome, Failure):
        operation.code, operation.message = outcome.code, outcome.sentence
    elif isinstance(outcome, Contents) and outcome.contents is None:
        operation.code = -32602 if has(operation.revision, "unknown resource is invalid params") else -32002
    elif isinstance(outcome, Task) and outcome.answers != "call" and outcome.result and outcome.result.is_error:
        operation.error = "tool_error"


def _follow(operation: Operation, call: Call) -> None:
    """Create the span of a call, and store in it `operation`, the record of the client's request that causes the call.

    Code that runs during the call finds this record by `spans.current`.
    """
    span = operation.call = call.span = Span(call.origin, SPANS.take())
    span.operation = operation
    operation.span = span.call


def _nobody() -> None:
    """Do nothing. This is the value of `Recorder.wake` until a reporter replaces it."""
