"""Run a generated server as a process that serves HTTP.

At the end, its stdout must be empty, and its stderr must not hold the API key of the test.
"""

from __future__ import annotations

import json
import queue
import re
import resource
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import IO, Any, Self

from tests.leaks import planted, searched
from tests.streamable.client import Answer, Connection, Fields
from tests.streamable.upstream import PATIENCE, Upstream

START = Path(__file__).with_name("start.py")
PACKAGE = "caller_mcp"
DOORS = ("aiohttp", "asgi")
UNTUNED = "aiohttp without tricks of performance"
CONSTANTS = {"http_server.over_http.LINGER": 0.0}


class Server:
    """A server process, used as a context manager. At the end, the process is stopped and its output is checked.

    `files`: soft and hard limit of its file descriptors, or None for those of the tests.
    """

    files: tuple[int, int] | None = None

    def __init__(
        self,
        project: Path,
        upstream: Upstream,
        door: str,
        constants: dict[str, float] | None = None,
        flags: tuple[str, ...] = (),
        **variables: str,
    ) -> None:
        """Start the server. `constants`: values to set in its modules.

        `variables`: values of environment variables by name, without the prefix `CALLER_`.
        """
        self.door = door
        self.upstream = upstream
        told = json.dumps({**CONSTANTS, **(constants or {})})
        command = [sys.executable, str(START), door, PACKAGE, told, *flags]
        environ = {
            **planted("CALLER"),
            "CALLER_BASE_URL": f"http://127.0.0.1:{upstream.port}",
            **{f"CALLER_{name}": value for name, value in variables.items()},
            **({"MCPGEN_TUNING": "0"} if door == UNTUNED else {}),
        }
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        if self.files is not None:
            pipes["preexec_fn"] = partial(resource.setrlimit, resource.RLIMIT_NOFILE, self.files)
        self.process: subprocess.Popen[bytes] = subprocess.Popen(command, cwd=project, env=environ, **pipes)
        self.written: list[bytes] = []
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self._printed: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._collect, args=(self.process.stderr, True), daemon=True),
            threading.Thread(target=self._collect, args=(self.process.stdout, False), daemon=True),
        ]
        for each in self._readers:
            each.start()
        self.port = self._port()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.ended()
        searched(b"".join([*self.written, *self._printed]))

    def connect(self, source: str = "127.0.0.1") -> Connection:
        """Return a new connection to the server from the address `source`."""
        return Connection(self.port, source)

    def ask(self, method: str, path: str = "/mcp", fields: Fields | None = None, body: bytes = b"") -> Answer:
        """Send one request on a new connection, and return its response."""
        with self.connect() as connection:
            return connection.ask(method, path, fields, body)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.process.send_signal(signal.SIGTERM)

    def ended(self) -> int:
        """Wait for the process to end, check that stdout is empty (X7), and return the exit code."""
        code = self.process.wait(PATIENCE)
        for each in self._readers:
            each.join(PATIENCE)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        assert b"".join(self._printed) == b""
        return code

    def log(self, event: str) -> Any:
        """Return the next line of the log with this event name."""
        return self._logged("event", event)

    def logged_in(self, call: str) -> Any:
        """Return the next line of the log that carries this id of a call."""
        return self._logged("call", call)

    def _logged(self, key: str, value: str) -> Any:
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            if line.startswith(b"{") and (told := json.loads(line)).get(key) == value:
                return told
        raise AssertionError(f"no line of the log has the {key} {value}")

    def _port(self) -> int:
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            if found := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
                return int(found[1])
        raise AssertionError(b"".join(self.written).decode())

    def _collect(self, pipe: IO[bytes], heard: bool) -> None:
        for line in pipe:
            (self.written if heard else self._printed).append(line)
            if heard:
                self.lines.put(line)
        if heard:
            self.lines.put(None)
