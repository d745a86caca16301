"""Test a generated server with a tool search, as a process: which tools it lists, and which it finds.

A call through the search's tool must equal a direct call of the tool that it names in everything that can be observed.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mcpgen.base import tokens
from mcpgen.cli import main
from mcpgen.model import MOST_SEARCH_TOKENS
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META

DOCUMENT = """
openapi: 3.1.0
info: {title: Store, version: '1'}
servers: [{url: %s}]
security: [{key: []}]
paths:
  /orders:
    get:
      {operationId: list_orders, tags: [orders], summary: List the orders of the store,
       parameters: [{name: status, in: query, schema: {enum: [open, paid]}}],
       responses: {'200': {description: d, content: {application/json: {schema: {type: array, items: {type: object,
         properties: {id: {type: integer}, invoice: {type: string}}}}}}}}}
    post:
      operationId: create_order
      tags: [orders]
      summary: Create an order for a customer
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [product],
        properties: {product: {type: string, description: What is ordered.}, count: {type: integer, default: 1}}}}}}
  /orders/{order_id}:
    parameters: [{name: order_id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: get_order, tags: [orders], summary: Get one order}
    delete: {operationId: delete_order, tags: [orders], summary: Delete an order, x-mcp: {confirm: always}}
  /customers/search:
    get: {operationId: search_customers, tags: [customers], summary: Search customers by name,
      parameters: [{name: q, in: query, required: true, schema: {type: string}}]}
  /customers/{customer_id}:
    parameters: [{name: customer_id, in: path, required: true, schema: {type: string}}]
    get: {operationId: get_customer, tags: [customers], summary: Get the address of a customer}
    patch: {operationId: rename_customer, tags: [customers], summary: Change the name of a customer,
      x-mcp: {roles: [clerk]}}
"""
ROLES = "x-mcp: {roles: [clerk]}"
SETTINGS = "mcpgen: 1\nserver: {tools: search, pin: [get_order]}\nopenapi: [{document: openapi.yaml}]\n"
HOOKS = """
def before_get_customer(arguments):
    return {**arguments, "customer_id": "hooked-" + arguments["customer_id"]}
"""
FINDERS = ["search_tools", "describe_tools", "call_tool", "call_writing_tool"]
SECRET = "s3cret-of-the-search"


class Api(BaseHTTPRequestHandler):
    """API that answers each request with its method, path and body, and records it."""

    seen: ClassVar[list[str]] = []

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        asked = f"{self.command} {self.path} {self.rfile.read(size).decode()}".strip()
        self.seen.append(asked)
        body = json.dumps({"asked": asked}).encode()
        self.send_response(404 if "/404" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of a generated server `mirror` with a tool search, for a running API."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tmp_path_factory.mktemp("store")
    (folder / "openapi.yaml").write_text(DOCUMENT % f"http://127.0.0.1:{server.server_port}")
    (folder / "store.yaml").write_text(SETTINGS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "store.yaml"), "-o", str(folder / "out"), "--name", "mirror"])
    assert ended.value.code == 0
    (folder / "out" / "mirror_mcp" / "hooks.py").write_text(HOOKS)
    yield folder / "out"
    server.shutdown()
    server.server_close()


def started(store: Path, **more: str) -> Server:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return Server(store, env={**kept, "MIRROR_KEY": SECRET, "MIRROR_ROLES": "clerk", **more})


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[Server]:
    """Yield one server for the tests that change nothing."""
    with started(store) as running:
        yield running


def ask(server: Server, method: str, params: dict[str, Any], meta: dict[str, Any] | None = None) -> Any:
    whole = {**params, "_meta": {**ENVELOPE, **(meta or {})}}
    server.say(json.dumps({"jsonrpc": "2.0", "id": "c", "method": method, "params": whole}).encode() + b"\n")
    message = server.message()
    return message.get("result", message)


def call(server: Server, tool: str, **arguments: Any) -> Any:
    return ask(server, "tools/call", {"name": tool, "arguments": arguments})


def text(result: Any) -> str:
    return "\n".join(block["text"] for block in result["content"])


def test_what_is_listed(server: Server) -> None:
    tools = ask(server, "tools/list", {})["tools"]
    assert [tool["name"] for tool in tools] == [*FINDERS, "get_order"]
    assert tokens.estimate(tools[:4]) <= MOST_SEARCH_TOKENS
    said = tools[0]["description"]
    assert "7 tools" in said
    assert "orders 4, customers 3" in said
    hints = [(tool["annotations"]["readOnlyHint"], tool["annotations"]["destructiveHint"]) for tool in tools[:4]]
    assert hints == [(True, False), (True, False), (True, False), (False, True)]


FOUND: list[tuple[str, list[str], list[str]]] = [
    ("create an order", ["create_order(", "[writes]", " product: str  // What is ordered."], []),
    ("where does a customer live", ["get_customer(", "customer_id \u2190 search_customers(q)"], []),
    ("invoices of orders", ["list_orders("], []),
    ("list orders, then delete an order", ["list_orders(", "delete_order("], []),
    ("book a flight to Paris", ["Nothing here does that. Groups: orders 4, customers 3."], ["list_orders", "nearest"]),
    (
        "scan invoices with the camera",
        ["Nothing here does that. Groups: orders 4, customers 3. The nearest:\nlist_orders(status?) \u2014 "],
        ["  // "],
    ),
]


@pytest.mark.parametrize(("query", "there", "absent"), FOUND)
def test_what_is_found(server: Server, query: str, there: list[str], absent: list[str]) -> None:
    result = call(server, "search_tools", queries=[query])
    assert not result["isError"]
    assert [each for each in there if each not in text(result)] == []
    assert [each for each in absent if each in text(result)] == []
    assert '"type"' not in text(result)


def test_several_queries_and_a_group(server: Server) -> None:
    both = text(call(server, "search_tools", queries=["get an order", "get an order of a customer"], limit=2))
    only = text(call(server, "search_tools", queries=["get one"], group="Customers"))
    none = call(server, "search_tools", queries=["get"], group="nobody")
    assert both.startswith("# get an order\n")
    assert both.count("get_order(") == 1  # each tool is listed once, even if two queries find it
    assert "order(" not in only
    assert none["isError"]
    assert "There is no group 'nobody'." in text(none)


#: Rows: name of a tool, its arguments, and the search tool through which it is called.
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("list_orders", {"status": "open"}, "call_tool"),
    ("list_orders", {}, "call_tool"),
    ("list_orders", {"status": "lost"}, "call_tool"),
    ("list_orders", {"stats": "open"}, "call_tool"),
    ("get_order", {"order_id": 404}, "call_tool"),
    ("get_order", {}, "call_tool"),
    ("get_customer", {"customer_id": "7"}, "call_tool"),
    ("create_order", {"product": "x", "count": 2}, "call_writing_tool"),
    ("create_order", {"count": 2}, "call_writing_tool"),
    ("rename_customer", {"customer_id": "7"}, "call_writing_tool"),
    ("get_order", {"order_id": 1}, "call_writing_tool"),
    ("delete_order", {"order_id": 1}, "call_writing_tool"),
]


@pytest.mark.parametrize("stateless", [True, False], ids=["stateless", "handshake"])
def test_a_call_through_the_search_is_the_direct_call(store: Path, tmp_path: Path, stateless: bool) -> None:
    audit = tmp_path / "audit.jsonl"
    with started(store, MIRROR_AUDIT=str(audit)) as server:
        if not stateless:
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            server.say(
                json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode() + b"\n"
            )
            assert server.message()["result"]["protocolVersion"] == "2025-11-25"
        for name, arguments, through in CALLS:
            answers, sent = [], []
            for params in (
                {"name": name, "arguments": arguments},
                {"name": through, "arguments": {"name": name, "arguments": arguments}},
                {"name": through, "arguments": {"name": name, "arguments": json.dumps(arguments)}},
            ):
                Api.seen.clear()
                meta = {"_meta": ENVELOPE} if stateless else {}
                request = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {**params, **meta}}
                server.say(json.dumps(request).encode() + b"\n")
                answers.append(server.message())
                sent.append([*Api.seen])
            assert answers[0] == answers[1] == answers[2], name
            assert sent[0] == sent[1] == sent[2], name
        server.end()
        assert server.ended() == 0
    recorded = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [line["tool"] for line in recorded] == [name for name, _, _ in CALLS for _ in range(3)]


@pytest.mark.parametrize(("action", "requests"), [("accept", ["DELETE /orders/5"]), ("decline", [])])
def test_the_user_is_asked_about_the_inner_call(server: Server, action: str, requests: list[str]) -> None:
    params = {"name": "call_writing_tool", "arguments": {"name": "delete_order", "arguments": {"order_id": 5}}}
    forms: dict[str, Any] = {META + "clientCapabilities": {"elicitation": {}}}
    Api.seen.clear()
    asked = ask(server, "tools/call", params, forms)
    question = asked["inputRequests"]["confirm"]["params"]["message"]
    assert question.startswith("Go on with this call of delete_order?\nDELETE ")
    assert Api.seen == []
    answer = {"inputResponses": {"confirm": {"action": action}}, "requestState": asked["requestState"]}
    ask(server, "tools/call", {**params, **answer}, forms)
    assert [each.partition("?")[0] for each in Api.seen] == requests


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("call_tool", {"name": "create_order", "arguments": {"product": "x"}}, "create_order writes: call_writing_tool"),
    ("call_tool", {"name": "delete_order", "arguments": {"order_id": 5}}, "delete_order writes: call_writing_tool"),
    ("call_tool", {"name": "call_writing_tool", "arguments": {"name": "delete_order"}}, "is called directly"),
    ("call_writing_tool", {"name": "call_tool", "arguments": {"name": "get_order"}}, "is called directly"),
    ("call_tool", {"name": "list_order"}, "The nearest:\nlist_orders(status?)"),
    ("call_tool", {"name": "book_flight"}, "none is called alike. search_tools finds tools by what they do."),
    ("describe_tools", {"names": ["x" * 400]}, "none is called alike. search_tools finds tools by what they do."),
    ("call_tool", {"name": "get_order", "arguments": "{"}, "call_tool was not called"),
    ("call_tool", {"name": "get_order", "arguments": {}}, "get_order(order_id:int)"),
    ("call_tool", {"name": "get_order", "arguments": {"order_id": 1}, "more": 1}, "call_tool was not called"),
    ("call_tool", {}, "name: is required"),
    (
        "call_tool",
        {"name": "get_order", "order_id": 1},
        'Such as call_tool({"name": "NAME OF A TOOL", "arguments": {ITS',
    ),
    ("call_tool", {"order_id": 1}, 'Such as call_tool({"name": "NAME OF A TOOL", "arguments": {ITS ARGUMENTS}}).'),
    ("search_tools", {"queries": "orders"}, 'Such as search_tools({"queries": ["list open issues of a repository"]}).'),
    ("describe_tools", {"name": "get_order"}, 'Such as describe_tools({"names": ["NAME OF A TOOL"]}).'),
    ("describe_tools", {"names": ["orders_get"]}, "The nearest:\nget_order(order_id:int)"),
    ("search_tools", {"queries": []}, "queries: expected at least 1 item"),
    ("search_tools", {"queries": ["x"] * 9}, "queries: expected at most 8 items"),
    ("search_tools", {"queries": ["x" * 401]}, "queries"),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), REFUSED)
def test_what_is_refused(server: Server, tool: str, arguments: dict[str, Any], said: str) -> None:
    Api.seen.clear()
    result = call(server, tool, **arguments)
    assert result["isError"]
    assert said in text(result)
    assert Api.seen == []


HIDDEN: list[tuple[dict[str, str], str, str]] = [
    ({"MIRROR_ROLES": "nobody"}, "rename_customer", "orders 4, customers 2"),
    ({"MIRROR_READ_ONLY": "true"}, "create_order", "customers 2, orders 2"),
]


@pytest.mark.parametrize(("environ", "hidden", "groups"), HIDDEN)
def test_what_a_caller_may_not_see_is_not_found(store: Path, environ: dict[str, str], hidden: str, groups: str) -> None:
    with started(store, **environ) as server:
        tools = ask(server, "tools/list", {})["tools"]
        found = text(call(server, "search_tools", queries=["create an order", "change the name"], limit=20))
        told = call(server, "describe_tools", names=[hidden])
        Api.seen.clear()
        names = {tool["name"] for tool in tools}
        through = [call(server, each, name=hidden) for each in FINDERS[2:] if each in names]
    assert groups in tools[0]["description"]
    assert hidden not in found
    assert told["isError"]
    assert all(each["isError"] for each in through)
    assert Api.seen == []
    assert ("call_writing_tool" in names) is ("MIRROR_READ_ONLY" not in environ)


@pytest.mark.parametrize(("part", "instead"), [(b'"names"', b'"Names"'), (b"Find tools", b"Lost tools")])
def test_an_index_of_another_table_is_told(store: Path, tmp_path: Path, part: bytes, instead: bytes) -> None:
    """Damage the index of a server without roles: only such a server sends the list in the index as it is."""
    document = (store.parent / "openapi.yaml").read_text()
    assert ROLES in document
    (tmp_path / "openapi.yaml").write_text(document.replace(ROLES, ""))
    shutil.copy(store.parent / "store.yaml", tmp_path)
    torn = tmp_path / "torn"
    with pytest.raises(SystemExit):
        main(["generate", str(tmp_path / "store.yaml"), "-o", str(torn), "--name", "mirror"])
    with started(torn) as whole:
        listed = ask(whole, "tools/list", {})
    index = torn / "mirror_mcp" / "search.json"
    content = index.read_bytes()
    assert part in content
    index.write_bytes(content.replace(part, instead))
    with started(torn) as running:
        assert ask(running, "tools/list", {}) == listed
    with started(torn, MIRROR_READ_ONLY="true") as running:
        result = call(running, "search_tools", queries=["order"])
        direct = call(running, "get_order", order_id=1)
    assert text(result) == "Generate the server again: search.json and bindings.json do not belong together."
    assert not direct["isError"]


def test_the_user_is_asked_in_the_handshake_era_too(store: Path) -> None:
    """Call `delete_order` by `call_writing_tool`, in a revision with a handshake.

    During the call, the server must ask the user to confirm `delete_order`, and send the request only after a yes.
    """
    hello = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}
    delete = {"name": "call_writing_tool", "arguments": {"name": "delete_order", "arguments": {"order_id": 6}}}
    with started(store) as running:
        say(running, 0, "initialize", {**hello, "clientInfo": {"name": "t", "version": "1"}})
        running.message()
        for action, requests in (("decline", 0), ("accept", 1)):
            Api.seen.clear()
            say(running, action, "tools/call", delete)
            asked = running.message()
            assert asked["method"] == "elicitation/create"
            assert asked["params"]["message"].startswith("Go on with this call of delete_order?\nDELETE ")
            assert Api.seen == []
            answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": action, "content": {}}}
            running.say(json.dumps(answer).encode() + b"\n")
            result = running.message()
            assert result["id"] == action
            assert result["result"].get("isError", False) is (action == "decline")
            assert [each.partition(" {")[0] for each in Api.seen] == ["DELETE /orders/6"] * requests


def say(server: Server, id_: object, method: str, params: dict[str, Any]) -> None:
    server.say(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n")
