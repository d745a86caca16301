# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the calls of one event loop, and queue those that must wait. Knows neither MCP nor HTTP.

A call keeps the tool executor that was current when the call arrived, even if that executor is replaced.

Invariants: every call that is not abandoned reports exactly one outcome, even if it raises an exception. At most `MOST`
calls run, and over HTTP at most `MOST_OF_ONE` per client. Further calls wait, and clients take turns (turns.py). A call
that waits for its user does not count as running. backlog.py limits how many calls may wait, and pacing.py how many
send a request at once.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from ..core import log, spans
from ..core.effects import Complete, Fetch, GetPrompt, TaskRequest
from ..core.wire_formats import Failure, OtherOutcome
from ..http.deadlines import Deadlines
from . import heartbeat
from .turns import FairQueue

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any, Protocol, TypeAlias

    from ..calls.completion_values import CompletionValues
    from ..core.effects import Call, Dialogue
    from ..core.task_state import Task
    from ..core.wire_formats import Asked, Contents, Outcome, PromptMessages, Result

    class ToolExecutor(Protocol):
        """Executor of one call (execution.ToolExecutor)."""

        async def fetch(self, wanted: Fetch) -> Contents | Result:
            """Return the contents of a resource, or an error result that says why it cannot be read."""

        async def task(self, wanted: TaskRequest) -> Task:
            """Return the answer to a request about a task. Raise OtherOutcome if the answer is a protocol error."""

        async def get_prompt(self, wanted: GetPrompt, ask: Callable[[Asked], Awaitable[object]]) -> PromptMessages:
            """Return the messages of a prompt that asks the user.

            Raise OtherOutcome if the request ends with a question or a protocol error.
            """

        async def call(
            self,
            name: str,
            arguments: dict[str, Any],
            report: Callable[[str], None],
            dialogue: Dialogue,
            ask: Callable[[Asked], Awaitable[object]],
        ) -> Result:
            """Return the call's result. `report` is called with the name of each phase that has ended.

            `ask(question)` returns the user's answer, or None. Raise OtherOutcome if the call ends with a question, a
            task or a protocol error.
            """

    class Listener(Protocol):
        """Receiver of progress, questions and outcomes of calls: server.Server over stdio, service.Service over HTTP.

        `key` is the number under which the protocol began the call (effects.Call). The methods are called in the thread
        of the engine's event loop, unless they say otherwise.
        """

        def attended(self) -> bool:
            """Return True if a client waits for the outcome. The thread that submits the call calls this method."""

        def progress(self, key: int, done: int, message: str, total: int | None = None) -> None:
            """Report progress of a call. `message` names the last phase, or says what the call waits for.

            `done` grows with each phase and each message. If `total` is given, both are bytes of a response.
            """

        def ask(self, key: int, question: Asked | None) -> bool:
            """Send a question of a call to the client, or withdraw the last one if None. Return True if it was sent."""

        def done(self, key: int, outcome: Outcome) -> None:
            """Report the outcome of a finished call."""

    Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], asyncio.Task[Any]]

_NO_CALLER = Failure("This server cannot make calls: part of it could not be loaded. Its log says what.")
_CUT_SHORT = Failure("The call was cut short inside the server.")
#: Largest number of running calls: more than any agent makes, and few enough for the memory that they take.
MOST = 320
#: Largest number of running calls of one client over HTTP, so that other clients need not wait.
MOST_OF_ONE = 240

# Decision 0003: A quick call tells no progress.
#: Seconds that a phase must last before its progress is sent, and seconds without messages after that. Official clients
#: lose progress that arrives together with the response, and raise an error.
LASTING, APART = 0.2, 0.02
# Decision 0234: A call that waits tells so every five seconds.
#: Seconds between two progress messages of a call that only waits. Clients give up after 10 s at the earliest, and
#: restart their timeout at each progress message.
BEAT = 5.0


class CallScheduler:
    """Scheduler of calls in the current event loop. `caller`: tool executor for new calls, None if its load failed."""

    def __init__(self, left: Callable[[int], None]) -> None:
        """Create the scheduler. `left` is called with the message size in bytes of each finished call."""
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

        `start` runs the call in an existing task and returns that task. Without `start`, or after waiting in the queue,
        a call runs in a task of its own.
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
            # A task that is cancelled before it starts runs no code, so a callback must end the call.
            taken.task.add_done_callback(lambda task: self._end(taken, _CUT_SHORT))
            taken.task.cancel()

    def stop(self) -> None:
        """Cancel each running call, which then reports that it was cut short."""
        for taken in self._running.values():
            taken.task.cancel()

    def answered(self, key: int, reply: object) -> None:
        """Give the user's answer to the call with this key, which asked a question. `reply`: None if there is none."""
        if taken := self._running.get(key):
            taken.answered(reply)

    def _completions(self) -> CompletionValues:
        """Return the cache of completion values. It is kept for later calls, even after a reload."""
        if self._values is None:
            from ..calls.completion_values import CompletionValues  # imported late: few servers complete by requests

            self._values = CompletionValues()
        return self._values

    def _ticking(self) -> Deadlines:
        """Return the deadlines of progress messages. All calls share one timer."""
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
            self._of[caller] = self._of.get(caller, 0) + change
            if not self._of[caller]:
                del self._of[caller]
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
        except BaseException as problem:  # SystemExit too: no call may end the server
            outcome = _failure(taken.call, problem)
        await taken.quiet()
        self._end(taken, outcome)

    def _end(self, taken: AcceptedCall, outcome: Outcome) -> None:
        """Report the outcome, unless the call was abandoned. Then begin waiting calls."""
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


