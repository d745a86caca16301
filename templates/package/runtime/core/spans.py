# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What is observed of one call: an id that its lines in the log share, and what became of it so far.

The id is that of a span of W3C Trace Context, so that an upstream which is told of it names the same call. The engine
makes one as it takes a call; whatever runs for that call, the tasks that it starts included, finds it as `current`.
"""

from __future__ import annotations

import os
from _contextvars import ContextVar  # the C half of `contextvars`, which adds nothing to it

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Origin(Protocol):
        """Who calls, and in which trace (effects.Origin)."""

        client: object
        traceparent: object
        tracestate: object


class _Unsaid:
    """The origin of a call of which the client says nothing."""

    __slots__ = ("client", "traceparent", "tracestate")

    def __init__(self) -> None:
        self.client: object = None
        self.traceparent: object = None
        self.tracestate: object = None


# Decision 0101: The id of a call is a span of a trace.
class Span:
    """One call. `call` is its id, 16 digits of hexadecimal; `requests` counts what was sent to any upstream, `sent` and
    `received` the bytes of bodies; `status` is the API's last one, 0 before there is any; `confirmation` is what became
    of the question to the user, "" where none was asked; `refused` is whether we kept the request from being made;
    `rewritten` is the hook that gave it another path than its tool has, "" where none did; `parsed` are the arguments
    that came as JSON text and were read. `acted` is whether it came
    to what it is for, its request or the user's own code in place of it; `over`, whether it may not any more.
    """

    __slots__ = (
        "acted",
        "call",
        "confirmation",
        "origin",
        "over",
        "parsed",
        "received",
        "refused",
        "requests",
        "rewritten",
        "sent",
        "status",
    )

    def __init__(self, origin: Origin | None = None) -> None:
        self.call = os.urandom(8).hex()
        self.origin: Origin = origin or _Unsaid()
        self.requests = 0
        self.sent = 0
        self.received = 0
        self.status = 0
        self.confirmation = ""
        self.refused = False
        self.rewritten = ""
        self.parsed: tuple[str, ...] = ()
        self.acted = False
        self.over = False

    # Two threads, and no lock: each writes before it reads, so that not both can miss what the other wrote.

    def act(self) -> bool:
        """It is about to do what it is for; whether it still may."""
        self.acted = True
        return not self.over

    def end(self) -> bool:
        """It is given up; whether it may have done what it is for."""
        self.over = True
        return self.acted


_current: ContextVar[Span | None] = ContextVar("span", default=None)


def enter(span: Span) -> None:
    """From here on, what runs in this task runs for that call."""
    _current.set(span)


def current() -> Span | None:
    """The call that this runs for; None where it runs for none, as --doctor does."""
    return _current.get()


def act() -> bool:
    """The call that this runs for is about to do what it is for; whether it still may."""
    span = _current.get()
    return span is None or span.act()


def note(**facts: object) -> None:
    """Facts about the call that this runs for, under the names that a Span has for them."""
    span = _current.get()
    if span is not None:
        for name, fact in facts.items():
            setattr(span, name, fact)
