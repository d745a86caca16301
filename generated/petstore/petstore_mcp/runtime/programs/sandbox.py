# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run programs in worker processes of the sandbox pydantic-monty, one program per process.

A program has no access to files, the network or the environment, and imports only modules of the sandbox. It sees only
the functions of its tools. At a call it stops, and this process resumes it once the call has its result. A stopped
program can be serialized (`dump`) and restored by another process (`Sandbox.restored`). Such bytes are trusted like
code: only bytes that this server has encrypted or stored may be restored.

Errors of a program are described with the lines where they occurred, so that the model can correct the program.
"""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING, Any

import pydantic_monty as monty

from ..core import spans
from ..core.jsonrpc import NotJSON, loads
from ..core.limits import FairPool
from ..search.stubs import OWN
from . import worker_code
from .worker_code import KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_TOLD = 8
LONGEST = 400

_FINDING = re.compile(r"^[^\s:]+:(\d+):\d+: \w+(?:\[[^\]]*\])? (.+)$", re.MULTILINE)
_OF_LIMITS = (
    ("TimeoutError: feed time limit", "The program ran longer than its {seconds:g} seconds. Waiting does not count."),
    ("MemoryError: memory limit", "The program needs more memory than its {memory:,} bytes."),
    ("MemoryError: the worker exceeded", "The program needs more memory than its {memory:,} bytes."),
    ("RecursionError", "The program called its own functions too deeply."),
    (
        "NotImplementedError: external function",
        "A tool cannot be called there, as in a key of sorted(). Call it before.",
    ),
    ("RuntimeError: suspension limit", "The program stopped too often for what it may not do."),
)

VERSION = monty.__version__

SECONDS = 5.0
"""Seconds of running time that a model's program has. Waiting for results of tool calls does not count."""

MEMORY = 32 * 2**20
RECURSION = 200
SUSPENSIONS = 1000
"""Maximum number of stops of a model's program: at tool calls, at names of tools, and at forbidden operations."""

MOST_WORKERS = 4
_GRACE = 2.0
_PATIENCE = 60.0
"""Seconds for which a model's program waits for a free worker process."""

MOST_WAITING = 320
"""Maximum number of programs that wait for a worker process, about as many as there are calls at a time."""

MOST_PRINTED = 64 * 1024
_NICE = 10
_NAME = "program.py"


