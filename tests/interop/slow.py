"""An upstream that delays its responses, and reports when it was called and when the caller closed the connection.

`/pets/…` is never answered. `/adoptions/…` is answered once `TOGETHER` such requests have arrived; any other path is
answered at once. A response names the target of its request. `/control/called` is answered once a `/pets/…` request was
received, and `/control/closed` once its connection was closed. So a driver need not guess how long this takes. The
upstream uses plain sockets.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseRequestHandler, ThreadingTCPServer

#: Timeout in seconds for an event that must happen. It is long, and no test measures time with it.
PATIENCE = 120
#: The path of the petstore's server URL. It is added to the base URL that the tests set, because this URL has no path.
BASE = "/v1"
TOGETHER = 8


class Slow(ThreadingTCPServer):
    """The upstream.

    Its events `called` and `closed` are set when a `/pets/…` request arrives and when its connection is closed.
    """

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
        """Wait until this path may be answered. Return False if that does not happen within the time limit."""
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
    """Serve the upstream in a thread, and yield it. At the end, close all connections."""
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
                    continue  # the client has closed the connection already
