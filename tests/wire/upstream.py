"""Run an API on a raw socket in a thread. It records the bytes of each request, and sends given bytes."""

from __future__ import annotations

import queue
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


class Upstream:
    """API on a raw socket. `received`: the bytes of each request. `answer`: the bytes that each request gets."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.port: int = listener.getsockname()[1]
        self.received: queue.Queue[bytes] = queue.Queue()
        self.answer = OK

    def serve(self) -> None:
        """Answer one request on each connection, one connection after another, until the listener is closed."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.received.put(_request(connection))
                connection.sendall(self.answer)


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def listening() -> Iterator[Upstream]:
    """Yield an upstream that listens on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        upstream = Upstream(listener)
        thread = threading.Thread(target=upstream.serve, daemon=True)
        thread.start()
        try:
            yield upstream
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