class Stopped(Exception):
    """Raised if the program cannot continue. The message says why, and shows the line.

    `checked` is True if no part of the program has run.
    """

    def __init__(self, text: str, checked: bool = False) -> None:
        super().__init__(text)
        self.checked = checked


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing. The sandbox demands a function for each tool, but this process answers the calls of the tools."""


class Run:
    """One program in a worker. It has stopped at `call`, a name with arguments, or has ended with a value.

    `printed` is the text that it has printed since it was begun or restored.
    """

    def __init__(self, session: Any, names: Iterable[str], closed: Callable[[], None]) -> None:
        self._session = session
        self._closed = closed
        self._names = {f"{OWN}{name}": _nothing for name in names}
        self._prints = monty.CollectString(max_bytes=MOST_PRINTED)
        self._snapshot: Any = None
        self.call: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
        self._complete: Any = None

    @property
    def printed(self) -> str:
        """Return the text that the program has printed."""
        return str(self._prints.output)

    async def begin(self, code: str) -> None:
        """Check the types of a model's program, and run it to its first tool call or its end. Raise Stopped if the
        check or the program fails.
        """
        before, program = worker_code.prepared(code, [name.removeprefix(OWN) for name in self._names])
        await self._before(before)
        await self._go(self._session.feed_start(program, external_lookup=self._names, print_callback=self._prints))

    async def restore(self, written: bytes) -> None:
        """Restore a model's paused program that `dump` serialized. Raise Stopped if that fails."""
        await self._go(self._session.load_snapshot(written, external_lookup=self._names, print_callback=self._prints))

    async def answer(self, value: Any) -> None:
        """Resume the program with the result of its tool call. Raise Stopped if the program fails."""
        await self._go(self._snapshot.resume({"return_value": value}))

    async def fail(self, problem: Exception) -> None:
        """Resume the program with an exception for its failed tool call, which the program may catch. Raise Stopped if
        the program fails.
        """
        await self._go(self._snapshot.resume({"exception": problem}))

    async def dump(self) -> bytes:
        """Serialize the model's program, which waits for a tool call. Raise Stopped if its data is too large."""
        try:
            # Serialize in a thread: this takes long for a large program, and would block the event loop.
            written: bytes = await asyncio.to_thread(self._snapshot.dump)
        except monty.MontyError:
            raise Stopped("It holds too much to be written down while the user is asked.") from None
        return written

    async def close(self) -> None:
        """Return the worker process to the pool."""
        try:
            await self._session.__aexit__(None, None, None)
        finally:
            self._closed()

    async def value(self, room: int) -> tuple[Any, bool, int]:
        """Return the beginning of the program's final value, about `room` characters.

        Also return whether the value is longer, and how many items it has, -1 if it is no collection.
        """
        try:
            found = await self._session.feed_run(worker_code.beginning(room), skip_type_check=True)
        except (monty.MontyError, RuntimeError):  # the model's program redefined a name that `beginning` uses
            found = ...
        if found is not ...:
            value, is_json, cut, count = found
            try:
                return (loads(value)[0] if is_json else value), cut, count
            except NotJSON:  # not valid JSON, such as `NaN`: return the text itself
                return value, cut, count
        return await asyncio.to_thread(getattr, self._complete, "output"), False, -1

    async def _before(self, code: str) -> None:
        """Run `code`, which defines the tools' functions for the model's program. Raise Stopped if that fails."""
        try:
            await self._session.feed_run(code, external_lookup=self._names, skip_type_check=True)
        except monty.MontyError:
            raise Stopped("The worker for programs could not be prepared.", checked=True) from None

    async def _go(self, step: Any) -> None:
        """Run the program until its next tool call, or to its end. Raise Stopped if it fails."""
        self.call = None
        try:
            snapshot = await step
            while not isinstance(snapshot, monty.MontyComplete):
                if isinstance(snapshot, monty.AsyncFutureSnapshot):
                    raise Stopped("The program waits for something that is no call.")
                if isinstance(snapshot, monty.AsyncFunctionSnapshot) and self._is_call(snapshot):
                    self._snapshot = snapshot
                    self.call = str(snapshot.function_name).removeprefix(OWN), snapshot.args, snapshot.kwargs
                    return
                # The model's program used a name that it does not define, or tried a forbidden operation. Resuming
                # supplies the function if a tool has that name; else it raises an error, such as NameError, in the
                # program.
                snapshot = await snapshot.resume_auto()
            self._complete = snapshot
        except monty.MontyTypingError as problem:
            raise Stopped(of_types(problem.display()), checked=True) from None
        except (monty.MontySyntaxError, monty.MontyRuntimeError) as problem:
            said = problem.display("type-msg").replace(f"'{OWN}", "'")
            printed = said.endswith(f" > {MOST_PRINTED} bytes")
            told = of_printing(MOST_PRINTED) if printed else of_run(said, _lines(problem), SECONDS, MEMORY)
            raise Stopped(told) from None
        except monty.MontyError as problem:
            timed_out = isinstance(problem, monty.MontyCrashedError) and problem.timed_out
            raise Stopped(of_process(timed_out, SECONDS)) from None

    def _is_call(self, snapshot: monty.AsyncFunctionSnapshot) -> bool:
        if snapshot.is_os_function or snapshot.object_id is not None:
            return False
        return snapshot.function_name in self._names


def _lines(problem: Any) -> list[tuple[int, str]]:
    """Return the lines of the program where the problem occurred, without lines of code that the server has added."""
    frames = [frame for frame in problem.traceback() if OWN not in (frame.source_line or "").replace(KEPT, "")]
    return [(frame.line, (frame.source_line or "").replace(KEPT, "")) for frame in frames]


