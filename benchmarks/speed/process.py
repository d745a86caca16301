"""Run a server as a process on raw pipes, and read its CPU seconds and memory from the system."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PATIENCE = 120.0
"""Seconds after which a server that does not respond counts as dead. No result depends on this value."""
CHUNK = 1 << 20
FIRST_ID, DIGITS = 1_000_001, 7
"""Ids of calls, and their number of digits. Ids occur in no body, so a search for the id finds its place in
a response.
"""
_CPU_OF_A_PROCESS = 2  # index of the CPU clock in clock_getcpuclockid(3) of Linux, whose clock id is ~pid << 3 | index


@dataclass(frozen=True, slots=True)
class Subject:
    """A server that can be measured: its name in reports, and the command that starts it."""

    name: str
    command: tuple[str, ...]
    variables: Mapping[str, str]
    directory: Path | None = None


class Dead(Exception):
    """Raised if a server has ended, or was killed because it took too long."""


class Process:
    """A running server. Its output is read as lines, with as few copies as possible.

    `began`, `heard`: times of perf_counter at which the process was started, and at which its last output arrived.
    """

    def __init__(self, subject: Subject) -> None:
        base = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
        self.name = subject.name
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            subject.command,
            cwd=subject.directory,
            env={**base, **subject.variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._in, self._out = self._stdin.fileno(), self._stdout.fileno()
        self._pieces: list[bytes] = []
        self._ids = FIRST_ID
        self.heard = self.began

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._stdin.close()
        self._stdout.close()

    def end(self) -> None:
        """Close the server's stdin, and wait until the server has ended."""
        self._stdin.close()
        self._process.wait(PATIENCE)

    def take_ids(self, number: int) -> int:
        """Reserve `number` ids for requests, and return the first id."""
        self._ids += number
        return self._ids - number

    def write(self, data: bytes) -> None:
        try:
            while (written := os.write(self._in, data)) < len(data):
                data = data[written:]
        except BrokenPipeError:
            raise Dead(f"{self.name} ended") from None

    @contextmanager
    def patience(self) -> Iterator[None]:
        """Limit the reads within the `with` block: the server must respond within PATIENCE seconds."""
        timer = threading.Timer(PATIENCE, self._process.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def lines(self) -> list[bytes]:
        """Wait for at least one complete line, and return all complete lines without line feeds.

        Call this within `with server.patience():`, which limits the waiting time.
        """
        while data := os.read(self._out, CHUNK):
            self.heard = time.perf_counter()
            if data.endswith(b"\n") and not self._pieces:
                # Usual case: the data ends with a complete line, so no rest has to be stored
                return data[:-1].split(b"\n")
            self._pieces.append(data)
            if b"\n" in data:
                *found, rest = b"".join(self._pieces).split(b"\n")
                self._pieces = [rest] if rest else []
                return found
        raise Dead(f"{self.name} ended")

    def until(self, id_: int) -> bytes:
        """Return the line that answers the request with this id."""
        with self.patience():
            while True:
                for line in self.lines():
                    if json.loads(line).get("id") == id_:
                        return line

    def cpu(self) -> float:
        """Return the CPU seconds of all threads of the server so far."""
        return time.clock_gettime((~self.pid << 3) | _CPU_OF_A_PROCESS)

    def peak(self) -> float:
        """Return the peak memory of the server in MiB (VmHWM)."""
        return _kilobytes(f"/proc/{self.pid}/status", "VmHWM") / 1024

    def resident(self) -> float:
        """Return the current memory of the server in KiB (VmRSS)."""
        return _kilobytes(f"/proc/{self.pid}/status", "VmRSS")

    def share(self) -> float:
        """Return the current memory of the server in MiB, with a proportional share of shared pages (PSS)."""
        return _kilobytes(f"/proc/{self.pid}/smaps_rollup", "Pss") / 1024


def _kilobytes(path: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", Path(path).read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None
    return int(found[1])


def line(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line for the server's stdin."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


LIST_ID = 2
_CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
INITIALIZE = line({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _CLIENT})
HANDSHAKE = INITIALIZE + line({"jsonrpc": "2.0", "method": "notifications/initialized"})
LIST = line({"jsonrpc": "2.0", "id": LIST_ID, "method": "tools/list", "params": {}})
