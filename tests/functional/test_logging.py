"""Test log messages of calls, in a generated server that runs as a process, over a raw pipe."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META, R4

TOOLS_FILE = """
mcpgen: 1
server: {name: teller, version: 1.0.0, logging: true}
base_url: http://127.0.0.1:%d
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  - {name: get_text, request: GET /text}
  - {name: get_shaky, request: GET /shaky}
  - {name: get_large, request: GET /large}
  - {name: get_echo, request: "GET /echo", parameters: [{name: text, in: query, schema: {type: string}}]}
"""
TWICE = [
    ("warning", "Sends the request again in"),
    ("warning", "because the API answered HTTP 503 Service Unavailable."),
]


class Api(BaseHTTPRequestHandler):
    """API that refuses the first two tries of /shaky. The response of `/large` is too large to be shown whole."""

    tries = 0
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/shaky":
            Api.tries += 1
        refused = path == "/shaky" and Api.tries % 3
        body = b"x" * 1_000_000 if path == "/large" else self.headers["X-Key"].encode()
        self.send_response(503 if refused else 200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("logging")
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        (folder / "tools.yaml").write_text(TOOLS_FILE % api.server_port)
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
        assert ended.value.code == 0
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
        with Server(folder / "out", package="teller_mcp", env={**kept, "TELLER_KEY": SECRET}) as running:
            running.checker.offered = ("logging",)
            yield running
        api.shutdown()


def told(server: Server, method: str, **params: Any) -> list[tuple[str, str]]:
    """Send a request, and return the level and text of each message before its response."""
    server.say(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).encode() + b"\n")
    heard = []
    while "id" not in (found := server.message()):
        assert found["params"]["logger"] == "teller"
        heard.append((found["params"]["level"], found["params"]["data"]))
    assert "result" in found, found
    return heard


@pytest.fixture
def older(server: Server) -> Server:
    assert told(server, "initialize", protocolVersion=R4, capabilities={}) == []
    return server


def test_nothing_is_told_before_a_level_is_set(older: Server) -> None:
    assert told(older, "tools/call", name="get_shaky") == []


def test_retries_are_told(older: Server) -> None:
    assert told(older, "logging/setLevel", level="info") == []
    heard = told(older, "tools/call", name="get_shaky")
    assert [level for level, _ in heard] == ["warning", "warning"]
    for _, text in heard:
        seconds = text.removeprefix("Sends the request again in ").partition(" s, because ")[0]
        assert 0 <= float(seconds) <= 1
        assert text.endswith(" s, because the API answered HTTP 503 Service Unavailable.")


def test_each_request_is_told_at_debug_and_its_credential_is_not(older: Server) -> None:
    told(older, "logging/setLevel", level="debug")
    size = len(SECRET)
    answered = f"The API answered HTTP 200 OK with {size} bytes."
    assert told(older, "tools/call", name="get_text") == [("debug", "Sends GET /text."), ("debug", answered)]
    echoed = told(older, "tools/call", name="get_echo", arguments={"text": SECRET})
    assert echoed == [("debug", "Sends GET /echo."), ("debug", answered)]


def test_what_is_cut_and_what_is_refused_is_told(older: Server) -> None:
    told(older, "logging/setLevel", level="notice")
    [(level, text)] = told(older, "tools/call", name="get_large")
    assert level == "notice"
    assert text.startswith("Shows ")
    assert text.endswith(" bytes of an answer that has 1,000,000.")
    [(level, text)] = told(older, "tools/call", name="get_echo", arguments={"words": SECRET})
    assert level == "warning"
    assert text.startswith("Refused, and sent nothing: ")
    assert "words" in text
    assert SECRET not in text


def test_a_stateless_request_is_told_what_it_asks_for(server: Server) -> None:
    loud = {**ENVELOPE, META + "logLevel": "warning"}
    assert [level for level, _ in told(server, "tools/call", name="get_shaky", _meta=loud)] == ["warning", "warning"]
    assert told(server, "tools/call", name="get_shaky", _meta=ENVELOPE) == []
    assert told(server, "tools/call", name="get_text", _meta=loud) == []
