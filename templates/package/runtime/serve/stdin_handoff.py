# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Hand stdin over to the engine's event loop while calls run and the loop is responsive.

If a call passes through two threads, both threads must be woken, and the interpreter's lock (GIL) changes hands. That
is more than all other work for a small call. So while calls run, their event loop also reads stdin, in place of the
main thread. The main thread regularly checks if the loop responds. Reading returns to the main thread in three cases:

- The loop is blocked, for example by a hook that computes for long or by a very large response.
- No call runs any more.
- A call would have to wait for room in the backlog. The loop cannot wait, since it makes this room itself.

So a ping, a cancellation and the end of stdin are always noticed.

Invariants: only one thread reads at a time. Lines are processed in order, before more input is read. Before the loop
reads, it has run all actions that the main thread gave it.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import Empty, SimpleQueue

from ..core.jsonrpc import MAX_BATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.stdio import Inbox, Line, Wire
    from .engine import Engine

#: Seconds between two checks by which the main thread finds out whether the loop, which reads stdin, is blocked. If the
#: loop is blocked, the main thread itself reads stdin after at most two checks, so input waits no longer than that.
SECONDS = 0.2


# A call that passes through two threads takes a third longer than in one thread (docs/decisions/speed.md).
class StdinHandoff:
    """Object by which the main thread lets the event loop, in another thread, read stdin. Only the main thread calls
    `lend`.
    """

    __slots__ = ("_engine", "_inbox", "_take", "_wire", "able", "lent")

    def __init__(self, engine: Engine, wire: Wire, inbox: Inbox, take: Callable[[Line], None]) -> None:
        """Create the object. Lines that arrive on `wire` go through `inbox` to the function `take`, one by one."""
        self._engine = engine
        self._wire = wire
        self._inbox = inbox
        self._take = take
        #: True if the loop can read stdin. False while the loop is blocked, or if it can never read this kind of stdin.
        self.able = True
        #: True while the main thread waits in `lend` because the event loop reads stdin. Any thread may read this flag.
        self.lent = False

    def lend(self) -> bool:
        """Let the event loop read stdin, and wait until it stops reading. If it cannot read, return False at once, else
        True.

        Call this only if the inbox (lines read, but not processed) is empty. If the inbox contains lines afterwards,
        process them before reading more.
        """
        if not (self.able and self._engine.loaded and self._engine.busy):
            return False
        self.able, self.lent = False, True
        _ReadingPeriod(self, self._engine, self._wire, self._inbox, self._take).run()
        self.lent = False
        return True


class _ReadingPeriod:
    """One period in which the event loop reads stdin. The main thread or the event loop ends the period."""

    __slots__ = ("_answered", "_came", "_engine", "_inbox", "_lending", "_lock", "_over", "_returned", "_take", "_wire")

    def __init__(
        self, lending: StdinHandoff, engine: Engine, wire: Wire, inbox: Inbox, take: Callable[[Line], None]
    ) -> None:
        self._lending = lending
        self._engine = engine
        self._wire = wire
        self._inbox = inbox
        self._take = take
        self._lock = threading.Lock()  # the loop reads stdin only while it holds this lock and `_over` is False
        self._over = False
        self._returned: SimpleQueue[None] = SimpleQueue()
        self._answered = self._came = True

    # Methods that run in the main thread

    def run(self) -> None:
        """Let the event loop read stdin, and wait until the reading ends. End it if the loop is blocked or idle."""
        self._engine.tell(self._begin)
        while self._goes_on():
            with suppress(Empty):
                self._returned.get(timeout=SECONDS)
                return
        with self._lock:
            self._over = True
        self._engine.tell(self._end)

    def _goes_on(self) -> bool:
        """Return True if the event loop should go on reading stdin, since it is neither blocked nor idle.

        The loop is blocked if it has not run `_answer` since the last check. The loop is idle if no input has come
        since then and no call is unfinished.
        """
        answered, self._answered = self._answered, False
        came, self._came = self._came, False
        self._wire.attended()  # `attended` ends the process if the client has closed the connection
        if not answered or not (came or self._engine.busy):
            return False
        self._engine.tell(self._answer)
        return True

    # Methods that run in the event loop

    def _begin(self) -> None:
        if not (self._over or self._wire.tell_loop(self._read)):
            self._return()

    def _answer(self) -> None:
        self._answered = True

    def _end(self) -> None:
        self._wire.tell_loop(None)
        self._lending.able = True

    def _read(self) -> None:
        """Read and process the available input."""
        with self._lock:
            if self._over:
                return
            self._came = True
            self._inbox.feed(self._wire.read_ready())
            try:
                while (line := self._inbox.first) is not None and self._has_room(line):
                    self._take(self._inbox.pop())
            finally:
                if self._inbox.first is not None or self._inbox.ended:
                    self._end()
                    self._return()

    def _has_room(self, line: Line) -> bool:
        """Return True if all calls that an input line may contain would be accepted without waiting."""
        if not isinstance(line, bytes):
            return True
        return self._engine.has_room(len(line), MAX_BATCH if line.lstrip().startswith(b"[") else 1)

    def _return(self) -> None:
        self._over = True
        self._returned.put(None)
