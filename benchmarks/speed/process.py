"""A server as a process on raw pipes, and what the system says of it: seconds of CPU, and memory."""

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
"""Seconds after which a server that did not do what it was asked counts as dead. Nothing is measured with it."""
CHUNK = 1 << 20
FIRST_ID, DIGITS = 1_000_001, 7
"""Ids of calls are so long and stand in no body, so that the place of an id in an answer is found by looking for it."""
_CPU_OF_A_PROCESS = 2  # clock_getcpuclockid(3) of Linux: ~pid << 3, and which of its clocks


@dataclass(frozen=True, slots=True)
class Subject:
    """A server that can be measured: what it is called in reports, and how it is started."""

    name: str
    command: tuple[str, ...]
    variables: Mapping[str, str]
    directory: Path | None = None


class Dead(Exception):
    """A server ended, or was ended since it took too long."""


class Process:
    """A running subject. Its output is read as lines, of whatever length, without a copy more than that takes. It
    `began` and was last `heard` then, by the clock of perf_counter.
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

    def take_ids(self, number: int) -> int:
        """The first of that many ids, which no other request of this session has."""
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
        """While inside, reading waits for it, and no longer than anybody would."""
        timer = threading.Timer(PATIENCE, self._process.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def lines(self) -> list[bytes]:
        """The lines that end in what comes next, at least one, without their line feeds. To be called with patience."""
        while data := os.read(self._out, CHUNK):
            self.heard = time.perf_counter()
            if data.endswith(b"\n") and not self._pieces:
                return data[:-1].split(b"\n")  # as mostly
            self._pieces.append(data)
            if b"\n" in data:
                *found, rest = b"".join(self._pieces).split(b"\n")
                self._pieces = [rest] if rest else []
                return found
        raise Dead(f"{self.name} ended")

    def until(self, id_: int) -> bytes:
        """The line that answers that request."""
        with self.patience():
            while True:
                for line in self.lines():
                    if json.loads(line).get("id") == id_:
                        return line

    def cpu(self) -> float:
        """Seconds of CPU that it has taken so far, all of its threads."""
        return time.clock_gettime((~self.pid << 3) | _CPU_OF_A_PROCESS)

    def peak(self) -> float:
        """MiB that it has held at most (VmHWM)."""
        return _kilobytes(f"/proc/{self.pid}/status", "VmHWM") / 1024

    def resident(self) -> float:
        """KiB that it holds now (VmRSS)."""
        return _kilobytes(f"/proc/{self.pid}/status", "VmRSS")

    def share(self) -> float:
        """MiB that it holds now, of what it shares with others its part (PSS)."""
        return _kilobytes(f"/proc/{self.pid}/smaps_rollup", "Pss") / 1024


def _kilobytes(path: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", Path(path).read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None
    return int(found[1])


def line(message: Mapping[str, Any]) -> bytes:
    """A message as it goes over the pipe."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


LIST_ID = 2
_CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
INITIALIZE = line({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _CLIENT})
HANDSHAKE = INITIALIZE + line({"jsonrpc": "2.0", "method": "notifications/initialized"})
LIST = line({"jsonrpc": "2.0", "id": LIST_ID, "method": "tools/list", "params": {}})
