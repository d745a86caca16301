# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Span: an id that all log lines of one call share, and facts about the call so far.

The id is a span id of W3C Trace Context, so the upstream's log can refer to the same call. `serve/engine.py` creates a
span when it takes a call. All code of the call, including asyncio tasks that it starts, gets the span by `current`.
"""

from __future__ import annotations

import os
from _contextvars import ContextVar  # the C part of `contextvars`; the Python part adds nothing and costs an import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token
    from typing import Any, Protocol

    from ..identity.identity import Identity
    from .catalog import Catalog
    from .wire_formats import FollowedTask

    class Peer(Protocol):
        """Typing protocol that `admission.Peer` implements: the sender of an HTTP request to this server."""

        principal: str
        session: str
        address: str
        identity: Identity | None
        given: dict[str, str]
        trace: str

        @property
        def caller(self) -> str:
            """Return the text that identifies the caller for limits per caller."""

        @property
        def owner(self) -> str:
            """Return the key under which the sender of the request owns private data, such as stored results."""

    class Origin(Protocol):
        """Interface of an object that says who made a call, and to which trace the call belongs (effects.Origin)."""

        client: object
        traceparent: object
        tracestate: object

        @property
        def peer(self) -> Peer | None:
            """Return the sender of the HTTP request that made the call. Return None over stdio."""

    class Sending(Protocol):
        """Interface of the telemetry record of one HTTP request to the upstream (telemetry.operations.Sending)."""

        status: int
        fields: list[tuple[str, str]]

        def close(self, problem: BaseException | None) -> None:
            """Record the end of the request. `problem`: the exception that ended it, or None if a response arrived."""

    class Reading(Protocol):
        """Interface of a response that is being read (client.Body)."""

        received: int

        @property
        def expected(self) -> int | None:
            """Return the size of the body in bytes, or None if the response has not begun or does not state a size."""

        @property
        def began(self) -> bool:
            """Return True if the head of the response has arrived."""

    class Progress(Protocol):
        """Interface for the progress that hooks report (accepted_call.AcceptedCall). `hook`: identity of the hook's
        run.
        """

        def advance(self, hook: object, done: float, total: float | None, message: str) -> None:
            """Report progress of a hook to the client."""

        def leave(self, hook: object) -> None:
            """Record that the run of the hook has ended."""

    class Operation(Protocol):
        """Interface of the telemetry record of a client's request (telemetry.operations.Operation)."""

        trace: str

        def sends(self, request: Any, address: Any) -> Sending:
            """Begin the telemetry record of an HTTP request that is sent to the upstream now, and return the record."""


WHOLE = 1024 * 1024
"""Largest answer in bytes that a program of the model gets."""


class _UnknownOrigin:
    """Origin of a call for which the client states neither caller nor trace."""

    __slots__ = ("client", "peer", "traceparent", "tracestate")

    def __init__(self) -> None:
        self.client: object = None
        self.peer: Peer | None = None
        self.traceparent: object = None
        self.tracestate: object = None


