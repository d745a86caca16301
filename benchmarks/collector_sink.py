"""Run a telemetry collector in a process of its own, which reads and discards everything: `python -m
benchmarks.collector_sink`.

It prints its port. A collector in the process of the measuring client would slow that client down.
"""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Sink(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Sink)
    print(server.server_port, flush=True)
    server.serve_forever()
