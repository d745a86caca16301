"""Test views of a server (MCP Apps): what a client with the extension gets, that any other client gets the same bytes
as ever, and that a call from a view passes the checks of every call.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base import tokens
from tests.command import mcpgen
from tests.runtime.process import Server, line
from tests.runtime.revisions import ENVELOPE, META, R4
from tests.streamable import servers
from tests.streamable.messages import OLD, encoded, mirrored, request, stateless
from tests.streamable.upstream import Upstream

UI = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
"""Capabilities of a client that shows views."""

WITHOUT: dict[str, dict[str, Any]] = {
    "none": {},
    "another extension": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    "another type": {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/uri-list"]}}},
    "no types": {"extensions": {"io.modelcontextprotocol/ui": {}}},
    "types that are a text": {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": "text/html;profile=mcp-app"}}},
    "no object": {"extensions": []},
}
"""Capabilities of clients that do not show views."""

FILE = """
mcpgen: 1
server: {name: caller, title: Shop, confirm: {PATCH: always}}
base_url: http://127.0.0.1:1
tools:
  - &list
    name: list_items
    title: List the items
    description: List all items.
    request: GET /items
    arguments: {page: {type: integer, required: false}}
    responses:
      '200':
        content:
          application/json:
            schema:
              type: object
              properties:
                data: {type: array, items: &item {type: object, properties: {
                  id: {type: integer}, name: {type: string}, state: {type: string, enum: [new, sold]},
                  price: {type: number}, made: {type: string, format: date}}}}
  - {name: get_item, description: Get one item., request: 'GET /items/{id}', arguments: {id: integer},
     responses: {'200': {content: {application/json: {schema: *item}}}}}
  - {name: change_item, description: Change one item., request: 'PATCH /items/{id}',
     arguments: {id: integer, name: string}, responses: {'200': {content: {application/json: {schema: *item}}}}}
  - {name: delete_item, description: Delete one item., request: 'DELETE /items/{id}', arguments: {id: integer},
     roles: [admin]}
