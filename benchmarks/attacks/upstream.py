"""Run an API on a raw socket: it records the bytes it receives, and sends bytes that the attack chooses."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Reply = Callable[[socket.socket, bytes], None]
"""Function that answers one request, given its bytes, on its connection."""


def body(content: bytes, *fields: str, status: str = "200 OK", kind: str = "application/json") -> Reply:
    """Return a reply with this body, status and content type."""
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(content)}", *fields, "", ""]
    return lambda connection, request: connection.sendall("\r\n".join(head).encode() + content)


OK = body(b'{"ok": true}')


class Upstream:
    """The upstream's port, and the requests that it received, as bytes."""

    def __init__(self, reply: Reply) -> None:
        self.requests: list[bytes] = []
        self._reply = reply
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def targets(self) -> list[str]:
        """Return `METHOD target` for each request that was received."""
        return [request.split(b" HTTP/", 1)[0].decode("latin-1") for request in self.requests]

    def close(self) -> None:
        for each in (self._listener, *self._connections):
            with suppress(OSError):
                each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            data = b""
            while chunk := connection.recv(65536):
                data += chunk
                head, end, rest = data.partition(b"\r\n\r\n")
                found = re.search(rb"(?im)^content-length: *(\d+)", head)
                length = int(found[1]) if found else 0
                if end and len(rest) >= length:
                    request, data = head + end + rest[:length], rest[length:]
                    self.requests.append(request)
                    self._reply(connection, request)


@contextmanager
def serving(reply: Reply = OK) -> Iterator[Upstream]:
    """Yield an upstream that gives this reply to each request."""
    upstream = Upstream(reply)
    try:
        yield upstream
    finally:
        upstream.close()
