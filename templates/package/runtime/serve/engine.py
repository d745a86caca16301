# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Where calls run: an event loop in a thread of its own, so that the reader is free to hear a cancel or a ping.

Everything heavy is imported by that thread: asyncio here, the HTTP library and the validator through `load`. What is
submitted meanwhile waits for it. Knows neither MCP nor HTTP.

Calls run with the caller that was there when they were submitted, whatever takes its place meanwhile.

Invariants: every call that was taken and not cancelled reports exactly once, whatever is raised inside it; no more than
`MOST` are at work, the others wait in the order in which they came. How many may wait is not decided here (backlog.py),
nor how many of those at work send at a time (pacing.py).
"""

from __future__ import annotations

import os
import threading  # first imported by the main thread: 3.11 hangs at its end where another thread was first
from collections import deque

from ..core import log, spans
from ..core.backlog import Backlog
from ..core.effects import Fetch
from ..core.wire_formats import Ended, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from typing import Any, Protocol, TypeAlias

    from ..core.effects import Call, Dialogue
    from ..core.wire_formats import Contents, Question, Result

    class Caller(Protocol):
        """What runs one call (execution.Caller)."""

        async def fetch(self, wanted: Fetch) -> Contents | Result:
            """What a resource holds, or a result that is an error and says why it cannot be had."""

        async def call(
            self,
            name: str,
            arguments: dict[str, Any],
            report: Callable[[str], None],
            dialogue: Dialogue,
            ask: Callable[[str], Awaitable[object]],
        ) -> Result:
            """The call's result; `report` marks a phase of it, `ask` comes back with what the client answers to a
            question, or with None. Raises Ended."""

    class Listener(Protocol):
        """Who is told of a call, in the engine's thread, by the call's key (server.Server)."""

        def attended(self) -> bool:
            """Whether anybody waits for what it comes to. This is asked by whoever submits it."""

        def progress(self, key: int, done: int, message: str) -> None:
            """So many phases of it are done, of which this was the last."""

        def ask(self, key: int, question: str | None) -> bool:
            """It has a question for the client: whether that could be put. None takes it back."""

        def done(self, key: int, outcome: Outcome) -> None:
            """It is over."""

    Outcome: TypeAlias = Result | Failure | Question | Contents

_NO_CALLER = Failure("This server cannot make calls: part of it could not be loaded. Its log says what.")
_CUT_SHORT = Failure("The call was cut short inside the server.")
#: Calls that are at work: more than any agent has, and few enough to hold what each of them builds.
MOST = 320


#: Seconds for which a phase must last before it is told, and for which nothing follows what was told. Official clients
#: lose progress that comes with the answer, and raise an error for it.
LASTING, APART = 0.2, 0.02


# Decision 0003: A quick call tells no progress.
class Engine:
    """Runs calls. Its methods are for one thread at a time."""

    def __init__(self, load: Callable[[], Caller]) -> None:
        """Start; `load` makes the caller, in the engine's thread, inside its loop."""
        self._load = load
        self._backlog = Backlog()
        self._waking = threading.Lock()
        self._woken = False
        self._told: deque[Callable[[], None]] = deque()
        self._at_work = 0
        self._waiting: dict[int, _Taken] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: int | None = None
        self._running: dict[int, _Taken] = {}
        threading.Thread(target=self._run, name="engine", daemon=True).start()

    def submit(self, call: Call, listener: Listener, size: int) -> bool:
        """Run a tool, whose call took `size` bytes. Waits while there is no room in the backlog; False where it was not
        taken (`Backlog.enter`).
        """
        if not self._backlog.enter(size, listener.attended):
            return False
        call.span = call.span or spans.Span(call.origin)
        taken = _Taken(call, listener, size)
        self.tell(lambda: self._arrive(taken))
        return True

    def cancel(self, key: int) -> None:
        """Stop that call, wherever it is; it will not report. Unknown keys are those that have finished."""
        self.tell(lambda: self._abandon(key))

    def answer(self, key: int, reply: object) -> None:
        """What the client answers to the question of that call; None where it does not."""
        self.tell(lambda: self._answered(key, reply))

    def renew(self, load: Callable[[], Caller]) -> None:
        """Calls that are submitted from now on run with the caller that `load` makes."""
        self.tell(lambda: self._renewed(load))

    def drain(self, seconds: float) -> None:
        """Wait until nothing is unfinished, or for so long."""
        self._backlog.drain(seconds)

    @property
    def loaded(self) -> bool:
        """Whether calls can begin, and what is told is heard at once."""
        return self._loop is not None

    @property
    def others(self) -> bool:
        """Whether more than one call is at work, of which one may be reported just now."""
        return self._at_work > 1

    @property
    def busy(self) -> bool:
        """Whether anything is unfinished."""
        return self._backlog.busy

    def has_room(self, size: int, calls: int) -> bool:
        """Whether so many calls, of so many bytes each, would be taken without waiting."""
        return self._backlog.has_room(size, calls)

    def tell(self, action: Callable[[], None]) -> None:
        """Have the engine do that in its loop, after all that any thread told it; at once where this is the loop. One
        wake-up is enough for what it has not seen.
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

    # What follows runs in the engine's thread.

    def soon(self, action: Callable[[], None]) -> None:
        """Have the loop do that in its next turn."""
        asyncio.get_running_loop().call_soon(action)

    def _run(self) -> None:
        from ..http.lazy_imports import deferred  # heavy, too

        global asyncio
        with deferred():
            import asyncio

        asyncio.run(self._serve())

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_unhandled)
        self._caller = self._loaded(self._load)
        with self._waking:
            self._loop = loop
        self._thread = threading.get_ident()
        self._hear()
        await loop.create_future()  # for ever: the process ends with its reader

    def _hear(self) -> None:
        """Do all that was told, in order."""
        with self._waking:
            self._woken = False
        while self._told:
            action = self._told.popleft()
            try:
                action()
            except Exception as problem:  # which is no reason not to do the rest
                asyncio.get_running_loop().call_exception_handler({"message": "told", "exception": problem})

    def _loaded(self, load: Callable[[], Caller]) -> Caller | None:
        try:
            return load()
        except BaseException as problem:  # a missing dependency, a hooks.py that does not compile or calls sys.exit
            log.event("error", "not_loaded", error=type(problem).__name__, reason=str(problem), at=_frames(problem))
            return None

    def _renewed(self, load: Callable[[], Caller]) -> None:
        if self._caller is not None:  # what could not be loaded at first cannot be now
            self._caller = self._loaded(load)

    def _arrive(self, taken: _Taken) -> None:
        taken.caller = self._caller
        if self._waiting or self._at_work >= MOST:
            self._waiting[taken.call.key] = taken
        else:
            self._begin(taken)

    def _begin(self, taken: _Taken) -> None:
        self._at_work += 1
        self._running[taken.call.key] = taken
        taken.task = asyncio.get_running_loop().create_task(self._work(taken))

    def _abandon(self, key: int) -> None:
        if key in self._waiting:
            self._backlog.leave(self._waiting.pop(key).size)
        elif taken := self._running.pop(key, None):
            # Where it has not begun, nothing of it is there that could end it.
            taken.task.add_done_callback(lambda task: self._end(taken, _CUT_SHORT))
            taken.task.cancel()

    def _answered(self, key: int, reply: object) -> None:
        if taken := self._running.get(key):
            taken.answered(reply)

    async def _work(self, taken: _Taken) -> None:
        """Run it and report, in the same turn of the loop as what it waited for last."""
        outcome: Outcome
        try:
            outcome = await taken.made()
        except asyncio.CancelledError:
            outcome = _CUT_SHORT
        except Ended as ended:
            outcome = ended.outcome
        except BaseException as problem:  # SystemExit too: nothing that a call does may end the server
            outcome = _failure(taken.call, problem)
        await taken.quiet()
        self._end(taken, outcome)

    def _end(self, taken: _Taken, outcome: Outcome) -> None:
        """Report, unless the call was abandoned; only then make room for the next."""
        if taken.over:
            return
        taken.over = True
        try:
            if self._running.pop(taken.call.key, None) is not None:
                taken.listener.done(taken.call.key, outcome)
        finally:
            self._at_work -= 1
            self._backlog.leave(taken.size)
            if self._waiting:
                self._begin(self._waiting.pop(next(iter(self._waiting))))


class _Taken:
    """A call that was taken, the caller that was there when it was, and the task that it is since it began."""

    __slots__ = ("_answer", "_phase", "_said", "_told", "_waits", "call", "caller", "listener", "over", "size", "task")

    caller: Caller | None
    task: asyncio.Task[None]

    def __init__(self, call: Call, listener: Listener, size: int) -> None:
        self.call = call
        self.listener = listener
        self.size = size
        self.over = False
        self._phase = 0
        self._said = ""
        self._told = float("-inf")
        self._waits: asyncio.TimerHandle | None = None
        self._answer: asyncio.Future[object] | None = None

    def made(self) -> Awaitable[Outcome]:
        """What the caller makes of it, to be had in its task: what runs there finds its span. Raises Ended."""
        call, caller = self.call, self.caller
        if call.span is not None:
            spans.enter(call.span)
        if caller is None:
            raise Ended(_NO_CALLER)
        if isinstance(call, Fetch):
            return caller.fetch(call)
        report = self._report if call.progress_token is not None else _unheard
        return caller.call(call.name, call.arguments, report, call.dialogue, self._ask)

    def _report(self, message: str) -> None:
        """One phase of it is done. That is told where nothing more happens for a while: the latest, whichever it is."""
        self._phase += 1
        self._said = message
        if self._waits is None:
            self._waits = asyncio.get_running_loop().call_later(LASTING, self._tell)

    def _tell(self) -> None:
        self._waits, self._told = None, asyncio.get_running_loop().time()
        self.listener.progress(self.call.key, self._phase, self._said)

    async def quiet(self) -> None:
        """Tell no phase any more, and come back once the last one that was told is a moment ago."""
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None
        if (left := self._told + APART - asyncio.get_running_loop().time()) > 0:
            try:
                await asyncio.sleep(left)
            except asyncio.CancelledError:  # nobody waits for the answer any more
                return

    async def _ask(self, question: str) -> object:
        """The client's answer; None where it cannot be asked. However the waiting ends, no question stays open."""
        answer = self._answer = asyncio.get_running_loop().create_future()
        try:
            return await answer if self.listener.ask(self.call.key, question) else None
        finally:
            self.listener.ask(self.call.key, None)

    def answered(self, reply: object) -> None:
        """The client says that, which counts once for each question."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(reply)


def _unheard(message: str) -> None:
    """A phase that nobody asked to hear of."""


def _failure(call: Call, problem: BaseException) -> Failure:
    log.event("error", "call_broke", tool=call.name, error=type(problem).__name__, at=_frames(problem))
    where = f" Its log has more under {call.span.call}." if call.span else ""
    return Failure(f"The server failed while it ran {call.name}.{where}")


def _frames(problem: BaseException) -> str:
    """Where it was raised, innermost last. Not its message, which may hold arguments."""
    import traceback

    frames = traceback.extract_tb(problem.__traceback__)[-5:]
    return " > ".join(f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)


def _unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What asyncio would print: a task of a library or a hook that failed with nobody waiting for it."""
    log.event("warning", "background_task", error=type(context.get("exception")).__name__)
