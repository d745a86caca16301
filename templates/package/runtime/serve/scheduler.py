# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run calls in one event loop, queue calls that must wait, and tell their clients how they go.

This module knows neither MCP nor HTTP. A call keeps the tool executor that was current when the call arrived, even if
that executor is replaced.

Invariants: every call that is not abandoned reports exactly one outcome, even if it raises an exception. At most `MOST`
calls run, and over HTTP at most `MOST_OF_ONE` per client. Further calls wait, and clients take turns. A call that waits
for its user does not count as running. `engine.py` limits how many calls may wait. `sending.py` limits how many send a
request at the same time.

A client gets progress, log messages and questions before the answer, and none after it. The last progress message is
sent at least APART seconds before the answer, because some clients fail if both arrive together.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from typing import TYPE_CHECKING

from ..core import log, spans
from ..core.effects import Complete, Fetch, GetPrompt, TaskRequest
from ..core.limits import Deadlines, FairQueue
from ..core.wire_formats import Failure, OtherOutcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any, Protocol, TypeAlias

    from ..core.effects import Call, Dialogue
    from ..core.wire_formats import Asked, Contents, Outcome, PromptMessages, Result, Task
    from ..features.completion_values import CompletionValues
    from .call_progress import CallLog, CallProgress

    class ToolExecutor(Protocol):
        """Interface of the object that carries out calls (execution.ToolExecutor)."""

        async def fetch(self, wanted: Fetch) -> Contents | Result:
            """Return the contents of a resource, or an error result that says why it cannot be read."""

        async def task(self, wanted: TaskRequest) -> Task:
            """Return the answer to a request about an MCP task.

            Raise OtherOutcome if the answer is a protocol error.
            """

        async def get_prompt(self, wanted: GetPrompt, ask: Callable[[Asked], Awaitable[object]]) -> PromptMessages:
            """Return the messages of a prompt that asks the user questions. The messages contain the user's answers.

            Raise OtherOutcome if the request ends with a question to the user or with a protocol error.
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

            `ask(question)` returns the user's answer, or None. Raise OtherOutcome if the call ends with a question
            to the user, an MCP task or a protocol error.
            """

    class Listener(Protocol):
        """Receiver of a call's progress, log messages, questions to the user and outcome, which it sends to the client.

        The receiver is server.Server over stdio, and service.Service over HTTP. `key`: number of the call
        (effects.Call). The methods are called in the event loop's thread, unless their docstrings say otherwise.
        """

        def attended(self) -> bool:
            """Return True if a client waits for the outcome. This method runs in the thread that submits the call."""

        def progress(self, key: int, done: float, message: str, total: float | None = None) -> None:
            """Report progress of a call. `message`: the text that the call or its hook reported last, or what the call
            waits for.

            `done` grows with each phase and each message. If `total` is given, `done` and `total` count bytes of a
            response, or what a hook counts.
            """

        def log(self, key: int, level: str, content: object) -> None:
            """Send a log message about a call to its client."""

        def ask(self, key: int, question: Asked | None) -> bool:
            """Send the client a call's question to the user (elicitation).

            If `question` is None, cancel the open question. Return False if no message was sent, for example because
            the call has ended; else True.
            """

        def done(self, key: int, outcome: Outcome) -> None:
            """Record the outcome of a finished call, and send it to the client."""

    Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], asyncio.Task[Any]]

_NO_CALLER = Failure("This server cannot make calls: part of it could not be loaded. Its log says what.")

#: Seconds from the end of a phase to its progress message; least seconds from the last progress to the response.
#: Official clients lose progress that arrives together with the response, and raise an error
#: (docs/decisions/calls.md).
LASTING, APART = 0.2, 0.02
#: Seconds between two progress messages while a call waits. Clients give up after 10 s at the earliest, and
#: restart their timeout at each progress message.
BEAT = 5.0
_NEVER = float("-inf")


