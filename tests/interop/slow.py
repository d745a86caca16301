"""An upstream that holds its responses back, and reports when it was called and when the caller closed the connection.

`/pets/…` is never answered. `/adoptions/…` is answered once `TOGETHER` such requests have come, anything else at once.
A response names its target. `/control/called` and `/control/closed` are answered once that has happened to a `/pets/…`
request, so that a driver need not guess how long things take. Plain sockets.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseRequestHandler, ThreadingTCPServer

#: How long to wait for what must happen before the test fails. Nothing is measured with it.
PATIENCE = 120
# : The path of the petstore's server URL, which a base URL without a path keeps.
BASE = "/v1"
TOGETHER = 8


class Slow(ThreadingTCPServer):
    """The upstream. The events `called` and `closed` are set once."""

    def __init__(self) -> None:
        self.called, self.closed = threading.Event(), threading.Event()
        self.gathered = threading.Barrier(TOGETHER, timeout=PATIENCE)
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Connection)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Connection(BaseRequestHandler):
    server: Slow
    request: socket.socket

    def handle(self) -> None:
        self.server.connections.add(self.request)
        received = b""
        while b"\r\n\r\n" not in received:
            if not (chunk := self._read()):
                return
            received += chunk
        target = received.split(b" ")[1].decode("ascii").removeprefix(BASE)
        if target.startswith("/pets/"):
            self.server.called.set()
            while self._read():
                pass
            self.server.closed.set()
        else:
            self._answer("200 OK" if self._may_answer(target) else "504 Gateway Timeout", target)

    def _may_answer(self, target: str) -> bool:
        """Wait for the condition of this path. Return False if it does not come within the time limit."""
        if target.startswith("/control/"):
            happened: threading.Event = getattr(self.server, target.rpartition("/")[2])
            return happened.wait(PATIENCE)
        if target.startswith("/adoptions/"):
            try:
                self.server.gathered.wait()
            except threading.BrokenBarrierError:
                return False
        return True

    def _read(self) -> bytes:
        try:
            return self.request.recv(65536)
        except ConnectionError:
            return b""

    def _answer(self, status: str, target: str) -> None:
        body = json.dumps({"target": target})
        fields = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
        self.request.sendall(f"HTTP/1.1 {status}\r\n{fields}\r\n{body}".encode("ascii"))


@contextmanager
def serve() -> Iterator[Slow]:
    """Serve in a thread. At the end all connections are closed."""
    with Slow() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005}, name="slow-upstream")
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
            for connection in tuple(server.connections):
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # the other side has closed it already
