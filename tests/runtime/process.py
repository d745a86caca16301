"""Run a generated server as a real process with pipes.

Each output line is checked as it comes, and all output is searched for the server's secret (`tests/leaks.py`).
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tests.leaks import planted, searched
from tests.runtime import bytecode
from tests.runtime.conversation import TABLE
from tests.runtime.revisions import ENVELOPE, R4, Checker

PACKAGE = Path(__file__).parents[2] / "templates" / "package"
STUB = Path(__file__).with_name("stub_calls.py")
#: Timeout in seconds for an event that must happen. It is long, and no test measures time with it.
PATIENCE = 120


def generate(directory: Path) -> Path:
    """Write a package `mirror_mcp` with the three tools of `tests/runtime/table`. Calls need no network."""
    package = directory / "mirror_mcp"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(STUB, package / "runtime" / "calls" / "execution.py")
    for table in TABLE.glob("*.json"):
        shutil.copy(table, package)
    return package


def line(method: str, **params: object) -> bytes:
    """Return one request as a line. The method is also its id.

    Every method except `initialize` and `ping` gets the `_meta` of the stateless revision 2026-07-28.
    """
    meta = {} if method in ("initialize", "ping") else {"_meta": ENVELOPE}
    return json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": {**params, **meta}}).encode() + b"\n"


def call(id_: object, name: str, **arguments: object) -> bytes:
    """Return one tool call as a line."""
    params = {"name": name, "arguments": arguments, "_meta": ENVELOPE}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}).encode() + b"\n"


def fill(descriptor: int) -> None:
    """Write to a pipe until it takes no further byte."""
    os.set_blocking(descriptor, False)
    for size in (4096, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(descriptor, b"x" * size)
    os.set_blocking(descriptor, True)


class Server:
    """A server process. `ask` sends one request and waits for its response; `message` waits for any output line."""

    def __init__(
        self,
        directory: Path,
        *arguments: str,
        package: str = "mirror_mcp",
        flags: tuple[str, ...] = (),
        program: tuple[str, ...] = (),
        **popen: Any,
    ) -> None:
        """Start the server.

        `program`: arguments of Python instead of `-m PACKAGE`. `popen`: further arguments of Popen. Its member `env`
        holds environment variables in addition to those that every server gets.
        """
        bytecode.lend(directory / package)
        environ = {**planted(package.removesuffix("_mcp").upper()), **popen.pop("env", {})}
        command = [sys.executable, *flags, *(program or ("-m", package)), *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environ}
        self.process = subprocess.Popen(command, cwd=directory, **{**pipes, **popen})
        self.checker = Checker("--reload" in arguments)
        self._written: list[bytes] = []
        self._readers: list[threading.Thread] = []
        self._out = self._collect(self.process.stdout)
        self._err = self._collect(self.process.stderr)
        self._number = -1  # ids and progress tokens begin with 0, as in the TypeScript SDK

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        searched(self.written)

    @property
    def written(self) -> bytes:
        """Return everything written to stdout and stderr so far."""
        return b"".join(self._written)

    def say(self, data: bytes) -> None:
        """Write bytes to stdin, and record their lines in `checker`, which compares the output with them."""
        for line in data.split(b"\n"):
            self.checker.heard(line)
        self.write(data)

    def write(self, data: bytes) -> None:
        """Write bytes to stdin without recording their lines in `checker`."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> int:
        """Send a request of the stateless revision 2026-07-28, and return its id."""
        self._number += 1
        meta = {**ENVELOPE, "progressToken": self._number}
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": {**params, "_meta": meta}}
        self.say(json.dumps(message).encode() + b"\n")
        return self._number

    def call(self, name: str, **arguments: Any) -> int:
        """Send a tool call of the stateless revision 2026-07-28, and return its id."""
        return self.request("tools/call", name=name, arguments=arguments)

    def cancel(self, id_: int | str) -> None:
        """Cancel the request with this id."""
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}
        self.say(json.dumps(message).encode() + b"\n")

    def waiting(self) -> int:
        """Call `wait`, and return the call's id once it runs."""
        id_ = self.call("wait")
        assert self.message()["params"]["progressToken"] == id_
        return id_

    def asking(self) -> str:
        """Shake hands as a client that supports elicitation, and call a tool that asks its user a question.

        Return the call's id once the question has arrived.
        """
        hello = {"protocolVersion": R4, "capabilities": {"elicitation": {}}}
        self.say(line("initialize", **hello))
        self.message()
        call = {"name": "echo", "arguments": {"text": "ask"}}
        self.say(json.dumps({"jsonrpc": "2.0", "id": "asks", "method": "tools/call", "params": call}).encode() + b"\n")
        assert self.message()["method"] == "elicitation/create"
        return "asks"

    def end(self) -> None:
        """Close stdin."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def message(self) -> Any:
        """Return the next line of stdout, checked and parsed."""
        line = self._out.get(timeout=PATIENCE)
        assert line is not None, "the server closed stdout"
        self.checker.check(line)
        return json.loads(line)

    def rest(self) -> list[Any]:
        """Return all lines until stdout is closed, checked and parsed."""
        found = []
        while (line := self._out.get(timeout=PATIENCE)) is not None:
            self.checker.check(line)
            found.append(json.loads(line))
        return found

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request of the stateless revision 2026-07-28, and return the next message."""
        self.request(method, **params)
        return self.message()

    def result(self, name: str, **arguments: Any) -> Any:
        """Make a tool call of the stateless revision 2026-07-28, and return its result, skipping progress."""
        id_ = self.call(name, **arguments)
        while (message := self.message()).get("id") != id_:
            assert message["method"] == "notifications/progress"
        return message["result"]

    def complaint(self) -> str:
        """Return the next line of stderr."""
        line = self._err.get(timeout=PATIENCE)
        assert line is not None, "the server closed stderr"
        return line.decode().rstrip("\n")

    def complaints(self) -> list[str]:
        """Return all lines of stderr until it is closed."""
        return [line.decode().rstrip("\n") for line in iter(lambda: self._err.get(timeout=PATIENCE), None)]

    def ended(self) -> int:
        """Wait for the end of the process, and return its exit code."""
        return self.process.wait(timeout=PATIENCE)

    def _collect(self, pipe: IO[bytes] | None) -> queue.Queue[bytes | None]:
        lines: queue.Queue[bytes | None] = queue.Queue()

        def collect() -> None:
            try:
                for line in pipe or ():
                    self._written.append(line)
                    lines.put(line)
            except (OSError, ValueError):
                pass  # stop reading: the pipe was closed meanwhile
            lines.put(None)

        self._readers.append(threading.Thread(target=collect, daemon=True))
        self._readers[-1].start()
        return lines
