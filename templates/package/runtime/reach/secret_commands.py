# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the commands that print secrets (`<VARIABLE>_COMMAND`), such as `op read op://VAULT/ITEM/FIELD`.

A command runs at the start, and again after the API has refused a credential. No shell reads the command line. Nothing
that a command prints gets into a message or a log.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING

from ..core import log

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SECONDS = 10.0
"""Time limit of a command. It is short, since the first answer of the server waits for the command."""

PAUSE = 10.0
"""Shortest time between two runs after refusals, since any caller over HTTP can let the API refuse a credential."""

_LONGEST = 128 * 1024
"""Bytes that a command may print. The check of credentials says how many characters of them can be sent."""

_outputs: dict[str, str] = {}
"""Command -> what it printed last. So two variables, or newer tables, can share one run."""


def output(command: str, variable: str) -> str:
    """Return what a command prints, without the last line break. Run the command unless it has run before.

    Raise ValueError with a sentence that names `variable` if the command fails.
    """
    if command not in _outputs:
        _outputs[command] = _run(command, variable)
    return _outputs[command]


def _run(command: str, variable: str) -> str:
    """Run a command and return its output. Raise ValueError with a sentence if it fails or prints no usable text."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise ValueError(f"{variable} has a quote that is not closed.") from None
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    try:
        # A session of its own, so that the programs that the command has started end with it
        process = subprocess.Popen(words, stdin=null, stdout=pipe, stderr=null, start_new_session=True)
    except (OSError, ValueError, IndexError):
        raise ValueError(f"{variable} names a program that cannot be started.") from None
    pieces: list[bytes] = []
    # A thread of its own: a program that left the session could keep the pipe open for ever.
    reader = threading.Thread(target=lambda: pieces.append(_read(process)), daemon=True)
    reader.start()
    reader.join(SECONDS)
    if pieces and len(pieces[0]) > _LONGEST:
        _kill(process)
        raise ValueError(f"{variable}: the command printed more than {_LONGEST:,} bytes, too many for a secret.")
    try:
        status = process.wait(SECONDS if pieces else 0)
    except subprocess.TimeoutExpired:
        _kill(process)
        raise ValueError(f"{variable}: the command did not end within {SECONDS:g} seconds.") from None
    if status or not pieces:
        raise ValueError(f"{variable}: the command failed (exit code {status}). Run it by hand to see why.")
    try:
        printed = pieces[0].decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise ValueError(f"{variable}: the command printed no text in UTF-8.") from None
    if not printed:
        raise ValueError(f"{variable}: the command printed nothing.")
    return printed


def _read(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return process.stdout.read(_LONGEST + 1)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a command, and the programs that it has started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


class Repetition:
    """The commands of credentials, run again when the API refuses a credential. Use it in one event loop."""

    def __init__(
        self,
        commands: Mapping[str, str],
        changed: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`commands`: variable -> command. `changed` is called after a run that printed another secret."""
        self._commands = commands
        self._changed = changed
        self._clock = clock
        self._next = 0.0
        self._running: asyncio.Task[None] | None = None

    async def run(self, seconds: float) -> None:
        """Run the commands again, or wait for a run that other calls have begun, at most for `seconds`."""
        if self._running is None and self._clock() >= self._next:
            self._running = asyncio.create_task(self._run())
        if self._running is not None:
            await asyncio.wait({self._running}, timeout=seconds)

    async def _run(self) -> None:
        try:
            if await asyncio.to_thread(self._update):
                self._changed()
        finally:
            self._next, self._running = self._clock() + PAUSE, None

    def _update(self) -> bool:
        """Return True if a command has printed another secret. A command that fails keeps its former one."""
        before = {**_outputs}
        for variable, command in self._commands.items():
            try:
                _outputs[command] = _run(command, variable)
            except ValueError as problem:
                log.event("error", "files_not_taken", reason=str(problem))
        return before != _outputs
