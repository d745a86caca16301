"""Test subscriptions to polled resources, in a generated server that runs as a process, over a raw pipe."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META, R4

TOOLS_FILE = """
mcpgen: 1
server: {name: teller, version: 1.0.0}
base_url: http://127.0.0.1:%d
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  - {name: get_text, request: GET /text}
resources:
  - {name: tagged, uri: "teller://tagged", request: GET /tagged, poll: 1s}
  - {name: plain, uri: "teller://plain/{id}", request: "GET /plain/{id}", poll: 1s}
  - {name: unwatched, uri: "teller://unwatched", request: GET /tagged}
"""
TAGGED, PLAIN = "teller://tagged", "teller://plain/7"


class Api(BaseHTTPRequestHandler):
    """API whose resources have the version `Api.version`. `/tagged` has an entity tag. `Api.seen`: pairs of path and
    status of all responses.
    """

    version = 1
    seen: ClassVar[list[tuple[str, int]]] = []
    asked = threading.Condition()
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert self.headers["X-Key"] == SECRET
        tag = f'"{Api.version}"'
        tagged = self.path == "/tagged"
        status = 304 if tagged and self.headers["If-None-Match"] == tag else 200
        body = b"" if status == 304 else f"version {Api.version}".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        if tagged:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        with Api.asked:
            Api.seen.append((self.path, status))
            Api.asked.notify_all()

    @classmethod
    def until(cls, path: str, status: int, times: int = 1) -> None:
        """Wait until requests of this path were answered with this status at least `times` times."""
        with cls.asked:
            assert cls.asked.wait_for(lambda: cls.seen.count((path, status)) >= times, 60)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("subscriptions")
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        (folder / "tools.yaml").write_text(TOOLS_FILE % api.server_port)
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
        assert ended.value.code == 0
        yield folder / "out"
        api.shutdown()


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    Api.seen, Api.version = [], 1
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    with Server(project, package="teller_mcp", env={**kept, "TELLER_KEY": SECRET}) as running:
        running.checker.offered = ("subscriptions",)
        yield running


def ask(server: Server, method: str, **params: Any) -> Any:
    """Send a request, and return the next message."""
    server.say(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).encode() + b"\n")
    return server.message()


def test_a_client_of_the_handshake_is_told_of_changes(server: Server) -> None:
    assert ask(server, "initialize", protocolVersion=R4, capabilities={})["result"]
    for uri in (TAGGED, PLAIN):
        assert ask(server, "resources/subscribe", uri=uri)["result"] == {}
    Api.until("/tagged", 304)
    Api.until("/plain/7", 200, 2)
    Api.version = 2
    told = [server.message() for _ in range(2)]
    assert {each["method"] for each in told} == {"notifications/resources/updated"}
    assert {each["params"]["uri"] for each in told} == {TAGGED, PLAIN}
    assert ask(server, "resources/unsubscribe", uri=TAGGED)["result"] == {}
    Api.version = 3
    assert server.message()["params"] == {"uri": PLAIN}


def test_a_stream_is_told_of_changes(server: Server) -> None:
    wanted = {"resourceSubscriptions": [TAGGED, "teller://unwatched", "teller://nothing"]}
    told = ask(server, "subscriptions/listen", notifications=wanted, _meta=ENVELOPE)
    assert told["params"]["notifications"] == {"resourceSubscriptions": [TAGGED]}
    Api.until("/tagged", 304)
    Api.version = 2
    assert server.message()["params"] == {
        "_meta": {META + "subscriptionId": "subscriptions/listen"},
        "uri": TAGGED,
    }


def test_nothing_is_polled_before_anybody_subscribes(server: Server) -> None:
    ask(server, "initialize", protocolVersion=R4, capabilities={})
    assert ask(server, "tools/list")["result"]
    assert ask(server, "resources/subscribe", uri="teller://unwatched")["error"]["code"] == -32602
    assert ask(server, "resources/subscribe", uri=PLAIN)["result"] == {}
    Api.until("/plain/7", 200, 2)
    assert {path for path, _ in Api.seen} == {"/plain/7"}
