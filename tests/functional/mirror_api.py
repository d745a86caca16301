"""Run a raw HTTP server as the API of `test_resources.py`. The response depends on the path of the request."""

from __future__ import annotations

import json
import re
import socket
import threading
from contextlib import suppress
from typing import IO

EVENT = "data: 1\n\n"
ROW = "an,row,of,some,length\n"
LONG = ROW * 5000
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


class Upstream:
    """Raw HTTP server that records the head of each request and responds by its path. It never answers `/slow`."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.begun, self.closed = threading.Event(), threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def end(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError), connection.makefile("rb") as said:
            while head := _head(said):
                self.heads.append(head)
                if " /v1/events" in head:
                    connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{EVENT}".encode())
                    said.read(1)
                    return
                if " /v1/slow" in head:
                    self.begun.set()
                    said.read(1)
                    self.closed.set()
                    return
                connection.sendall(_answer(head))


def _head(said: IO[bytes]) -> str:
    """Read the next request with its body, and return its head, or "" if the client has closed the connection."""
    lines = []
    while (line := said.readline()) not in (b"\r\n", b""):
        lines.append(line)
    head = b"".join(lines).decode()
    if length := re.search(r"(?i)^content-length: (\d+)", head, re.MULTILINE):
        said.read(int(length[1]))
    return head


def _answer(head: str) -> bytes:
    target = head.split()[1]
    key = re.search(r"(?i)^x-key: (.*)\r$", head, re.MULTILINE)
    status, kind, body = "200 OK", "", f"{target} with {key[1] if key else 'no key'}".encode()
    if "missing" in target:
        status, kind, body = "404 Not Found", "application/json", b'{"message": "no such table"}'
    elif "broken" in target:
        status, kind, body = "500 Oh", "application/json", json.dumps({"message": f"bad {key and key[1]}"}).encode()
    elif "moved" in target:
        status = "302 Found\r\nLocation: http://169.254.169.254/"
    elif "png" in target:
        kind, body = "image/png", PNG
    elif "long" in target:
        kind, body = "text/plain", LONG.encode()
    elif "bytes" in target:
        kind, body = "application/zip", bytes(range(256))
    elif "empty" in target:
        status, body = "204 No Content", b""
    typed = f"Content-Type: {kind}\r\n" if kind else ""
    return f"HTTP/1.1 {status}\r\n{typed}Content-Length: {len(body)}\r\n\r\n".encode() + body
