"""Test lookups in lists of several pages, with a generated server and an API as processes and sockets.

Two items of each list are called Ann, on the first and on the last page. A call that writes must never take one of
them, however the API counts its pages.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

import pytest
from package.runtime.core.catalog import Tool
from package.runtime.http.exchange import Response, Sent
from package.runtime.lookups.joined_pages import JoinedPages

from mcpgen.cli import main
from tests.functional.test_pages import ask, texts
from tests.runtime.parts import part
from tests.runtime.process import Server

SENT = Sent(Tool("list_users", {}, part({"path": ["/users"]})), "GET", "/users", [], "caller://result/1")
NAMES = ["Bob", "Ann", "Cid", "Dan", "Eve", "Fay", "Gus", "Ann", "Hal"]
SIZE = 2
SHAPES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "user": ("page", 1, {"total": 9}),
    "team": ("page", 0, {}),
    "order": ("page", 1, {}),
    "movie": ("page", 0, {"total": 9}),
    "house": ("page", 1, {"total": 11}),
    "train": ("cursor", 0, {"total": 9}),
    "planet": ("page", 1, {"total_pages": 5}),
    "lamp": ("body", 1, {}),
}
"""Noun -> the argument that selects a page, the number of the first page, and what each page says beside its items."""


class Api(BaseHTTPRequestHandler):
    """API with one list for each noun, in pages of two."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    seen: ClassVar[list[str]] = []

    def answer(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.seen.append(f"{self.command} {self.path} {sent}".strip())
        url = urlsplit(self.path)
        body = json.dumps(reply(url.path, {**dict(parse_qsl(url.query)), **json.loads(sent or "{}")})).encode()
        self.send_response(200)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


def reply(path: str, query: dict[str, Any]) -> Any:
    noun = path.split("/")[1].removesuffix("s")
    if path.count("/") > 1 and not path.endswith("/search"):
        return {"did": path}
    selector, first, beside = SHAPES[noun]
    begin = int(query.get("cursor", 0)) if selector == "cursor" else (int(query.get("page", first)) - first) * SIZE
    items = [{"id": begin + at, "name": name} for at, name in enumerate(NAMES[begin : begin + SIZE], 1)]
    return {"items": items, **beside}


def document(address: str) -> str:
    """Return a document with a list, a read and a deletion for each noun."""
    item = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
    held = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    answers = {"200": {"description": "d", "content": {"application/json": {"schema": held}}}}
    paths: dict[str, Any] = {}
    for noun, (selector, _, _) in SHAPES.items():
        kind = {"type": "string" if selector == "cursor" else "integer"}
        operation: dict[str, Any] = {"operationId": f"list_{noun}s", "summary": f"List {noun}s", "responses": answers}
        if selector == "body":
            members = {"type": "object", "properties": {"page": kind, "page_size": {"type": "integer"}}}
            operation |= {"operationId": f"search_{noun}s", "summary": f"Search {noun}s"}
            operation["requestBody"] = {"content": {"application/json": {"schema": members}}}
            paths[f"/{noun}s/search"] = {"post": operation}
        else:
            operation["parameters"] = [{"name": selector, "in": "query", "schema": kind}]
            paths[f"/{noun}s"] = {"get": operation}
        place = {"name": f"{noun}_id", "in": "path", "required": True, "schema": {"type": "integer"}}
        one = {"200": {"description": "d"}}
        paths[f"/{noun}s/{{{noun}_id}}"] = {
            "get": {"operationId": f"get_{noun}", "parameters": [place], "responses": one},
            "delete": {"operationId": f"delete_{noun}", "parameters": [place], "responses": one},
        }
    info = {"title": "Lists", "version": "1"}
    return json.dumps({"openapi": "3.1.0", "info": info, "servers": [{"url": address}], "paths": paths})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        folder = tmp_path_factory.mktemp("lists")
        (folder / "openapi.json").write_text(document(f"http://127.0.0.1:{api.server_port}"))
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(folder / "openapi.json"), "-o", str(folder / "out"), "--name", "caller", "--lookups"])
        assert ended.value.code == 0
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
        with Server(folder / "out", package="caller_mcp", env=kept) as running:
            yield running
        api.shutdown()


def call(server: Server, tool: str, name: str) -> Any:
    Api.seen.clear()
    return ask(server, tool, {tool.partition("_")[2]: name})


TWO = "2 are called so: Ann, id 2; Ann, id 8"
REFUSED = {
    "user": (5, TWO),
    "team": (6, TWO),
    "order": (7, TWO),
    "movie": (5, "called so: Ann, id 2; Ann, id 8; only the first 4 pages, 7 of 9 items were looked through"),
    "house": (6, "called so: Ann, id 2; Ann, id 8; only the first 5 pages, 9 of 11 items were looked through"),
    "train": (1, "called so: Ann, id 2; only the first 1 page, 2 of 9 items were looked through"),
    "planet": (5, TWO),
    "lamp": (7, TWO),
}
"""Noun -> how many requests a lookup of Ann takes, and why the deletion is refused."""


@pytest.mark.parametrize("noun", REFUSED)
def test_a_call_that_writes_takes_none_of_two(server: Server, noun: str) -> None:
    requests, told = REFUSED[noun]
    result = call(server, f"delete_{noun}", "Ann")
    assert result["isError"]
    assert told in texts(result)[0]
    assert len(Api.seen) == requests
    assert not any(each.startswith("DELETE") for each in Api.seen)


TAKEN = ("user", "team", "order", "planet", "lamp")


@pytest.mark.parametrize("noun", TAKEN)
def test_a_call_that_writes_takes_the_only_one(server: Server, noun: str) -> None:
    result = call(server, f"delete_{noun}", "gus")
    assert Api.seen[-1] == f"DELETE /{noun}s/7"
    assert texts(result)[-1] == f"{noun}: Gus, id 7"


READ = {
    "user": "user: Gus, id 7",
    "house": "house: Gus, id 7 (only the first 5 pages, 9 of 11 items were looked through)",
}


@pytest.mark.parametrize("noun", READ)
def test_a_call_that_reads_says_which_pages_were_read(server: Server, noun: str) -> None:
    assert texts(call(server, f"get_{noun}", "Gus"))[-1] == READ[noun]


def test_a_name_on_a_page_that_was_not_read_is_not_denied(server: Server) -> None:
    told = texts(call(server, "get_train", "Gus"))[0]
    assert "none is called so. There are Bob, id 1; Ann, id 2; only the first 1 page, 2 of 9 items" in told


def test_an_answer_that_was_cut_is_not_whole() -> None:
    joined = JoinedPages({}, "127.0.0.1", 1000, 10, strict=True)
    joined.add(Response(200, "", [("Content-Type", "application/json")], b'[{"id": 1}', cut=True), SENT)
    assert (joined.complete, joined.extent) == (False, "a part of the answer")
