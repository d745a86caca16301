"""Test workflows over HTTP: one that waits for its user is killed with its server, and goes on in another replica."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.functional.test_programs_over_http import TOKENS, Port, replica, write_tokens
from tests.streamable.messages import encoded, mirrored, stateless
from tests.streamable.servers import Server
from tests.workflows.shop import ACCEPT, DECLINE, REFUND, Shop, generated

pytestmark = pytest.mark.slow  # each test starts two replicas

SHOP = Shop()
REFUND_EACH = REFUND % "consent: each"
STEPS = ("create_refund", "send_mail")


class Api(BaseHTTPRequestHandler):
    """The shop, for servers in processes of their own."""

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode()
        status, told = SHOP.answer(self.command, self.path, body)
        content = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def upstream() -> Iterator[Port]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Port(server.server_port)
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, upstream: Port) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write_tokens(folder)
    return generated(folder, REFUND_EACH, f"http://127.0.0.1:{upstream.port}", name="caller")


@pytest.fixture(autouse=True)
def _empty() -> None:
    SHOP.__init__()  # type: ignore[misc]


def call(server: Server, who: str = "ann", **more: Any) -> Any:
    arguments = {"customer": "ann"}
    message = stateless("tools/call", name="refund_last_invoice", arguments=arguments, **more)
    fields = mirrored(message, Authorization=f"Bearer {TOKENS[who]}")
    answer = server.ask("POST", fields=fields, body=encoded(message))
    return answer.message.get("result", answer.message)


def reply(server: Server, asked: Any, answer: Any = ACCEPT, who: str = "ann") -> Any:
    return call(server, who, requestState=asked["requestState"], inputResponses={"confirm": answer})


@pytest.mark.parametrize("killed_at", [0, 1])
def test_a_workflow_goes_on_in_another_replica(project: Path, upstream: Port, killed_at: int) -> None:
    with replica(project, upstream) as first:
        asked = call(first)
        for _ in range(killed_at):
            asked = reply(first, asked)
        assert f"Go on with this call of {STEPS[killed_at]}?" in json.dumps(asked)
        os.kill(first.process.pid, 9)
    with replica(project, upstream) as second:
        for _ in range(killed_at, len(STEPS)):
            asked = reply(second, asked)
    assert asked["structuredContent"]["refund"] == 1
    assert [each.partition(" ")[0] for each in SHOP.seen] == ["GET", "GET", "POST", "POST", "GET"]


def test_a_no_in_another_replica_undoes_what_was_done(project: Path, upstream: Port) -> None:
    with replica(project, upstream) as first, replica(project, upstream) as second:
        asked = reply(first, call(first))
        undo = reply(second, asked, DECLINE)
        assert "Go on with this call of delete_refund?" in json.dumps(undo), "an undo is a write like others"
        told = reply(first, undo)
    assert told["isError"]
    assert "Done, and undone again:" in told["content"][0]["text"]
    assert SHOP.refunds == {}
    assert SHOP.mails == {}


def test_a_state_is_good_for_its_caller_and_once(project: Path, upstream: Port) -> None:
    with replica(project, upstream) as server:
        asked = call(server)
        flipped = {"requestState": asked["requestState"][:-5] + "AAAAA"}
        refused = [reply(server, asked, who="bob"), reply(server, flipped)]
        assert [each["error"]["code"] for each in refused] == [-32602, -32602]
        assert SHOP.writes == []
        reply(server, asked)
        again = reply(server, asked)
    assert "This confirmation was used already" in again["content"][0]["text"]
    assert len(SHOP.writes) == 1
