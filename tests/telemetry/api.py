"""Run an HTTP API in a thread. It answers by the path, and records the `traceparent` of each request.

/items/ID   200, and 404 for the id `missing`
/flaky      503 at first, then 200
/slow       no answer until the API stops
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


class Api:
    """A running API. `traces`: value of `traceparent` of each request, or "" for a request without it."""

    def __init__(self) -> None:
        self.traces: list[str] = []
        self.flaky = False
        self.ends = threading.Event()

    def __enter__(self) -> Api:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ends.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def status(self, path: str) -> int:
        if path.startswith("/slow"):
            self.ends.wait()
        if path.startswith("/flaky"):
            self.flaky = not self.flaky
            return 503 if self.flaky else 200
        return 404 if "missing" in path else 200


def _handler(api: Api) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            api.traces.append(self.headers.get("traceparent", ""))
            status = api.status(self.path)
            self.send_response(status)
            if status == 503:
                self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            """Write no log."""

    return Handler
