"""Use one HTTP/1.1 connection to a server: prepared requests, and their responses, one at a time.

The client must cost little compared with the servers. So it parses no more of a response than is needed to find its
end.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.replicas.client import META, NEWER

BOTH = "application/json, text/event-stream"
SESSION = "Mcp-Session-Id"
_MARK = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length:"
_COMMENT = re.compile(rb"^:[^\n]*\n\r?\n", re.MULTILINE)
_READ = 1 << 18


class Closed(Exception):
    """Raised if the server closes the connection before its response is complete."""


class Answer(NamedTuple):
    """A response: status, head, and body without chunk framing."""

    status: int
    head: bytes
    body: bytes

    def field(self, name: str) -> str:
        """Return the value of this header field, or ""."""
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.lower() == name.lower().encode():
                return value.strip().decode()
        return ""


class Connection:
    """Connection to a port on loopback. It sends each request after the previous response."""

    def __init__(self, port: int, seconds: float) -> None:
        """Open the connection. `seconds`: timeout of each operation on it."""
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._came = b""

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, request: bytes) -> None:
        self.socket.sendall(request)

    def close(self) -> None:
        self.socket.close()

    def ask(self, request: bytes) -> Answer:
        """Send a request, and return the complete response. Raise Closed if the server closes the connection."""
        self.send(request)
        while (answer := self.take()) is None:
            continue
        return answer

    def take(self) -> Answer | None:
        """Read available bytes. Return the response, or None if it is incomplete.

        Raise Closed if the server closes the connection.
        """
        self._came += self._read()
        answer = parse(self._came)
        if answer is not None:
            self._came = b""
        return answer

    def until(self, mark: bytes) -> bytes:
        """Read an endless stream until it contains `mark`. Return the bytes read.

        Raise Closed if the server closes the connection.
        """
        while mark not in self._came:
            self._came += self._read()
        return self._came

    def _read(self) -> bytes:
        if not (came := self.socket.recv(_READ)):
            raise Closed(self._came[:300])
        return came


def parse(came: bytes) -> Answer | None:
    """Return the response in the bytes `came`, or None if it is incomplete."""
    end = came.find(_MARK)
    if end < 0:
        return None
    head, rest = came[:end], came[end + len(_MARK) :]
    status, lower = int(head[9:12]), head.lower()
    begin = lower.find(_LENGTH)
    if begin >= 0:
        length = int(lower[begin + len(_LENGTH) :].split(b"\r\n", 1)[0])
        return Answer(status, head, rest) if len(rest) >= length else None
    if b"\r\ntransfer-encoding: chunked" in lower:
        body = _joined(rest)
        return None if body is None else Answer(status, head, body)
    return Answer(status, head, b"")


def _joined(rest: bytes) -> bytes | None:
    """Return the joined content of all chunks, or None if the last chunk is missing."""
    parts, at = list[bytes](), 0
    while (end := rest.find(b"\r\n", at)) >= 0:
        size = int(rest[at:end], 16)
        if not size:
            return b"".join(parts)
        parts.append(rest[end + 2 : end + 2 + size])
        at = end + 4 + size
    return None


def http(method: str, port: int, fields: Mapping[str, str], body: bytes = b"") -> bytes:
    """Return the bytes of an HTTP request for `/mcp`."""
    known = {"Host": f"127.0.0.1:{port}", **fields, "Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in known.items())
    return f"{method} /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body


def post(port: int, revision: str, message: Mapping[str, object], session: str = "") -> bytes:
    """Return a message of this protocol revision as a POST with its header fields."""
    params = message.get("params")
    whole = dict(params) if isinstance(params, dict) else {}
    fields = {"Content-Type": "application/json", "Accept": BOTH}
    if revision == NEWER:
        whole["_meta"] = {f"{META}protocolVersion": NEWER, f"{META}clientCapabilities": {}}
        fields |= {"MCP-Protocol-Version": revision, "Mcp-Method": str(message["method"])}
        fields |= {"Mcp-Name": str(whole["name"])} if "name" in whole else {}
    elif session:
        fields |= in_session(session, revision)
    body = json.dumps({"jsonrpc": "2.0", **message, "params": whole}, separators=(",", ":")).encode()
    return http("POST", port, fields, body)


def in_session(session: str, revision: str) -> dict[str, str]:
    """Return the header fields of a request in a session."""
    return {"MCP-Protocol-Version": revision, SESSION: session}


def begin_session(connection: Connection, port: int, revision: str) -> str:
    """Shake hands, and return the session's id. Raise Closed if the server closes the connection."""
    client = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    answer = connection.ask(post(port, revision, {"id": 1, "method": "initialize", "params": client}))
    if not (session := answer.field(SESSION)):
        raise Closed(answer)
    connection.ask(post(port, revision, {"method": "notifications/initialized"}, session))
    return session


def without_comments(body: bytes) -> bytes:
    """Return an event stream without its keep-alive comments."""
    return _COMMENT.sub(b"", body)


def message_of(answer: Answer) -> bytes:
    """Return the last message of a response. The response is JSON or an event stream."""
    if not answer.field("Content-Type").startswith("text/event-stream"):
        return answer.body
    lines = answer.body.replace(b"\r\n", b"\n").split(b"\n")
    return [line[6:] for line in lines if line.startswith(b"data: ")][-1]
