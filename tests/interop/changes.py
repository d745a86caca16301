"""Generate a server again while a client uses it. This module has the server's tools file, its upstream, and the
client's job.

Order of events: the client's first call requests `/held`. The driver requests `/control/changed`; the upstream then
generates the server again with a new tool, and answers. The client calls the new tool, which requests `/fresh`. Only
then does the upstream answer `/held`. All requests are plain HTTP.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.interop.clients import Step

#: Timeout in seconds for an event that must happen. It is long, and no test measures time with it.
PATIENCE = 120

BEFORE = """
mcpgen: 1
server: {name: change}
base_url: https://api.change.example
tools:
  - {name: get_held, description: Gets what takes long., request: GET /held}
"""
AFTER = BEFORE + "  - {name: get_fresh, description: Gets what is new., request: GET /fresh}\n"

#: Script that starts the server from the project's folder instead of an installed package.
SERVER = """#!{python}
import sys

sys.path.insert(0, {project!r})
sys.argv.append("--reload")
from change_mcp.runtime.server import main

sys.exit(main())
"""


def steps(url: str) -> list[Step]:
    """Return the client's steps: start a long call, wait for the notification of a changed list, and call
    the new tool.
    """
    fresh = [{"do": "list"}, {"do": "call", "tool": "get_fresh", "arguments": {}}]
    change = {"do": "change", "control": f"{url}/control", "then": fresh}
    return [{"do": "list"}, {"do": "together", "steps": [{"do": "call", "tool": "get_held", "arguments": {}}, change]}]


@contextmanager
def serve(generate: Callable[[], None]) -> Iterator[tuple[str, list[str]]]:
    """Yield the upstream's address, and the list of paths that were requested."""
    sent: list[str] = []
    called, done = threading.Event(), threading.Event()

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/control/changed":
                assert called.wait(PATIENCE)
                generate()
                self._answer()
                return
            sent.append(self.path)
            if self.path == "/held":
                called.set()
                assert done.wait(PATIENCE)
            else:
                done.set()
            self._answer()

        def _answer(self) -> None:
            body = f"{self.path} is here".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", sent
        finally:
            done.set()
            server.shutdown()
            thread.join()
