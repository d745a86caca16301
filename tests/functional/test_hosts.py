"""Test calls in the shapes in which hosts and frameworks send them: with null or an empty text for what is not set, or
with members of their own, and with messages of typed languages.

Users of the named hosts reported these shapes. The request that arrives at the API is compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from mcpgen.cli import main
from tests.functional.test_sends import heard
from tests.runtime.process import Server
from tests.wire.upstream import Upstream, listening

DOCUMENT = """
openapi: 3.1.0
info: {title: Hosts, version: '1'}
servers: [{url: https://api.example.com}]
paths:
  /things:
    get:
      operationId: listThings
      parameters:
      - {name: q, in: query, schema: {anyOf: [{type: string}, {type: 'null'}]}}
      - {name: limit, in: query, schema: {type: integer}}
      - {name: kind, in: query, schema: {type: string, enum: [a, b]}}
      - {name: since, in: query, schema: {type: string, format: date}}
      - {name: tags, in: query, schema: {type: array, items: {type: string}}}
      - {name: X-Mode, in: header, schema: {type: string}}
    post:
      operationId: createThing
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [title]
              properties:
                title: {type: string}
                note: {type: [string, 'null']}
                size: {type: integer}
                owner: {type: object, properties: {id: {type: string}, mail: {type: [string, 'null']}}}
  /ping: {get: {operationId: pingApi}}
  /chats: {get: {operationId: listChats, parameters: [{name: sessionId, in: query, schema: {type: string}}]}}
"""
THINGS = {"q": None, "limit": None, "kind": None, "since": None, "tags": None, "x_mode": None}
N8N = {"toolCallId": "call_1", "sessionId": "s", "action": "sendMessage", "chatInput": "hi"}


class Shape(NamedTuple):
    """Arguments as a host sends them, and the request line and the JSON body that must arrive."""

    host: str
    tool: str
    arguments: dict[str, Any]
    line: str
    body: Any = None


SHAPES = [
    Shape("mcpadapt with CrewAI: all optional arguments are null", "list_things", THINGS, "GET /things"),
    Shape("Langflow: one is set", "list_things", {**THINGS, "limit": 5}, "GET /things?limit=5"),
    Shape(
        "strict mode of OpenAI: members of members too",
        "create_thing",
        {"title": "x", "note": None, "size": None, "owner": {"id": None, "mail": None}},
        "POST /things",
        {"title": "x", "note": None, "owner": {"mail": None}},
    ),
    Shape(
        "NeMo Agent Toolkit: an object that is not set",
        "create_thing",
        {"title": "x", "note": "n", "size": 2, "owner": None},
        "POST /things",
        {"title": "x", "note": "n", "size": 2},
    ),
    Shape(
        "Cursor: empty texts",
        "list_things",
        {"q": "", "limit": "", "kind": "", "since": "", "x_mode": None},
        "GET /things?q=",
    ),
    Shape("n8n: members of the workflow", "ping_api", N8N, "GET /ping"),
    Shape("n8n: an argument of the same name", "list_chats", N8N, "GET /chats?sessionId=s"),
    Shape("Cline: its list of tasks", "list_things", {"limit": "3", "task_progress": "- [ ]"}, "GET /things?limit=3"),
    Shape("a member that a setting names", "ping_api", {"trace": 7, "toolCallId": "c"}, "GET /ping"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Upstream]]:
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "hosts.yaml").write_text(DOCUMENT)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "hosts.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    with listening() as upstream:
        environ = {"HOSTS_BASE_URL": f"http://127.0.0.1:{upstream.port}", "HOSTS_IGNORE_ARGUMENTS": "trace, span"}
        with Server(folder / "out", package="hosts_mcp", env=environ) as server:
            yield server, upstream


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.host))
def test_a_shape_of_a_host(served: tuple[Server, Upstream], shape: Shape) -> None:
    server, upstream = served
    assert not server.result(shape.tool, **shape.arguments)["isError"]
    line, _, body = heard(upstream)
    assert (line, json.loads(body) if body else None) == (shape.line, shape.body)


def test_a_member_of_a_host_is_logged_once(served: tuple[Server, Upstream]) -> None:
    server, upstream = served
    for _ in range(2):
        server.result("ping_api", span=1)
        heard(upstream)
    assert server.written.count(b'"argument":"span"') == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("ping_api", {"sessionId": "s"}, "sessionId: is not an argument"),
        ("ping_api", {"tool_call_id": "c"}, "tool_call_id: is not an argument"),
        ("create_thing", {"title": None}, "title: expected a string; got null"),
        ("list_things", {"tags": ""}, "tags: expected an array"),
    ],
)
def test_what_may_be_a_mistake_is_refused(
    served: tuple[Server, Upstream], tool: str, arguments: dict[str, Any], told: str
) -> None:
    server, upstream = served
    assert told in server.result(tool, **arguments)["content"][0]["text"]
    assert upstream.received.empty()


def test_messages_of_typed_languages(served: tuple[Server, Upstream]) -> None:
    server, upstream = served
    params = {"name": "ping_api", "arguments": None, "_meta": None, "task": None}
    opened = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "typed", "version": "1"}}
    for id_, method, given in (
        (100.0, "initialize", opened),
        (101.0, "tools/list", {"cursor": None, "_meta": {"progressToken": None}}),
        (102.0, "tools/list", None),
        (103.0, "resources/list", {"cursor": ""}),
        (104.0, "tools/call", params),
    ):
        server.say(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": given}).encode() + b"\n")
        message = server.message()
        assert (message["id"], "result" in message) == (int(id_), True), message
    assert heard(upstream)[0] == "GET /ping"
    server.say(b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n')
    assert server.message()["id"] is None
