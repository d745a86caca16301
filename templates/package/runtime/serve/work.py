# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run calls in one event loop, and queue calls that must wait. This module knows neither MCP nor HTTP.

A call keeps the tool executor that was current when the call arrived, even if that executor is replaced.

Invariants: every call that is not abandoned reports exactly one outcome, even if it raises an exception. At most `MOST`
calls run, and over HTTP at most `MOST_OF_ONE` per client. Further calls wait, and clients take turns (turns.py). A call
that waits for its user does not count as running. `backlog.py` limits how many calls may wait. `pacing.py` limits how
many send a request at the same time.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from ..core import log
from ..core.turns import FairQueue
from ..core.wire_formats import Failure, OtherOutcome
from ..http.deadlines import Deadlines
from .accepted_call import AcceptedCall

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any, TypeAlias

    from ..core.effects import Call
    from ..core.wire_formats import Outcome
    from ..features.completion_values import CompletionValues
    from .accepted_call import Listener, ToolExecutor

    Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], asyncio.Task[Any]]

_CUT_SHORT = Failure("The call was cut short inside the server.")
#: Maximum number of running calls. Agents make fewer calls at once, and the memory of so many calls is affordable.
MOST = 320
#: Maximum number of running calls of one client over HTTP, so that one client cannot block the others.
MOST_OF_ONE = 240


class CallScheduler:
    """Scheduler of calls in the current event loop. `caller`: tool executor for new calls, None if its load failed."""

    def __init__(self, left: Callable[[int], None]) -> None:
        """Create the scheduler.

        `left(size)` is called when a call is finished; `size` is the size of its message in bytes.
        """
        self.caller: ToolExecutor | None = None
        self._left = left
        self._at_work = 0
        self._of: dict[str, int] = {}
        self._waiting: FairQueue[AcceptedCall] = FairQueue()
        self._running: dict[int, AcceptedCall] = {}
        self._values: CompletionValues | None = None
        self._beats: Deadlines | None = None

    @property
    def others(self) -> bool:
        """Return True if more than one call is running. A call that is reporting its outcome still counts."""
        return self._at_work > 1

    @property
    def numbers(self) -> tuple[int, int]:
        """Return how many calls run, and how many wait."""
        return self._at_work, len(self._waiting)

    def arrive(self, call: Call, listener: Listener, size: int, start: Start | None = None) -> None:
        """Run a call, or queue it. Its message had `size` bytes. `listener` gets its progress, questions and outcome.

        `start` runs the call and returns the asyncio task in which the call runs. Without `start`, or after waiting in
        the queue, a call runs in an asyncio task of its own.
        """
        taken = AcceptedCall(call, listener, size, self._count, self._completions)
        taken.caller = self.caller
        if call.progress_token is not None:
            taken.beat_by(self._ticking())
        if self._may(taken.whose) and not (self._waiting and self._waiting.has(taken.whose)):
            self._begin(taken, start)
        else:
            self._waiting.add(taken.whose, call.key, taken)

    def abandon(self, key: int) -> None:
        """Cancel the call with this key; it then reports no outcome. Ignore keys of finished calls."""
        if waiting := self._waiting.remove(key):
            waiting.hush()
            self._left(waiting.size)
        elif taken := self._running.pop(key, None):
            # An asyncio task that is cancelled before its start runs none of its code. So this callback calls `_end`.
            taken.task.add_done_callback(lambda task: self._end(taken, _CUT_SHORT))
            taken.task.cancel()

    def stop(self) -> None:
        """Cancel each running call. Its outcome then says that it was cut short."""
        for taken in self._running.values():
            taken.task.cancel()

    def answered(self, key: int, reply: object) -> None:
        """Pass the user's answer to the call with this key, which asked a question.

        `reply`: the answer, or None if the answer is unreadable or will never come.
        """
        if taken := self._running.get(key):
            taken.answered(reply)

    def _completions(self) -> CompletionValues:
        """Return the cache of values for argument completion. It survives a reload of the tools."""
        if self._values is None:
            from ..features.completion_values import CompletionValues  # imported late: few completions ask the API

            self._values = CompletionValues()
        return self._values

    def _ticking(self) -> Deadlines:
        """Return the timer of all calls, which says when progress messages are due."""
        if self._beats is None:
            self._beats = Deadlines()  # created here, since it needs the running event loop
        return self._beats

    def _may(self, caller: str) -> bool:
        """Return True if another call of the client `caller` may begin. Over stdio, the only client is named ""."""
        return self._at_work < MOST and (not caller or self._of.get(caller, 0) < MOST_OF_ONE)

    def _count(self, caller: str, change: int) -> None:
        """Add `change` to the number of running calls of a client, and begin the waiting calls that may now run."""
        self._at_work += change
        if caller:
            running = self._of.pop(caller, 0) + change
            if running:
                self._of[caller] = running
        while change < 0 and self._waiting and (taken := self._waiting.next(self._may)):
            self._begin(taken)

    def _begin(self, taken: AcceptedCall, start: Start | None = None) -> None:
        self._count(taken.whose, 1)
        self._running[taken.call.key] = taken
        taken.task = (start or asyncio.get_running_loop().create_task)(self._work(taken))

    async def _work(self, taken: AcceptedCall) -> None:
        """Run the call and report its outcome, in the same turn of the loop in which the call ends."""
        outcome: Outcome
        try:
            outcome = await taken.made()
        except asyncio.CancelledError:
            outcome = _CUT_SHORT
        except OtherOutcome as ended:
            outcome = ended.outcome
        except BaseException as problem:  # catch SystemExit too, since no call may end the server
            outcome = _failure(taken.call, problem)
        await taken.quiet()
        self._end(taken, outcome)

    def _end(self, taken: AcceptedCall, outcome: Outcome) -> None:
        """Report the outcome of a call, and start queued calls. Do nothing if the call was abandoned."""
        if taken.over:
            return
        taken.over = True
        taken.hush()
        try:
            if self._running.pop(taken.call.key, None) is not None:
                taken.listener.done(taken.call.key, outcome)
        finally:
            self._left(taken.size)
            self._count(taken.whose, -1)


def _failure(call: Call, problem: BaseException) -> Failure:
    log.event("error", "call_broke", tool=call.name, error=type(problem).__name__, at=frames(problem))
    where = f" Its log has more under {call.span.call}." if call.span else ""
    return Failure(f"The server failed while it ran {call.name}.{where}")


def frames(problem: BaseException) -> str:
    """Return the last five frames of an exception's traceback, innermost last.

    The message of the exception is left out, since it may contain arguments.
    """
    import traceback

    frames = traceback.extract_tb(problem.__traceback__)[-5:]
    return " > ".join(f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
