"""An upstream that holds its answers back, and says when it was called and when the caller hung up. Plain sockets.

`/pets/…` never gets an answer; `/adoptions/…` gets one once `TOGETHER` such requests are there; anything else at once.
An answer says which target it is for. The driver of a client waits on `/control/called` and `/control/closed`, each of
which answers once that has happened to a `/pets/…`: nobody has to guess how long things take.
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
#: The path of the petstore's own server, which a base URL without a path keeps.
BASE = "/v1"
TOGETHER = 8


class Slow(ThreadingTCPServer):
    """The upstream. `called` and `closed` are set once."""

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
        """Once what has to happen first has happened; false if it does not."""
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
    """Serves in a thread; hangs up on everyone on the way out."""
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
                    continue  # it is closed already
