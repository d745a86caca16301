# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run calls in an event loop that has its own thread, so that the main thread can always read a cancellation or a ping.

This thread, called the engine's thread, does all slow imports: asyncio here, the HTTP library and the validator through
`load`. Calls that are submitted before the end of these imports wait. This module knows neither MCP nor HTTP. The
module `scheduler` runs the calls in the loop.

While the calls that were read and are not finished have room, the reader goes on reading, even if calls hang. So it
notices a cancel, a ping or the end of stdin. Only a flood of calls fills the backlog. Then the reader waits, the
client's pipe fills up, and the reader regularly checks whether the client is still there.

If a call passes through two threads, both threads must be woken, and the interpreter's lock (GIL) changes hands. That
is more than all other work for a small call. So while calls run and the loop is responsive, their event loop also reads
stdin, in place of the main thread. The main thread regularly checks if the loop responds. Reading returns to the main
thread in three cases:

- The loop is blocked, for example by a hook that computes for long or by a very large response.
- No call runs any more.
- A call would have to wait for room in the backlog. The loop cannot wait, since it makes this room itself.

Invariants: only one thread reads at a time. Lines are processed in order, before more input is read. Before the loop
reads, it has run all actions that the main thread gave it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue

from ..core import log, spans
from ..core.jsonrpc import MAX_BATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from ..core.effects import Call
    from ..core.stdio import Inbox, Line, Wire
    from .scheduler import CallScheduler, Listener, ToolExecutor


# A cancellation, a ping and the end of stdin must be noticed even while all calls hang (docs/decisions/calls.md).
#: Largest number of unfinished calls. Clients run fewer at once, and this many need little memory.
MOST_CALLS = 4096
#: Largest total size of the messages of unfinished calls, in bytes. A larger message is accepted if no call is
#: unfinished.
MOST_BYTES = 8 * 1024 * 1024
#: Seconds between two checks whether the client is still there.
SECONDS_FULL = 0.25


