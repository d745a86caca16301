"""Start the servers under attack: ours, compiled from the document, and FastMCP's, which reads the document when it
starts.
"""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.speed.programs import FASTMCP
from tests.interop import environments
from tests.interop.environments import ROOT

DOCUMENT = Path(__file__).with_name("shop.openapi.yaml")
PATIENCE = 10.0
"""Seconds after which a response counts as missing."""

_PEER = """
import os, yaml, httpx2 as httpx
from fastmcp import FastMCP
document = yaml.safe_load(open(os.environ["DOCUMENT"], encoding="utf-8"))
client = httpx.AsyncClient(base_url=os.environ["BASE_URL"], headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
FastMCP.from_openapi(openapi_spec=document, client=client).run(show_banner=False)
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """A server that can be started repeatedly. `variables`: name of a setting → environment variable that sets it."""

    name: str
    command: tuple[str, ...]
    directory: Path
    url_variable: str
    token_variable: str
    more: Mapping[str, str]
    patience: float = PATIENCE

    @contextmanager
    def running(self, url: str, token: str, **environ: str) -> Iterator[Session]:
        """Start the server, and yield its session after the handshake."""
        session = self.spawned(url, token, **environ)
        try:
            session.shake_hands()
            yield session
        finally:
            session.end()

    def spawned(self, url: str, token: str, **environ: str) -> Session:
        """Start the server, and yield its session without a handshake."""
        own = {self.url_variable: url, self.token_variable: token, **self.more}
        base = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
        return Session(self.command, self.directory, {**base, **own, **environ}, self.patience)


class Session:
    """A server process and the conversation with it. All its output is stored so that it can be searched."""

    def __init__(
        self, command: tuple[str, ...], directory: Path, environ: Mapping[str, str], patience: float = PATIENCE
    ) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, cwd=directory, env=environ, bufsize=0, **pipes)  # type: ignore[call-overload]
        self.said: list[bytes] = []
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._last = 0
        self._patience = patience
        self._reads = threading.Event()
        self._reads.set()
        self._readers = [
            threading.Thread(target=self._read, args=(stream, keep), daemon=True)
            for stream, keep in ((self.process.stdout, self._lines.put), (self.process.stderr, self.said.append))
        ]
        for reader in self._readers:
            reader.start()

    def shake_hands(self) -> None:
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "attack", "version": "1"}}
        if self.ask("initialize", client, 3 * self._patience) is None:
            raise RuntimeError("the server did not answer the handshake")
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message: object) -> None:
        """Write one message, or one line of arbitrary bytes, to the server's stdin."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def line(self, patience: float | None = None) -> Any:
        """Return the server's next message, or None if none comes in time."""
        try:
            line = self._lines.get(timeout=patience or self._patience)
        except queue.Empty:
            return None
        self.said.append(line)
        return json.loads(line) if line else None

    def ask(self, method: str, params: Mapping[str, object], patience: float | None = None) -> Any:
        """Send a request, and return its response, or None if none comes in time."""
        self._last += 1
        self.write({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        while (message := self.line(patience)) is not None:
            if message.get("id") == self._last:
                return message
        return None

    def call(self, tool: str, arguments: Mapping[str, object], patience: float | None = None) -> Called:
        """Call a tool, and return the response, or an empty `Called` if none comes in time."""
        return Called(self.ask("tools/call", {"name": tool, "arguments": arguments}, patience))

    def tools(self) -> dict[str, Any]:
        """Return a mapping from tool names to the listed tools."""
        return {tool["name"]: tool for tool in self.ask("tools/list", {})["result"]["tools"]}

    def heard(self, secret: str) -> bool:
        """Return True if any output of the process contains the text `secret`."""
        with suppress(queue.Empty):
            while True:
                self.said.append(self._lines.get(timeout=0.2))
        return any(secret.encode() in line for line in self.said)

    def memory(self) -> float:
        """Return the peak memory of the process in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))

    def ends(self, seconds: float) -> bool:
        """Return True if the process ends within `seconds`."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def leave(self) -> None:
        """Close our end of the server's stdout, as if the client had died. Stdin stays open."""
        self._reads.clear()
        for reader in self._readers:
            reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reads.clear()
        for reader in self._readers:
            reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):
                pipe.close()

    def _read(self, stream: IO[bytes], keep: Callable[[bytes], None]) -> None:
        """Read lines as they come.

        Wait by select and not in a read, because a blocked read would keep the pipe open.
        """
        rest = b""
        while self._reads.is_set():
            if not select.select([stream], [], [], 0.1)[0]:
                continue
            data = os.read(stream.fileno(), 65536)
            if not data:
                keep(b"")  # an empty line tells readers that wait in `line` that the output has ended
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                keep(line + b"\n")


class Called:
    """The response to a tool call, as read by judges (functions that decide whether a server withstood an attack)."""

    def __init__(self, message: Any) -> None:
        self.answered = message is not None
        self.result = (message or {}).get("result", {})
        self.refused = self.answered and ("error" in message or bool(self.result.get("isError")))
        self.text = "\n".join(block.get("text", "") for block in self.result.get("content", ()))
        if self.answered and "error" in message:
            self.text = str(message["error"].get("message", ""))


def ours(folder: Path) -> Subject:
    """Compile the document into `folder`, and return our server."""
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(DOCUMENT), "-o", str(folder / "shop")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    start = (sys.executable, "-m", "shop_mcp")
    return Subject("mcpgen", start, folder / "shop", "SHOP_BASE_URL", "SHOP_TOKEN", {"SHOP_TIMEOUT": "3"})


def peer(folder: Path) -> Subject:
    """Return FastMCP's server, started as its documentation shows."""
    python = environments.python("bench-fastmcp", *FASTMCP) / "bin" / "python"
    return Subject("FastMCP", (str(python), "-c", _PEER), folder, "BASE_URL", "TOKEN", {"DOCUMENT": str(DOCUMENT)})
