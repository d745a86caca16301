"""A minimal MCP client over stdio, in the stateless revision 2026-07-28, for the demo.

It needs forty lines for what an MCP host does: one JSON message per line in each direction. Tests use official clients
instead.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

REVISION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "mcpgen-demo", "version": "1"},
}


class Client:
    """MCP client of one server process. It sends one request at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._last_id = 0

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one request and return its result.

        Raises RuntimeError if the server answers with a protocol error, or has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": {**params, "_meta": _META}}
        # ignore that the server has closed its stdin: then it has ended, and `readline` below returns an empty line
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the server ended without an answer")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool call, which may say that the call failed."""
        return self.request("tools/call", name=tool, arguments=arguments)


@contextmanager
def connect(command: list[str], directory: Path, environment: Mapping[str, str]) -> Iterator[Client]:
    """Yield a client of a server that is started as a subprocess in `directory`. At the end the process is terminated
    and its pipes are closed.
    """
    process = subprocess.Popen(
        command, cwd=directory, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        yield Client(process)
    finally:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()