"""
ITEM = {"id": 1, "name": "Lamp", "state": "new", "price": 12.5, "made": "2026-03-01"}
KEY = "items-key-0123456789-0123456789-0123456789"


class Shop(BaseHTTPRequestHandler):
    """API of items. `asked`: requests so far."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_list = self.path.partition("?")[0].endswith("/items")
        body = json.dumps({"data": [ITEM]} if is_list else ITEM).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PATCH(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


class Shops(Upstream):
    """The API, in the form that `tests.streamable.servers` takes."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        handler = type("Handler", (Shop,), {"asked": self.asked})
        self.api = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self.api.server_port
        threading.Thread(target=self.api.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.api.shutdown()
        self.api.server_close()


@pytest.fixture(scope="module")
def shop() -> Iterator[Shops]:
    found = Shops()
    yield found
    found.close()


def made(folder: Path, *flags: str, pictures: Sequence[str] = ()) -> Path:
    """Generate the server, and return its project. `pictures`: origins whose pictures views may show."""
    (folder / "shop.tools.yaml").write_text(f"{FILE}pictures: {json.dumps(pictures)}\n", encoding="utf-8")
    done = mcpgen("generate", str(folder / "shop.tools.yaml"), "-o", str(folder / "out"), "--http", *flags)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with views."""
    return made(tmp_path_factory.mktemp("shown"), "--views", "--parts=audit")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the same project without views."""
    return made(tmp_path_factory.mktemp("plain"), "--parts=audit")


class Client(Server):
    """A client of a server over stdio. `hello`: its capabilities."""

    def __init__(self, project: Path, shop: Shops, hello: dict[str, Any], **variables: str) -> None:
        environ = {"CALLER_BASE_URL": f"http://127.0.0.1:{shop.port}"}
        environ |= {f"CALLER_{name}": value for name, value in variables.items()}
        super().__init__(project, package="caller_mcp", env=environ)
        client = {"name": "tests", "version": "1"}
        self.say(line("initialize", protocolVersion=R4, capabilities=hello, clientInfo=client))
        self.greeting = self.message()
        self.last = 0

    def __enter__(self) -> Client:
        return self

    def told(self, method: str, **params: Any) -> Any:
        """Send a request of the session, and return the next message."""
        self.last += 1
        self.say(json.dumps(request(method, self.last, **params)).encode() + b"\n")
        return self.message()


def heard(project: Path, shop: Shops, hello: dict[str, Any]) -> list[Any]:
    """Return what a server says in a session."""
    with Client(project, shop, hello) as client:
        found = [client.greeting, client.told("tools/list"), client.told("resources/list")]
        found += [client.told("tools/call", name="list_items", arguments={})]
        found += [client.told("tools/call", name="get_item", arguments={"id": 1})]
        meta = {**ENVELOPE, META + "clientCapabilities": hello}
        for method, params in (("tools/list", {}), ("tools/call", {"name": "get_item", "arguments": {"id": 1}})):
            client.say(json.dumps(request(method, f"{method} stateless", **params, _meta=meta)).encode() + b"\n")
            found.append(client.message())
        return found


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT)
def test_other_clients_get_the_bytes_of_a_server_without_views(
    name: str, shown: Path, plain: Path, shop: Shops
) -> None:
    assert heard(shown, shop, WITHOUT[name]) == heard(plain, shop, WITHOUT[name])


def test_a_project_without_views_has_no_file_of_them(shown: Path, plain: Path) -> None:
    files = [{path.relative_to(each).as_posix() for path in each.rglob("*")} for each in (shown, plain)]
    added = {path for path in files[0] - files[1] if "__pycache__" not in path}
    folder = "caller_mcp/runtime/views"
    assert added == {folder, *(f"{folder}/{name}" for name in ("__init__.py", "views.py", "application.html"))}
    assert "view" not in (plain / "caller_mcp" / "bindings.json").read_text(encoding="utf-8")
    assert (shown / "caller_mcp" / "tools.json").read_bytes() == (plain / "caller_mcp" / "tools.json").read_bytes()


@pytest.mark.slow
def test_a_client_with_the_extension_gets_views(shown: Path, plain: Path, shop: Shops) -> None:
    ours, others = heard(shown, shop, UI), heard(plain, shop, UI)
    for number in (1, 5):
        listed, before = ours[number]["result"]["tools"], others[number]["result"]["tools"]
        assert [each.pop("_meta") for each in json.loads(json.dumps(listed))] == [
            {"ui": {"resourceUri": "ui://views"}}
        ] * len(listed)
        assert [{key: each[key] for key in each if key != "_meta"} for each in listed] == before
        added = tokens.estimate(listed) - tokens.estimate(before)
        assert added <= 12 * 1.1 * len(listed), "12 tokens of o200k a tool; estimates differ from it by a tenth"
    assert ours[5]["result"]["cacheScope"] == "private"
    assert ours[0] == others[0]
    assert ours[2] == others[2], "the list of resources does not name the page"
    for number in (3, 4, 6):
        first = ours[number]["result"]["content"][0]
        told = first.pop("_meta")["mcpgen/view"]
        assert ours[number] == others[number]
        assert told["tool"] == ("list_items" if number == 3 else "get_item")
    assert told == {
        "tool": "get_item",
        "title": "Get item",
        "kind": "card",
        "columns": [
            {"name": "name"},
            {"name": "state", "shows": "badge"},
            {"name": "made"},
            {"name": "price", "shows": "money"},
            {"name": "id"},
        ],
    }


@pytest.mark.slow
def test_the_page_and_what_it_must_know_can_be_read(shown: Path, shop: Shops) -> None:
    with Client(shown, shop, UI, ROLES="admin") as client:
        [page] = client.told("resources/read", uri="ui://views")["result"]["contents"]
        assert page["mimeType"] == "text/html;profile=mcp-app"
        assert page["text"].encode() == (shown / "caller_mcp/runtime/views/application.html").read_bytes()
        assert len(page["text"].encode()) <= 60_000
        [about] = client.told("resources/read", uri="ui://views/change_item")["result"]["contents"]
        told = json.loads(about["text"])
        assert (told["before"], told["given"]) == ("get_item", {"id": "id"})
        assert told["method"] == "PATCH"
        assert {*told["inputSchema"]["properties"]} == {"id", "name"}
        for uri in ("ui://views/nothing", "ui://views/", "ui://viewsx", "ui://views/change_item/a"):
            assert "error" in client.told("resources/read", uri=uri), uri


@pytest.mark.slow
def test_pictures_come_only_from_the_origins_of_the_owner(shown: Path, shop: Shops, tmp_path: Path) -> None:
    origins = ["https://images.example.com", "https://cdn.example.com:8443"]
    pictured = made(tmp_path, "--views", pictures=origins)
    contents = []
    for project in (shown, pictured):
        with Client(project, shop, UI) as client:
            contents += client.told("resources/read", uri="ui://views")["result"]["contents"]
    plain, page = contents
    assert plain["_meta"] == {"ui": {"prefersBorder": True}}
    assert page["_meta"] == {"ui": {"prefersBorder": True, "csp": {"resourceDomains": origins}}}
    assert "img-src data:;" in plain["text"]
    assert page["text"] == plain["text"].replace("img-src data:;", f"img-src data: {' '.join(origins)};")
    files = [{path.name: path.read_bytes() for path in each.glob("*/runtime/views/*.*")} for each in (shown, pictured)]
    assert files[0] == files[1], "the files of the wing are the same in every project"


@pytest.mark.slow
def test_a_call_from_a_view_passes_the_checks_of_every_call(shown: Path, shop: Shops, tmp_path: Path) -> None:
    """A host sends the calls of a view as it sends those of a model: so roles, confirmations and arguments are checked,
    and each call has its line in the audit log.
    """
    audit = tmp_path / "audit"
    with Client(shown, shop, {**UI, "elicitation": {}}, AUDIT=str(audit)) as client:
        listed = [each["name"] for each in client.told("tools/list")["result"]["tools"]]
        assert "delete_item" not in listed
        hidden = client.told("tools/call", name="delete_item", arguments={"id": 1})
        assert "no role" in hidden["error"]["message"]
        assert "error" in client.told("resources/read", uri="ui://views/delete_item")
        shop.asked.clear()
        page = client.told("tools/call", name="list_items", arguments={"page": 2})["result"]
        assert page["content"][0]["text"] == json.dumps({"data": [ITEM]})
        question = client.told("tools/call", name="change_item", arguments={"id": 1, "name": "Desk"})
        assert question["method"] == "elicitation/create"
        assert shop.asked == ["GET /items?page=2"]
        declined = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}
        client.say(json.dumps(declined).encode() + b"\n")
        assert client.message()["result"]["isError"] is True
        assert shop.asked == ["GET /items?page=2"], "nothing was sent"
        wrong = client.told("tools/call", name="change_item", arguments={"id": "x", "name": "Desk"})["result"]
        assert wrong["isError"] is True
        assert wrong["content"][0]["_meta"]["mcpgen/view"]["tool"] == "change_item"
    logged = [json.loads(each) for each in audit.read_text(encoding="utf-8").splitlines()]
    assert [each["tool"] for each in logged] == ["delete_item", "list_items", "change_item", "change_item"]


@pytest.mark.slow
@pytest.mark.parametrize("door", servers.DOORS)
def test_views_over_http(door: str, shown: Path, shop: Shops, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"ann {hashlib.sha256(KEY.encode()).hexdigest()}\n")
    fields = {"Authorization": f"Bearer {KEY}"}
    variables = {"HTTP_TOKENS": str(tmp_path / "tokens")}
    with servers.Server(shown, shop, door, None, (), **variables) as server:

        def asked(message: dict[str, Any], more: dict[str, str]) -> Any:
            answer = server.ask("POST", fields={**more, **fields}, body=encoded(message))
            return answer, answer.message

        for able in (UI, {}):
            meta = {**ENVELOPE, META + "clientCapabilities": able}
            message = stateless("tools/list", _meta=meta)
            _, told = asked(message, mirrored(message))
            assert all(("_meta" in each) is bool(able) for each in told["result"]["tools"])
            client = {"name": "tests", "version": "1"}
            hello = request("initialize", protocolVersion=OLD, capabilities=able, clientInfo=client)
            greeting, _ = asked(
                hello, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            )
            session = {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "Mcp-Session-Id": greeting.field("mcp-session-id") or "",
            }
            _, told = asked(request("tools/list", 2), session)
            assert all(("_meta" in each) is bool(able) for each in told["result"]["tools"])
            _, told = asked(request("tools/call", 3, name="get_item", arguments={"id": 1}), session)
            assert ("_meta" in told["result"]["content"][0]) is bool(able)
            _, told = asked(request("resources/read", 4, uri="ui://views/delete_item"), session)
            assert "error" in told, "no caller has the role"
            _, told = asked(request("tools/call", 5, name="delete_item", arguments={"id": 1}), session)
            assert "error" in told
            _, told = asked(request("tools/call", 6, name="change_item", arguments={"id": 1, "name": "a"}), session)
            assert "confirm" in told["result"]["content"][0]["text"]
        answer = server.ask("POST", fields=mirrored(message), body=encoded(message))
        assert answer.status == 401, "a view has no way around the token"
