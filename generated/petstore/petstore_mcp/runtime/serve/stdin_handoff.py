# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Lends stdin to the engine's loop, while calls run and the loop keeps up.

A call that goes through two threads costs each of them a wake-up, and both the interpreter's lock: together more than
all that is done for it. So while calls run, what makes them also reads. The main thread meanwhile looks now and then
whether the loop is there. Where something holds it up (a hook that computes and never waits, a very large answer), and
where no call runs any more, reading goes back to the main thread, so that a ping, a cancel and the end of stdin are
heard whatever the calls do. So it does where a line would have to wait for room in the backlog, which the loop, being
what makes room, cannot wait for.

Invariants: one thread reads at a time; what it read is taken, in the order in which it came, before more is read; and
the loop has done all that the main thread told it before it reads itself.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import Empty, SimpleQueue

from ..core.jsonrpc import MAX_BATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.framing import Inbox, Line
    from ..core.stdio import Wire
    from .engine import Engine

#: Between two looks of the main thread. What comes while the loop is held up waits for two of them at most.
SECONDS = 0.2


# Decision 0150: The loop that makes the calls reads stdin.
class Lending:
    """What one server's stdin is lent by. For the main thread."""

    __slots__ = ("_engine", "_inbox", "_take", "_wire", "able", "lent")

    def __init__(self, engine: Engine, wire: Wire, inbox: Inbox, take: Callable[[Line], None]) -> None:
        """What comes over the wire goes to `take`, line by line, through the inbox."""
        self._engine = engine
        self._wire = wire
        self._inbox = inbox
        self._take = take
        #: False while the loop has not shown that it is there since it was held up, and where it can never read.
        self.able = True
        #: Whether the main thread waits in `lend`, no longer than the loop keeps up. For any thread to see.
        self.lent = False

    def lend(self) -> bool:
        """Have the loop read for as long as that is good; false where it is not. The inbox is empty before; what is in
        it afterwards is to be taken first."""
        if not (self.able and self._engine.loaded and self._engine.busy):
            return False
        self.able, self.lent = False, True
        _Loan(self, self._engine, self._wire, self._inbox, self._take).run()
        self.lent = False
        return True


class _Loan:
    """One time in which the loop reads, until either side ends it."""

    __slots__ = ("_answered", "_came", "_engine", "_inbox", "_lending", "_lock", "_over", "_returned", "_take", "_wire")

    def __init__(
        self, lending: Lending, engine: Engine, wire: Wire, inbox: Inbox, take: Callable[[Line], None]
    ) -> None:
        self._lending = lending
        self._engine = engine
        self._wire = wire
        self._inbox = inbox
        self._take = take
        self._lock = threading.Lock()  # who holds it may read, unless it is over
        self._over = False
        self._returned: SimpleQueue[None] = SimpleQueue()
        self._answered = self._came = True

    # In the main thread.

    def run(self) -> None:
        """Come back when it is over."""
        self._engine.tell(self._begin)
        while self._goes_on():
            with suppress(Empty):
                self._returned.get(timeout=SECONDS)
                return
        with self._lock:
            self._over = True
        self._engine.tell(self._end)

    def _goes_on(self) -> bool:
        """Whether the loop was there since the last look, and there is something for it to do."""
        answered, self._answered = self._answered, False
        came, self._came = self._came, False
        self._wire.attended()  # which ends the process where nobody listens any more
        if not answered or not (came or self._engine.busy):
            return False
        self._engine.tell(self._answer)
        return True

    # In the loop.

    def _begin(self) -> None:
        if not (self._over or self._wire.tell_loop(self._read)):
            self._return()

    def _answer(self) -> None:
        self._answered = True

    def _end(self) -> None:
        self._wire.tell_loop(None)
        self._lending.able = True

    def _read(self) -> None:
        """Something has come."""
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
        """Whether none of the calls in that line would have to wait."""
        if not isinstance(line, bytes):
            return True
        return self._engine.has_room(len(line), MAX_BATCH if line.lstrip().startswith(b"[") else 1)

    def _return(self) -> None:
        self._over = True
        self._returned.put(None)