# A span id of W3C Trace Context, so that an operator finds the same call in the API's trace and in this log.
class Span:
    """Facts about one call, for its log lines and its audit line.

    - `call`: id of 16 hexadecimal digits. `account`: name of the account whose credentials are used, or "".
    - `requests`: requests sent to any upstream; `sent` and `received`: bytes of their bodies.
    - `status`: last HTTP status of the API, 0 before the first.
    - `confirmation`: outcome of the user's confirmation of the call, such as `decline`; "" if none was needed.
    - `questions`: name of each question of the tool -> how the user answered, such as `accept`.
    - `unanswered`: outcome of the question that ended the call, such as `decline`, or "".
    - `refused`: True if the server kept the request from being sent.
    - `rewritten`: name of the hook that changed the path, "" if none did.
    - `parsed`: names of arguments that came as JSON text and were parsed.
    - `acted`: True once the request, or the hook in its place, has started.
    - `over`: True once the call was given up, so that it must not start the request any more.
    - `offered`: for a call over HTTP, the tools that its caller may use; else None.
    - `program`: id of the run if the call runs a program that the model wrote, or is made by such a program; else "".
    - `whole`: True if the answer goes to a program, not to a model; it is then not truncated to the model's limit.
    - `cut`: True if the answer was truncated.
    - `within`: id of the call that makes this call, "" for a call of a client.
    - `looked_up`: argument -> id, for arguments in which the model gave a name and the server found the id.
    - `operation`: what is measured about the client's request, None if nothing is measured.
    - `client_log`: function that sends a log message (level, content) to the client, or None if the client wants none.
    - `progress`: what sends the progress of hooks to the client, or None if the client wants none.
    - `task`: the MCP task that the call began or asked about; None without such a task, or if nothing is measured.
    - `said`: message of the last progress of a hook, without secrets, or "".
    - `reads`: the response that the call waits for or reads, None if there is no request under way.
    """

    __slots__ = (
        "account", "acted", "call", "client_log", "confirmation", "cut", "looked_up", "offered", "operation",
        "origin", "over", "parsed", "program", "progress", "questions", "reads", "received", "refused", "requests",
        "rewritten", "said", "sent", "status", "task", "unanswered", "whole", "within",
    )  # fmt: skip

    def __init__(self, origin: Origin | None = None, call: str = "") -> None:
        self.call = call or os.urandom(8).hex()
        self.origin: Origin = origin or _UnknownOrigin()
        self.account = ""
        self.requests = 0
        self.sent = 0
        self.received = 0
        self.status = 0
        self.confirmation = ""
        self.questions: dict[str, str] = {}
        self.unanswered = ""
        self.refused = False
        self.rewritten = ""
        self.parsed: tuple[str, ...] = ()
        self.acted = False
        self.over = False
        self.offered: Catalog | None = None
        self.program = ""
        self.whole = False
        self.cut = False
        self.within = ""
        self.looked_up: dict[str, str | int] = {}
        self.operation: Operation | None = None
        self.reads: Reading | None = None
        self.client_log: Callable[[str, object], None] | None = None
        self.progress: Progress | None = None
        self.said = ""
        self.task: FollowedTask | None = None

    @property
    def traced(self) -> bool:
        """Return True if the call belongs to a trace, either a trace of this server or one of the client."""
        return bool(self.origin.traceparent) or (self.operation is not None and bool(self.operation.trace))

    # Two threads share the flags `acted` and `over` without a lock. Each thread sets its own flag before it reads the
    # other flag. So at least one of the threads sees both flags set.

    def act(self) -> bool:
        """Record that the call's request, or the hook in its place, is about to start: set `acted`. Return False if the
        call was given up, so that neither may start.
        """
        self.acted = True
        return not self.over

    def end(self) -> bool:
        """Give the call up: set `over`.

        Return True if the request, or the hook in its place, may already have started.
        """
        self.over = True
        return self.acted


_current: ContextVar[Span | None] = ContextVar("span", default=None)


def enter(span: Span) -> Token[Span | None]:
    """Make `span` the span that `current` returns in this asyncio task. Return the value that `leave` needs."""
    return _current.set(span)


def leave(before: Token[Span | None]) -> None:
    """Undo `enter`: make the previous span current again. `before`: the value that `enter` returned."""
    _current.reset(before)


current = _current.get
"""Return the span of the call for which this code runs, or None outside calls, as in --doctor."""


def peer() -> Peer | None:
    """Return the sender of the HTTP request for which this code runs: its principal, session and network address.

    Return None over stdio, or outside of a request.
    """
    span = _current.get()
    return None if span is None else span.origin.peer


def caller() -> str:
    """Return the text that identifies the caller of the current request for limits per caller; "" over stdio."""
    sender = peer()
    return "" if sender is None else sender.caller


def owner() -> str:
    """Return the key under which the sender of the current request owns private data, such as stored results.

    Return "" over stdio, where all private data has the same owner.
    """
    sender = peer()
    return "" if sender is None else sender.owner


def shown(most: int) -> int:
    """Return how many bytes of a response a result may contain: WHOLE if a program that the model wrote makes the
    call, else `most`.
    """
    span = _current.get()
    return WHOLE if span is not None and span.whole else most


def in_program() -> bool:
    """Return True if the current call is made by a program that the model wrote."""
    span = _current.get()
    return span is not None and span.whole


def act() -> bool:
    """Record in the current span that its request starts. Return False if the call was given up and must not start."""
    span = _current.get()
    return span is None or span.act()


def log_to_client(level: str, content: object) -> None:
    """Send a log message, a text or a JSON value, to the client of the current call, if it wants this level."""
    span = _current.get()
    if span is not None and span.client_log is not None:
        span.client_log(level, content)


def note(**facts: object) -> None:
    """Set the given attributes of the current span, if there is one."""
    span = _current.get()
    if span is not None:
        for name, fact in facts.items():
            setattr(span, name, fact)
