"""Test confirmation questions to users over HTTP: any replica accepts the answer.

A `requestState` is valid only for its call and caller, and only once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.functional.orders_api import Api
from tests.streamable.messages import encoded, mirrored, stateless
from tests.streamable.servers import Server
from tests.streamable.upstream import Upstream

STATE_KEY = base64.b64encode(b"k" * 32).decode()
TOKENS = {"ann": "a-token-of-ann-0123456789-0123456789", "bob": "b-token-of-bob-0123456789-0123456789"}
TOOLS = """
mcpgen: 1
server: {name: caller, tools: search, programs: all}
base_url: http://127.0.0.1:%d
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  - name: send_order
    description: Sends an order.
    request: POST /orders/{orderId}
    arguments: {orderId: integer required}
    ask:
      - {name: street, message: Which street?, form: {street: string required}}
      - {name: gift, message: 'Is {street} a gift?', form: {gift: {type: boolean, required: true}}}
      - {name: card, message: What to write?, when: {gift: true}, form: {text: string required}}
"""
ANSWERS = {"street": {"street": "Main 1"}, "gift": {"gift": True}, "card": {"text": "private words"}}
PROGRAM = {"code": "send_order(7)['asked']"}


class Port(Upstream):
    """Stand-in for an upstream: only the port of the running API, which is all that the start of a server needs."""

    def __init__(self, port: int) -> None:
        self.port = port


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    """Yield the API that all servers of this module call."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Port(server.server_port)
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory, upstream: Upstream) -> Iterator[tuple[Server, Server, Path]]:
    """Yield two replicas of the server, and the path of the first one's audit log."""
    folder = tmp_path_factory.mktemp("questions")
    tokens, audit = folder / "tokens", folder / "audit.jsonl"
    digests = {name: hashlib.sha256(token.encode()).hexdigest() for name, token in TOKENS.items()}
    tokens.write_text("".join(f"{name} {digest}\n" for name, digest in digests.items()))
    tokens.chmod(0o600)
    (folder / "tools.yaml").write_text(TOOLS % upstream.port)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    variables = {"STATE_KEY": STATE_KEY, "HTTP_TOKENS": str(tokens), "KEY": "k-0123456789"}
    first = Server(folder / "out", upstream, "aiohttp", None, (), AUDIT=str(audit), **variables)
    with first, Server(folder / "out", upstream, "aiohttp", None, (), **variables) as second:
        yield first, second, audit


def call(server: Server, tool: str, arguments: dict[str, Any], who: str = "ann", **more: Any) -> Any:
    message = stateless("tools/call", name=tool, arguments=arguments, **more)
    fields = mirrored(message, Authorization=f"Bearer {TOKENS[who]}")
    answer = server.ask("POST", fields=fields, body=encoded(message))
    return answer.message.get("result", answer.message)


def answered(server: Server, asked: Any, tool: str, arguments: dict[str, Any], who: str = "ann") -> Any:
    """Repeat the call with the answers to the questions in its earlier result `asked`."""
    responses = {name: {"action": "accept", "content": ANSWERS[name]} for name in asked["inputRequests"]}
    return call(server, tool, arguments, who, requestState=asked["requestState"], inputResponses=responses)


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "arguments"), [("send_order", {"orderId": 7}), ("run_program", PROGRAM)])
def test_three_questions_are_answered_at_replicas_in_turn(
    replicas: tuple[Server, Server, Path], tool: str, arguments: dict[str, Any]
) -> None:
    first, second, audit = replicas
    Api.seen.clear()
    came, names = call(first, tool, arguments), []
    for server in (second, first, second):
        names += [*came["inputRequests"]]
        assert Api.seen == []
        came = answered(server, came, tool, arguments)
    assert names == ["street", "gift", "card"]
    assert not came["isError"], came
    [sent] = Api.seen
    assert json.loads("{" + sent.partition(" {")[2]) == {"street": "Main 1", "gift": True, "text": "private words"}
    assert "private words" not in audit.read_text()


@pytest.mark.slow
def test_a_state_is_for_its_call_and_its_caller_and_counts_once(replicas: tuple[Server, Server, Path]) -> None:
    first, second, audit = replicas
    Api.seen.clear()
    arguments = {"orderId": 8}
    asked = answered(first, call(first, "send_order", arguments), "send_order", arguments)
    state = asked["requestState"]
    changed = {**asked, "requestState": state[:40] + ("A" if state[40] != "A" else "B") + state[41:]}
    for foreign, server, who, given in (
        (asked, second, "bob", arguments),
        (changed, second, "ann", arguments),
        (asked, second, "ann", {"orderId": 9}),
    ):
        came = answered(server, foreign, "send_order", given, who)
        assert came.get("isError") or came["error"]["code"] == -32602, came
    last = answered(first, asked, "send_order", arguments)
    assert "used already" in str(answered(first, asked, "send_order", arguments))
    assert Api.seen == []
    assert not answered(first, last, "send_order", arguments)["isError"]
    assert "used already" in str(answered(first, last, "send_order", arguments))
    assert len(Api.seen) == 1
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert "gift accept" in [line.get("questions") for line in lines]