class AcceptedCall:
    """A call that the scheduler runs, or keeps in its queue.

    `caller`: tool executor that runs the call, None if its load failed. A reload of the tools replaces the executor
    only for later calls. `task`: the asyncio task of the call, set when the call begins. `whose`: name of the client,
    "" over stdio.
    """

    __slots__ = (
        "_answer", "_beats", "_began", "_count", "_log", "_progress", "_told", "_values", "_waits", "call",
        "caller", "listener", "over", "size", "task", "whose",
    )  # fmt: skip

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

        `values()` returns the cache of values for argument completion.
        """
        self.call = call
        self.whose = "" if call.origin is None or call.origin.peer is None else call.origin.peer.caller
        self._count = count
        self._values = values
        self.listener = listener
        self.size = size
        self.over = False
        self._progress: CallProgress | None = None
        self._told = _NEVER
        self._waits: asyncio.TimerHandle | None = None
        self._beats: Deadlines | None = None
        self._began = 0.0
        self._log: CallLog | None = None
        self._answer: asyncio.Future[object] | None = None

    def made(self) -> Awaitable[Outcome]:
        """Return an awaitable of the call's outcome. Use this in the asyncio task that runs the call, since it sets the
        task's current telemetry span.

        Raise OtherOutcome if the tool executor could not be loaded.
        """
        call, caller = self.call, self.caller
        if call.span is not None:
            spans.enter(call.span)
            call.span.progress = self if self._progress is not None else None
            if call.log_level is not None:
                self._log_from(call.log_level, call.span)
        if caller is None:
            raise OtherOutcome(_NO_CALLER)
        if call.kind == "tool":
            report = self._report if self._progress is not None else _unheard
            return caller.call(call.name, call.arguments, report, call.dialogue, self._ask)
        return self._other(call, caller)

    def _other(self, call: Call, caller: ToolExecutor) -> Awaitable[Outcome]:
        """Return an awaitable of the outcome of a call that is not a tool call."""
        if isinstance(call, Fetch):
            return caller.fetch(call)
        if isinstance(call, GetPrompt) and "ask" in call.entry:
            return caller.get_prompt(call, self._ask)
        if isinstance(call, Complete):
            return self._values().complete(call, caller.fetch)
        if isinstance(call, GetPrompt):
            from ..features import prompt_resources  # imported late: few prompts need the upstream

            return prompt_resources.made(call, caller.fetch)
        assert isinstance(call, TaskRequest)
        return caller.task(call)

    def _log_from(self, level: int, span: spans.Span) -> None:
        from .call_progress import CallLog  # imported late: few clients want log messages

        clock = asyncio.get_running_loop().time
        self._log = span.client_log = CallLog(level, partial(self.listener.log, self.call.key), clock)

    def _report(self, message: str) -> None:
        """Record the end of a phase of the call, and schedule a progress message about it (`_tell_soon`)."""
        if self._progress is not None:
            self._progress.phase(message)
            self._tell_soon()

    def advance(self, hook: object, done: float, total: float | None, message: str) -> None:
        """Record the progress of a hook. `hook`: an object that identifies this run of the hook."""
        if self._progress is not None:
            self._progress.advance(hook, done, total, message)
            self._tell_soon()

    def leave(self, hook: object) -> None:
        """Record that a run of a hook has ended."""
        if self._progress is not None:
            self._progress.leave(hook)

    def _tell_soon(self) -> None:
        """Send the progress after LASTING seconds, in one message with the latest values at that time."""
        if self._waits is None:
            self._waits = asyncio.get_running_loop().call_later(LASTING, self._tell)

    def _tell(self) -> None:
        self._waits, self._told = None, asyncio.get_running_loop().time()
        if (now := self._progress) is not None:
            self.listener.progress(self.call.key, now.done, now.said, now.total)

    def beat_by(self, beats: Deadlines) -> None:
        """Send a progress message every BEAT seconds, until `hush` is called. `beats`: deadlines of these messages."""
        from .call_progress import CallProgress  # imported late: needed only for clients that want progress

        self._progress = CallProgress()
        self._beats, self._began = beats, asyncio.get_running_loop().time()
        beats.begin(self, BEAT)

    def expire(self) -> None:
        """Send a progress message: the call goes on. A timer calls this method every BEAT seconds (`beat_by`)."""
        if self._beats is None or self._progress is None:
            return
        self._told = asyncio.get_running_loop().time()
        is_asking = self._answer is not None and not self._answer.done()
        done, total, message = self._progress.beat(is_asking, self.call.span, self._told - self._began)
        self.listener.progress(self.call.key, done, message, total)
        self._beats.begin(self, BEAT)

    def hush(self) -> None:
        """Stop sending progress."""
        if self.call.span is not None:
            self.call.span.progress = None
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None
        if self._beats is not None:
            self._beats.end(self)
            self._beats = None

    async def quiet(self) -> None:
        """Stop sending progress, and wait until APART seconds after the last progress message."""
        self.hush()
        if self._log is not None:
            self._log.close()
        if self._told == _NEVER:
            return
        if (left := self._told + APART - asyncio.get_running_loop().time()) > 0:
            try:
                await asyncio.sleep(left)
            except asyncio.CancelledError:  # the call was cancelled, so nobody needs its answer
                return

    async def _ask(self, question: Asked) -> object:
        """Ask the user, and return the answer, or None if the client cannot ask.

        If the call is cancelled before the answer arrives, the question is withdrawn from the client.
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
    """Ignore that a phase of the call has ended. Passed as `report` if the client wants no progress."""


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