class Backlog:
    """Counter of unfinished calls, safe for use by any thread."""

    __slots__ = ("_bytes", "_calls", "_changed", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._calls = 0
        self._bytes = 0
        self._waiting = 0

    def enter(self, size: int, attended: Callable[[], bool]) -> bool:
        """Wait until a line of `size` bytes has room, and reserve the room. Return False if the client has gone.

        While waiting, `attended` is called regularly. It returns True while the client still waits for answers.
        """
        with self._lock:
            while not self._fits(size):
                if not attended():
                    return False
                self._wait(SECONDS_FULL)
            self._calls += 1
            self._bytes += size
            return True

    @property
    def busy(self) -> bool:
        """Return True if at least one call is unfinished."""
        return self._calls > 0

    def has_room(self, size: int, calls: int) -> bool:
        """Return True if `calls` calls of `size` bytes each could enter now without waiting.

        The answer is out of date as soon as another call enters.
        """
        return self._calls + calls <= MOST_CALLS and self._bytes + size * calls <= MOST_BYTES

    def leave(self, size: int) -> None:
        """Release the room of a finished call of `size` bytes."""
        with self._lock:
            self._calls -= 1
            self._bytes -= size
            if self._waiting:
                self._changed.notify_all()

    def drain(self, seconds: float) -> None:
        """Wait until no call is unfinished, for at most `seconds`."""
        end = time.monotonic() + seconds
        with self._lock:
            while self._calls and (left := end - time.monotonic()) > 0:
                self._wait(left)

    def _wait(self, seconds: float) -> None:
        self._waiting += 1
        self._changed.wait(seconds)
        self._waiting -= 1

    def _fits(self, size: int) -> bool:
        return not self._calls or (self._calls < MOST_CALLS and self._bytes + size <= MOST_BYTES)


class Engine:
    """Event loop in its own thread, which runs calls. Only one other thread at a time may use its methods."""

    def __init__(self, load: Callable[[], ToolExecutor]) -> None:
        """Start the thread. In its event loop, `load` creates the tool executor, the object that executes calls."""
        self._load = load
        self._backlog = Backlog()
        self._waking = threading.Lock()
        self._woken = False
        self._told: deque[Callable[[], None]] = deque()
        self._work: CallScheduler | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: int | None = None
        threading.Thread(target=self._run, name="engine", daemon=True).start()

    def submit(self, call: Call, listener: Listener, size: int) -> bool:
        """Submit a call whose message had `size` bytes. `listener` gets the call's progress, log messages,
        questions to the user, and outcome.

        Wait while the backlog is full. Return False if the client has gone meanwhile, and the call was not accepted.
        """
        if not self._backlog.enter(size, listener.attended):
            return False
        call.span = call.span or spans.Span(call.origin)
        self.tell(lambda: self._at_work().arrive(call, listener, size))
        return True

    def cancel(self, key: int) -> None:
        """Cancel the call with this key; the call then reports no outcome. Ignore keys of finished calls."""
        self.tell(lambda: self._at_work().abandon(key))

    def answer(self, key: int, reply: object) -> None:
        """Pass the user's answer to the call with this key, which asked a question.

        `reply`: the answer, or None if the answer is unreadable or will never come.
        """
        self.tell(lambda: self._at_work().answered(key, reply))

    def renew(self, load: Callable[[], ToolExecutor]) -> None:
        """Use the tool executor that `load` creates for calls submitted from now on."""
        self.tell(lambda: self._renewed(load))

    def drain(self, seconds: float) -> None:
        """Wait until all calls are finished, at most `seconds`. Cancel no call, even if some are unfinished then."""
        self._backlog.drain(seconds)

    @property
    def loaded(self) -> bool:
        """Return True if the event loop is running, and its thread has finished the slow imports."""
        return self._loop is not None

    @property
    def others(self) -> bool:
        """Return True if more than one call is running. A call that is reporting its outcome still counts."""
        return self._work is not None and self._work.others

    @property
    def numbers(self) -> tuple[int, int]:
        """Return how many calls run, and how many wait."""
        return (0, 0) if self._work is None else self._work.numbers

    @property
    def busy(self) -> bool:
        """Return whether any call is unfinished."""
        return self._backlog.busy

    def has_room(self, size: int, calls: int) -> bool:
        """Return whether `calls` calls of `size` bytes each would be accepted without waiting."""
        return self._backlog.has_room(size, calls)

    def tell(self, action: Callable[[], None]) -> None:
        """Run `action` in the loop's thread, after all actions from earlier calls of this method.

        If this is called in the loop's thread, run the waiting actions and then `action`, at once. Else add `action` to
        the waiting actions, and wake the loop unless it was already woken for them.
        """
        if threading.get_ident() == self._thread:
            if self._told:
                self._hear()
            action()
            return
        self._told.append(action)
        with self._waking:
            if self._loop is None or self._woken:
                return
            self._woken = True
        self._loop.call_soon_threadsafe(self._hear)

    # Methods that run in the thread of the event loop

    def soon(self, action: Callable[[], None]) -> None:
        """Call `action` in the next turn of the event loop."""
        asyncio.get_running_loop().call_soon(action)

    def _run(self) -> None:
        from ..tuning.lazy_imports import deferred  # imported in this thread, since the import is slow

        global asyncio
        with deferred():
            import asyncio

            from .scheduler import CallScheduler  # imported here: `work` imports asyncio, a slow import

        self._work = CallScheduler(self._backlog.leave)
        asyncio.run(self._serve(self._work))

    def _at_work(self) -> CallScheduler:
        """Return the scheduler of the loop's calls. Raise RuntimeError if the loop does not run yet."""
        if self._work is None:
            raise RuntimeError("The loop has not begun.")
        return self._work

    async def _serve(self, work: CallScheduler) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(unhandled)
        work.caller = loaded(self._load)
        with self._waking:
            self._loop = loop
        self._thread = threading.get_ident()
        self._hear()
        await loop.create_future()  # never returns: the process ends without waiting for this daemon thread

    def _hear(self) -> None:
        """Run the actions that `tell` has queued, in order."""
        with self._waking:
            self._woken = False
        while self._told:
            action = self._told.popleft()
            try:
                action()
            except Exception as problem:  # an action has failed, but the other actions must still run
                asyncio.get_running_loop().call_exception_handler({"message": "told", "exception": problem})

    def _renewed(self, load: Callable[[], ToolExecutor]) -> None:
        work = self._at_work()
        if work.caller is not None:  # None: loading the executor failed at the start, and would fail again
            work.caller = loaded(load)


def loaded(load: Callable[[], ToolExecutor]) -> ToolExecutor | None:
    """Return the tool executor that `load` creates, or None if loading fails. The log then has the reason.

    Examples of reasons are a missing dependency, or a hooks.py that does not compile or calls sys.exit.
    """
    try:
        return load()
    except BaseException as problem:
        from .scheduler import frames  # imported late: `serve.work` imports asyncio, which slows down the start

        log.event("error", "not_loaded", error=type(problem).__name__, reason=str(problem), at=frames(problem))
        return None


def unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an exception that asyncio would print, such as that of a failed task that no code awaited."""
    log.seldom("warning", "background_task", error=type(context.get("exception")).__name__)


#: Seconds between two checks by which the main thread finds out whether the loop, which reads stdin, is blocked. If the
#: loop is blocked, the main thread itself reads stdin after at most two checks, so input waits no longer than that.
SECONDS_BLOCKED = 0.2


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
                self._returned.get(timeout=SECONDS_BLOCKED)
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
