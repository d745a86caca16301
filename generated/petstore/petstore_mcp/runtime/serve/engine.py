# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run calls in an event loop that has its own thread, so that the main thread can always read a cancellation or a ping.

This thread, called the engine's thread, does all slow imports: asyncio here, the HTTP library and the validator through
`load`. Calls that are submitted before the end of these imports wait. This module knows neither MCP nor HTTP.

The module `work` runs the calls in the loop, and `backlog` limits the number of waiting calls.
"""

from __future__ import annotations

import threading  # imported early: Python 3.11 hangs at exit if another thread is the first to import this module
from collections import deque

from ..core import log, spans
from ..core.backlog import Backlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from ..core.effects import Call
    from .accepted_call import Listener, ToolExecutor
    from .work import CallScheduler


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

            from .work import CallScheduler  # imported here: `work` imports asyncio, a slow import

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
        from .work import frames  # imported late: `serve.work` imports asyncio, which slows down the start

        log.event("error", "not_loaded", error=type(problem).__name__, reason=str(problem), at=frames(problem))
        return None


def unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an exception that asyncio would print, such as that of a failed task that no code awaited."""
    log.seldom("warning", "background_task", error=type(context.get("exception")).__name__)
