# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run one accepted call, and send its client progress, log messages and questions before the answer.

None of these messages is sent after the answer. The last progress message is sent at least APART seconds before the
answer, because some clients fail if both arrive together.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from ..core import spans
from ..core.effects import Complete, Fetch, GetPrompt, TaskRequest
from ..core.wire_formats import Failure, OtherOutcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Protocol

    from ..core.effects import Call, Dialogue
    from ..core.task_state import Task
    from ..core.wire_formats import Asked, Contents, Outcome, PromptMessages, Result
    from ..features.completion_values import CompletionValues
    from ..http.deadlines import Deadlines
    from .call_log import CallLog
    from .call_progress import CallProgress

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
        "_answer",
        "_beats",
        "_began",
        "_count",
        "_log",
        "_progress",
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
        from .call_log import CallLog  # imported late: few clients want log messages

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
