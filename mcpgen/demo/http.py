"""Serve an application, a function from `Request` to `Answer`, over real HTTP/1.1 on loopback.

The server is not for the open internet: it has no TLS, no chunked request bodies (411) and no limits. Each request is
recorded unchanged in `Running.requests` before the application reads it. When the context `serve` ends, all sockets are
closed and all threads have ended.
"""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread
from types import FrameType
from typing import Any, NoReturn


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `target`: the request target as received. `headers`: in their order and spelling."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first header field of that name, ignoring case, or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response. `Content-Length` is added when it is sent. A `content_type` of None means that there is no
    content.
    """

    status: int
    content_type: str | None = None
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


Application = Callable[[Request], Answer]


@dataclass(frozen=True, slots=True)
class Running:
    """A running server: its base URL, and every request that it received, in order."""

    url: str
    requests: list[Request]


class _Exchange(BaseHTTPRequestHandler):
    """Handler of one connection. The standard library parses requests; this class writes each response in a single
    write.
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _exchange(self) -> None:
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return self._send(Answer(411))
        length = int(self.headers.get("Content-Length", "0"))
        # `self.path` was normalised (a leading `//` becomes `/`), so the target is taken from the request line.
        target = self.requestline.split(" ")[1]
        request = Request(self.command, target, tuple(self.headers.items()), self.rfile.read(length))
        self.server.requests.append(request)
        return self._send(self.server.application(request))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _exchange  # noqa: N815 (names that the standard library looks for)

    def _send(self, answer: Answer) -> None:
        headers = list(answer.headers)
        if answer.content_type is not None:
            headers.append(("Content-Type", answer.content_type))
        if answer.status != 204:
            headers.append(("Content-Length", str(len(answer.body))))
        if self.close_connection:
            headers.append(("Connection", "close"))
        status = f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"
        head = "\r\n".join([status, *(f"{name}: {value}" for name, value in headers), "", ""])
        self.wfile.write(head.encode("latin-1") + answer.body)

    def log_message(self, *_: Any) -> None:
        """Log nothing: `Running.requests` is the log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # threads of requests are not daemons, so that `server_close` waits for them
    request_queue_size = 128

    def __init__(self, port: int, application: Application) -> None:
        self.application = application
        self.requests: list[Request] = []
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Exchange)

    def server_bind(self) -> None:
        # HTTPServer.server_bind would look up the host's name, which can take seconds
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A caller that closes the connection is no error; anything else is a bug and is printed on stderr.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stop listening, close all connections and wait for the threads."""
        self.shutdown()
        for connection in tuple(self._connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the other side has closed the connection already, so there is nothing to do
        self.server_close()


@contextmanager
def serve(application: Application, base: str, port: int = 0) -> Iterator[Running]:
    """Serve `application` in a thread, and yield the server. `base`: path of its base URL. Port 0: any free port."""
    server = _Server(port, application)
    # `shutdown` waits for the end of the current poll interval, so the interval is short.
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005}, name="demo-http")
    thread.start()
    try:
        yield Running(f"http://127.0.0.1:{server.server_port}{base}", server.requests)
    finally:
        server.close()
        thread.join()


def announce_and_wait(url: str) -> None:
    """Print the URL as the only line on stdout. Return at the end of stdin if stdin is a pipe, else never.

    SIGTERM and Ctrl-C end the process without a message. A shell gives a background process `/dev/null` or a terminal.
    """

    def leave(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    if sys.stdin is not None and stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode):
        while os.read(sys.stdin.fileno(), 65536):
            pass
    else:
        while True:
            time.sleep(3600)
