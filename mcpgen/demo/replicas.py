"""Show a server over HTTP with two replicas: one asks the user to confirm, and the other receives the user's answer."""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mcpgen.demo.client import REVISION

LIBRARY = "cryptography"
"""Library that a server needs for HTTP, and not for stdio."""

_META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    "io.modelcontextprotocol/clientInfo": {"name": "mcpgen-demo", "version": "1"},
}
_PATIENCE = 20.0
"""Seconds that a replica may take to start."""


class Replica:
    """One server process, which listens at a port on loopback."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/mcp"
        self._port = port

    def call(self, tool: str, arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Call a tool and return its result. Raises RuntimeError if the response is no result."""
        params = {"name": tool, "arguments": arguments, "_meta": _META, **more}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": REVISION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE)
        try:
            connection.request("POST", "/mcp", json.dumps(message), headers)
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        if "result" not in answer:
            raise RuntimeError(answer["error"]["message"])
        result: dict[str, Any] = answer["result"]
        return result


def can_serve() -> bool:
    """Return True if LIBRARY is installed, which a server needs for HTTP but not for stdio."""
    return find_spec(LIBRARY) is not None


@contextmanager
def serve(package: str, directory: Path, environment: Mapping[str, str], how_many: int) -> Iterator[list[Replica]]:
    """Start `how_many` replicas of a server that share a signing key, and yield them. The replicas are stopped when the
    context ends.
    """
    prefix = package.removesuffix("_mcp").upper()
    shared = {**environment, f"{prefix}_STATE_KEY": secrets.token_hex(32)}
    with ExitStack() as ends:
        ports = []
        for _ in range(how_many):
            port = _free_port()
            command = [sys.executable, "-m", package, "--http", str(port)]
            process = subprocess.Popen(command, cwd=directory, env=shared, stdin=subprocess.DEVNULL)
            ends.callback(_end, process)
            ports.append(port)
        for port in ports:
            _wait_for(port)
        yield [Replica(port) for port in ports]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def _wait_for(port: int) -> None:
    """Wait until a server listens at the port. Raises RuntimeError if none does within _PATIENCE seconds."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("a replica did not start")
