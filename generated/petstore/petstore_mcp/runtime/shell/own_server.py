# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Call a tool of the server itself, as an MCP client over stdio.

The server runs in its own process. So checks, hooks, confirmation, audit and rate limits apply to a call from a shell
as to any other call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REVISION = "2025-11-25"
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_PACKAGE = __name__.partition(".")[0]
_BEGIN = "import sys; sys.path[0] = {root!r}; from {package}.runtime.server import main; sys.exit(main())"
_NO_SUCH_METHOD = -32601


class Unanswered(Exception):
    """Raised if the server process ended before it answered.

    `code` is its exit code; the server has written the reason to stderr.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"The server ended with code {code} before it answered.")
        self.code = code


@dataclass(frozen=True, slots=True)
class Terminal:
    """Functions by which the MCP client of this module shows progress and asks its user.

    `ask` is None if nobody can be asked for consent. `fill` is None if forms cannot be filled in.
    """

    ask: Callable[[str, str], bool] | None
    progress: Callable[[str], None] | None
    fill: Callable[[str, dict[str, Any]], dict[str, Any] | None] | None = None


def call(name: str, arguments: dict[str, Any], flags: list[str], settings: dict[str, str], terminal: Terminal) -> Any:
    """Return the result of a tool call, or a protocol error under the key `error`.

    `flags` and `settings` are command-line flags and environment variables for the server. Raise Unanswered if the
    server ends before it answers.
    """
    begin = _BEGIN.format(root=_ROOT, package=_PACKAGE)
    server = subprocess.Popen(
        [sys.executable, "-c", begin, *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **settings},
    )
    with server:
        answer = _conversation(_Wire(server), name, arguments, terminal)
        assert server.stdin is not None
        server.stdin.close()
        return answer


def _conversation(wire: _Wire, name: str, arguments: dict[str, Any], terminal: Terminal) -> Any:
    asks: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}} if terminal.ask or terminal.fill else {}
    about = {"name": "shell", "version": "1"}
    wire.ask("initialize", {"protocolVersion": REVISION, "capabilities": asks, "clientInfo": about}, terminal)
    wire.send({"method": "notifications/initialized"})
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if terminal.progress is not None:
        params["_meta"] = {"progressToken": 1}
    return wire.ask("tools/call", params, terminal)


class _Wire:
    """The client's side of the stdio connection. Each message is one line of JSON."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        self._server, self._in, self._out = server, server.stdin, server.stdout
        self._last = 0

    def send(self, message: dict[str, Any]) -> None:
        """Write a message. Raise Unanswered if the server has ended."""
        try:
            self._in.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._in.flush()
        except BrokenPipeError:
            raise Unanswered(self._server.wait()) from None

    def ask(self, method: str, params: dict[str, Any], terminal: Terminal) -> Any:
        """Return the result of a request, and answer the server's own requests meanwhile.

        Raise Unanswered if the server ends before it answers.
        """
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        while line := self._out.readline():
            message = json.loads(line)
            if message.get("id") == self._last and "method" not in message:
                return message["result"] if "result" in message else {"error": message["error"]}
            self._serve(message, terminal)
        raise Unanswered(self._server.wait())

    def _serve(self, message: dict[str, Any], terminal: Terminal) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "notifications/progress" and terminal.progress is not None:
            terminal.progress(_progress(params))
        elif method == "elicitation/create":
            self.send({"id": message["id"], "result": _answer(params, terminal)})
        elif method == "ping":
            self.send({"id": message["id"], "result": {}})
        elif "id" in message and method is not None:
            error = {"code": _NO_SUCH_METHOD, "message": "This client does not know the method."}
            self.send({"id": message["id"], "error": error})


def _progress(params: dict[str, Any]) -> str:
    """Return the message of a progress notification, or its numbers if it has none."""
    total = f" of {params['total']:g}" if "total" in params else ""
    return str(params.get("message") or f"{params['progress']:g}{total}")


def _answer(params: dict[str, Any], terminal: Terminal) -> dict[str, Any]:
    """Return the user's answer to the server's request: values for a form, or whether the user agrees."""
    schema, message = params.get("requestedSchema", {}), str(params.get("message", ""))
    if schema.get("properties"):
        content = terminal.fill(message, schema) if terminal.fill is not None else None
        return {"action": "cancel"} if content is None else {"action": "accept", "content": content}
    if terminal.ask is None:
        return {"action": "cancel"}
    agreed = terminal.ask(message, str(params.get("url", "")))
    return {"action": "accept", "content": {}} if agreed else {"action": "decline"}
