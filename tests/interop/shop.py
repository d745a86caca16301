"""Serve the API of the test server `shop`, and define the steps of clients with what each outcome must contain.

No client is run here.
"""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.interop.clients import Step

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
WAV = b"RIFF\x24\0\0\0WAVEfmt " + bytes(20)
SERVER = """#!{python}
import sys

sys.path.insert(0, {project!r})
from shop_mcp.runtime.server import main

sys.exit(main())
"""


def _base64(content: bytes) -> str:
    return b64encode(content).decode()


def _picture(content: bytes) -> dict[str, str]:
    return {"type": "image", "data": _base64(content), "mimeType": "image/png"}


REPORT = {
    "id": "7",
    "title": "Sales",
    "charts": [{"png": _base64(PNG)}, {"png": f"data:image/png;base64,{_base64(PNG)}"}],
    "speech": _base64(WAV),
    "body": "# Hi",
    "pdf": _base64(b"%PDF-1.4"),
}
FOUND: dict[str, Any] = {
    "/reports": REPORT,
    "/ids": {"ids": [{"id": 7}, {"id": 71}]},
    "/cities": {"cities": [{"name": "Oslo"}, {"name": "Odda"}]},
    "/plain": {"plain": True},
    "/live": {"live": 7},
}


class Api(BaseHTTPRequestHandler):
    """An API that answers a POST with its body."""

    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(self.path)
        if self.path.startswith("/sounds/"):
            self._answer(WAV, "audio/wav")
        else:
            found = next(value for path, value in FOUND.items() if self.path.startswith(path))
            self._answer(json.dumps(found).encode(), "application/json")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])), "application/json")

    def _answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def serve() -> Iterator[tuple[str, list[str]]]:
    """Yield the URL of a new API, and the paths of the GET requests that it received."""
    seen: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("One", (Api,), {"seen": seen}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()


ANSWERS = {
    "street": "Main 1",
    "mail": "a@b.example",
    "text": "Hi",
    "sure": True,
    "colours": ["b"],
    "to": "bob",
    "sum": 3,
    "days": 3,
    "pets": True,
    "with": ["kids", "dog"],
}
CITY = {"ref": {"type": "ref/prompt", "name": "plan"}, "argument": {"name": "city", "value": "O"}}
LIVE = {"ref": {"type": "ref/resource", "uri": "shop://live/{id}"}, "argument": {"name": "id", "value": "7"}}


def _call(tool: str, answer: str = "accept", content: Any = None, /, **arguments: object) -> Step:
    given = ANSWERS if content is None else content
    return {"do": "call", "tool": tool, "arguments": arguments, "answer": answer, "content": given}


def _ask(method: str, **params: object) -> Step:
    return {"do": "ask", "method": method, "params": params}


ORDERED = {"item": "cup", "street": "Main 1", "country": "DE", "mail": "a@b.example"}
MORE = {"gift": True, "amount": 200, "text": "Hi", "sure": True, "colours": ["b"], "pieces": 2}
EXPECTED: list[tuple[Step, Any]] = [
    (_call("order", item="cup"), ORDERED),
    (_call("order", item="cup", gift=True, amount=200), ORDERED | MORE),
    (_call("order", "decline", item="cup"), "order was not called. The user declined to answer."),
    (_call("order", "cancel", item="cup"), "order was not called. The user closed the question"),
    (_call("order", "accept", {**ANSWERS, "mail": "no"}, item="cup"), "the answers did not fit"),
    (_call("order", "accept", {**ANSWERS, "day": "soon"}, item="cup"), "the answers did not fit"),
    (_call("order", item="cup", street="Main 2"), "street: is asked of the user: leave it out"),
    (_call("order_anyhow", item="cup"), {"item": "cup", "street": "Main 1"}),
    (_call("invoice"), {"to": "bob", "sum": 3}),
    (_call("invoice", to="ann", sum=5, memo="m"), {"to": "ann", "sum": 5, "memo": "m"}),
    (_call("need_forms"), {"plain": True}),
    (_call("need_sampling"), "It needs the capability sampling, which this client does not declare."),
    (_ask("prompts/get", name="plan", arguments={"city": "Oslo"}), "Plan 3 days in Oslo (pets: yes, with kids, dog)."),
    (_ask("completion/complete", **CITY), ["Oslo", "Odda"]),
    (_ask("completion/complete", **LIVE), ["7", "71"]),
]
REPORTED = [
    {
        "type": "text",
        "text": "Sales of 7",
        "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"},
    },
    {**_picture(PNG), "annotations": {"audience": ["user"]}},
    {**_picture(PNG), "annotations": {"audience": ["user"]}},
    {"type": "audio", "data": _base64(WAV), "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "report://7", "mimeType": "text/markdown", "text": "# Hi"}},
    {"type": "resource", "resource": {"uri": "blob://7", "mimeType": "application/pdf", "blob": REPORT["pdf"]}},
    {"type": "resource_link", "uri": "https://reports.example.com/7", "name": "The report online"},
]


def shown(picture: bytes) -> list[Any]:
    """Return the contents of the messages of the prompt `show`. `picture`: the bytes of the image in one of the
    messages.
    """
    guide = {"uri": "shop://guide", "mimeType": "text/plain", "text": "Read {this}."}
    chosen = {"uri": "shop://topics/a", "mimeType": "text/plain", "text": "About a."}
    live = {"uri": "shop://live/7", "mimeType": "application/json", "text": '{"live": 7}'}
    return [
        {"type": "resource", "resource": guide},
        _picture(picture),
        {"type": "audio", "data": _base64(WAV), "mimeType": "audio/wav"},
        {"type": "resource", "resource": chosen},
        {"type": "resource", "resource": live},
    ]


SHOW = _ask("prompts/get", name="show", arguments={"topic": "a", "id": "7"})
STEPS = [*(step for step, _ in EXPECTED), _call("get_report", id="7"), SHOW]
UNASKED: list[tuple[Step, str]] = [
    (_call("order", item="cup"), "does not declare the capability elicitation"),
    (_call("order_anyhow", item="cup"), "street: is required"),
    (_call("order_anyhow", item="cup", street="Main 1"), '"street":"Main 1"'),
    (_call("invoice"), "to: is required"),
    (_call("need_forms"), "It needs the capability elicitation"),
    (_ask("prompts/get", name="plan", arguments={"city": "Oslo"}), "does not declare the capability elicitation"),
]