class Sandbox:
    """Worker processes of one server, for programs that models wrote. The pool of processes is created for the first
    program, and has at most MOST_WORKERS processes. Callers take turns, and no caller takes all of the processes.
    """

    def __init__(self) -> None:
        self._pool: Any = None
        self._places = FairPool(MOST_WORKERS, MOST_WAITING)

    async def worker(self, names: Iterable[str], stubs: str = "") -> Run:
        """Return a worker for one program that may call the functions `names`. Raise Stopped if no worker is available.

        With `stubs`, type definitions of the functions, the program's types are checked before it runs.
        """
        # Type errors have the format `concise`: with `json`, the worker of pydantic-monty 1.4 crashes on a misspelt
        # member next to non-ASCII letters.
        checks = {"type_check": True, "type_check_stubs": stubs, "type_check_format": "concise"} if stubs else {}
        caller = spans.caller()
        try:
            await self._places.enter(caller, _PATIENCE)
        except TimeoutError:
            raise Stopped("Too many programs run. Run it again in a minute.", checked=True) from None
        session = None
        try:
            if self._pool is None:
                self._pool = await monty.AsyncMonty(
                    min_processes=1,
                    max_processes=MOST_WORKERS,
                    checkout_timeout=_PATIENCE,
                    request_timeout=SECONDS + 2 * _GRACE,
                    feed_duration_limit_grace=_GRACE,
                ).__aenter__()
            found = self._pool.checkout(script_name=_NAME, limits=_limits(), os_policy={"sleep": "zero"}, **checks)
            await found.__aenter__()
            session = found
        except (TimeoutError, OSError, RuntimeError, monty.MontyError):
            raise Stopped("No worker for programs can be started on this machine.", checked=True) from None
        finally:
            if session is None:
                self._places.leave(caller)
        _step_back(session.worker_pid)
        return Run(session, names, lambda: self._places.leave(caller))

    async def close(self) -> None:
        """End all worker processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.__aexit__(None, None, None)


def _limits() -> monty.ResourceLimits:
    return {
        "max_feed_duration_secs": SECONDS,
        "max_memory": MEMORY,
        "max_recursion_depth": RECURSION,
        "max_suspensions": SUSPENSIONS,
    }


def _step_back(worker: int | None) -> None:
    """Lower the priority of a worker process, so that the server's own process runs first."""
    if worker is not None and hasattr(os, "setpriority"):
        try:
            os.setpriority(os.PRIO_PROCESS, worker, _NICE)
        except OSError:
            return


# -- mistakes ----------------------------------------------------------------------------------------------------------


def of_types(told: str) -> str:
    """Return the findings of the type checker, one per line.

    `told` is the type checker's output, with lines of the form `FILE:LINE:COLUMN: KIND TEXT`.
    """
    found = [(each[1], _clipped(each[2])) for each in _FINDING.finditer(told)]
    lines = [f"Line {line}: {text}" for line, text in found[:MOST_TOLD]]
    if len(found) > MOST_TOLD:
        lines.append(f"and {len(found) - MOST_TOLD} more")
    return "\n".join(dict.fromkeys(lines)) or _clipped(told)


def of_run(said: str, frames: list[tuple[int, str]], seconds: float, memory: int) -> str:
    """Return why a program that a model wrote ended early.

    `said`: type and message of the exception. `frames`: line number and source of each line in its traceback.
    """
    for beginning, words in _OF_LIMITS:
        if said.startswith(beginning):
            said = words.format(seconds=seconds, memory=memory)
            break
    else:
        said = _clipped(said, 20 * LONGEST)
    if not frames:
        return said
    line, source = frames[-1]
    shown = f" ({_clipped(source.strip(), 120)})" if source.strip() else ""
    return f"Line {line}{shown}: {said}"


def of_printing(most: int) -> str:
    """Return the error message to the model if the Python code that it sent has printed more than `most` bytes."""
    return f"The program printed more than {most:,} bytes. Print less: only what you want to see."


def of_process(timed_out: bool, seconds: float) -> str:
    """Return the error message to the model if the process that ran its Python code has ended early."""
    if timed_out:
        return f"The program ran longer than its {seconds:g} seconds, and its process was ended."
    return "The process that ran the program ended by itself, and so did the program."


def _clipped(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}\u2026"