class AcceptedCall:
    """An accepted call.

    `caller`: tool executor that was current when the call arrived. `task`: the call's task, set when the call begins.
    `whose`: name of the client, "" over stdio.
    """

    __slots__ = (
        "_answer",
        "_beats",
        "_began",
        "_count",
        "_phase",
        "_said",
        "_told",
        "_values",
        "_waits",
        "call",
        "caller",
        "listener",
        "over",
        "size",
        "task",
        "whose",
    )

    caller: ToolExecutor | None
    task: asyncio.Task[Any]

    def __init__(
        self,
        call: Call,
        listener: Listener,
        size: int,
        count: Callable[[str, int], None],
        values: Callable[[], CompletionValues],
    ) -> None:
        """Create the call. `count(client, change)` changes the number of running calls of a client.

        `values()` returns the cache of completion values.
        """
        self.call = call
        self.whose = "" if call.origin is None or call.origin.peer is None else call.origin.peer.caller
        self._count = count
        self._values = values
        self.listener = listener
        self.size = size
        self.over = False
        self._phase = 0
        self._said = ""
        self._told = float("-inf")
        self._waits: asyncio.TimerHandle | None = None
        self._beats: Deadlines | None = None
        self._began = 0.0
        self._answer: asyncio.Future[object] | None = None

    def made(self) -> Awaitable[Outcome]:
        """Return an awaitable of the call's outcome. Call this in the call's task, since it sets the current span.

        Raise OtherOutcome if the tool executor could not be loaded.
        """
        call, caller = self.call, self.caller
        if call.span is not None:
            spans.enter(call.span)
        if caller is None:
            raise OtherOutcome(_NO_CALLER)
        if isinstance(call, Fetch):
            return caller.fetch(call)
        if isinstance(call, GetPrompt) and "ask" in call.entry:
            return caller.get_prompt(call, self._ask)
        if isinstance(call, Complete):
            return self._values().complete(call, caller.fetch)
        if isinstance(call, GetPrompt):
            from ..calls import prompt_resources  # imported late: few prompts need the upstream

            return prompt_resources.made(call, caller.fetch)
        if isinstance(call, TaskRequest):
            return caller.task(call)
        report = self._report if call.progress_token is not None else _unheard
        return caller.call(call.name, call.arguments, report, call.dialogue, self._ask)

    def _report(self, message: str) -> None:
        """Record the end of a phase. Progress is sent at most once in LASTING seconds, and names the latest phase."""
        self._phase += 1
        self._said = message
        if self._waits is None:
            self._waits = asyncio.get_running_loop().call_later(LASTING, self._tell)

    def _tell(self) -> None:
        self._waits, self._told = None, asyncio.get_running_loop().time()
        self.listener.progress(self.call.key, self._phase, self._said)

    def beat_by(self, beats: Deadlines) -> None:
        """Send a progress message every BEAT seconds, until `hush`. `beats`: deadlines of these messages."""
        self._beats, self._began = beats, asyncio.get_running_loop().time()
        beats.begin(self, BEAT)

    def expire(self) -> None:
        """Send a progress message that says that the call goes on. The deadline of `beat_by` calls this method."""
        if self._beats is None:
            return
        self._told = asyncio.get_running_loop().time()
        done, total, message = heartbeat.beat(
            self._phase, self._waiting_for(), self.call.span, self._told - self._began
        )
        self._phase = done
        self.listener.progress(self.call.key, done, message, total)
        self._beats.begin(self, BEAT)

    def _waiting_for(self) -> str:
        return heartbeat.USER if self._answer is not None and not self._answer.done() else self._said

    def hush(self) -> None:
        """Send no more progress."""
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None
        if self._beats is not None:
            self._beats.end(self)
            self._beats = None

    async def quiet(self) -> None:
        """Send no more progress, and wait until APART seconds after the last progress message."""
        self.hush()
        if (left := self._told + APART - asyncio.get_running_loop().time()) > 0:
            try:
                await asyncio.sleep(left)
            except asyncio.CancelledError:  # the call was cancelled, so no code waits for the answer
                return

    async def _ask(self, question: Asked) -> object:
        """Ask the user, and return the answer, or None if the client cannot ask.

        The question is withdrawn at the end, even if the call is cancelled.
        """
        answer = self._answer = asyncio.get_running_loop().create_future()
        try:
            return await self._meanwhile(answer) if self.listener.ask(self.call.key, question) else None
        finally:
            self.listener.ask(self.call.key, None)

    async def _meanwhile(self, answer: asyncio.Future[object]) -> object:
        """Wait for `answer` and return its value. Meanwhile, the call does not count as running."""
        self._count(self.whose, -1)
        try:
            return await answer
        finally:
            self._count(self.whose, 1)

    def answered(self, reply: object) -> None:
        """Give the user's answer to the waiting call. Only the first answer to a question counts."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(reply)


def _unheard(message: str) -> None:
    """Ignore the end of a phase: used as `report` if the client wants no progress."""


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
