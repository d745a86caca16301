"""The API behind the echo server.

POST /echo    {"data": "hello"} gives {"data": "hello"}
"""
# The document names a host that cannot exist: at a loopback address, calls would reach whatever program listens there.

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


def respond(request: str, given: dict[str, Any]) -> object:
    if request == "POST /echo":
        return {"data": given["data"]}
    raise LookupError(f"There is no {request}.")


class Exchange(BaseHTTPRequestHandler):
    """HTTP around `respond`: a query or JSON goes in, JSON or a text comes out, and stderr shows what was asked."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # head and body leave together

    def do_GET(self) -> None:
        url, size = urlsplit(self.path), int(self.headers.get("Content-Length", 0))
        sent = self.rfile.read(size).decode()
        print(f"{self.command} {self.path} {sent}".rstrip(), file=sys.stderr, flush=True)
        try:
            given = {**dict(parse_qsl(url.query)), **json.loads(sent or "{}")}
            self.reply(200, respond(f"{self.command} {unquote(url.path)}", given))
        except KeyError as missing:
            self.reply(400, {"error": f"{missing} is missing."})
        except LookupError as problem:
            self.reply(404, {"error": problem.args[0]})
        except ValueError as problem:
            self.reply(400, {"error": str(problem)})

    do_POST = do_GET  # noqa: N815 (a name that the standard library looks for)

    def reply(self, status: int, content: object) -> None:
        kind, text = ("text/plain", content) if isinstance(content, str) else ("application/json", json.dumps(content))
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing more."""


def main() -> None:
    """Serves on loopback until SIGTERM or Ctrl-C; port 0 takes a free one."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    with ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Exchange) as server:
        for end in (signal.SIGTERM, signal.SIGINT):
            signal.signal(end, lambda *_: sys.exit())
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
