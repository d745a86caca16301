"""Test a table of shapes in which APIs count pages, with a generated server and an API as processes and sockets.

`page_shapes.yaml` has the table: which requests `pages: all` sends, which items it joins and what it says, and which
next page a call without `pages: all` names.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import yaml

from mcpgen.cli import main
from tests.functional.test_pages import ask, texts
from tests.runtime.process import Server

SHAPES: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_suffix("").with_name("page_shapes.yaml").read_text()
)


class Page:
    """The page that a query asks of the list of one shape at `path`."""

    def __init__(self, path: str, query: dict[str, str]) -> None:
        self.path = path
        self.name = name = path.rpartition("/")[2]
        self.shape = shape = SHAPES[name]
        self.size, self.of, self.first = 2, shape.get("of", 7), shape.get("first", 0 if by(name) != "page" else 1)
        given = query.get(selector(name))
        self.number = int(given) if given and shape.get("behind") != "same" else self.first
        self.begin = (self.number - self.first) * (self.size if by(name) == "page" else 1)
        if shape.get("behind") == "last":
            self.begin = min(self.begin, (self.pages - 1) * self.size)
        self.place = -(-self.begin // self.size) + 1

    @property
    def pages(self) -> int:
        return int(self.shape.get("pages", -(-self.of // self.size)))

    @property
    def items(self) -> list[dict[str, int]]:
        shown = range(self.begin + 1, min(self.begin + self.size, self.of) + 1)
        return [{"id": number} for number in shown if number not in self.shape.get("hidden", ())]

    def values(self) -> dict[str, Any]:
        """Return what the words of the table stand for on this page."""
        end, total = self.begin + self.size, self.shape.get("total", self.of)
        more, by_page = end < self.of, by(self.name) == "page"
        following = self.number + 1 if by_page else end + self.first if by(self.name) == "offset" else str(end)
        url = f"{self.path}?{urlencode({selector(self.name): following})}"
        back = f'<{self.path}?page=1>; rel="prev"'
        range_ = f"{self.begin}-{self.begin + len(self.items) - 1}/"
        return {
            "$items": self.items,
            "$total": total,
            "$total_text": str(total),
            "$pages": self.pages,
            "$count": len(self.items),
            "$page": self.number,
            "$index": self.place - 1,
            "$begin": self.begin + self.first,
            "$more": more,
            "$last": not more,
            "$next": following if more else None,
            "$next_or_end": following if end <= self.of else None,
            "$next_page": following if more else "",
            "$url": url if more else None,
            "$link": f'<{url}>; rel="next"' if more else back,
            "$range": f"items {range_}{total}" if self.items else f"items */{total}",
            "$open_range": f"{range_}*" if self.items else "*/*",
            "$json": json.dumps({"TotalCount": total, "PageSize": 2, "CurrentPage": self.number}),
        }

    def answer(self) -> tuple[int, dict[str, str], Any]:
        """Return the status, header fields and body of the page."""
        behind = self.shape.get("behind", 200)
        if not self.items and isinstance(behind, int) and behind != 200:
            return behind, {}, {"error": "no such page"}
        values = self.values()
        if not self.items and behind is None:
            values["$items"] = None
        fields = {name: values.get(value, value) for name, value in self.shape.get("headers", {}).items()}
        filled = {name: str(value) for name, value in fields.items() if value is not None}
        if not self.items and behind == "absent":
            return 200, filled, put({"page": self.shape["body"]["page"]}, values)
        return 200, filled, put(self.shape["body"], values)


def by(name: str) -> str:
    return str(SHAPES[name].get("by", "page"))


def selector(name: str) -> str:
    """Return the query parameter that selects the page."""
    return str(SHAPES[name].get("named", SHAPES[name]["takes"][0]["name"]))


def put(template: Any, values: dict[str, Any]) -> Any:
    """Return the template with values in place of its words."""
    if isinstance(template, dict):
        return {name: put(each, values) for name, each in template.items()}
    if isinstance(template, list):
        return [put(each, values) for each in template]
    return values.get(template, template) if isinstance(template, str) else template


class Api(BaseHTTPRequestHandler):
    """API with one list for each shape."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    seen: ClassVar[list[int]] = []

    def answer(self) -> None:
        url = urlsplit(self.path)
        sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        page = Page(url.path, {**dict(parse_qsl(url.query)), **sent})
        self.seen.append(page.place)
        status, fields, value = page.answer()
        body = b"" if status == 204 else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {**fields, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


def document(address: str) -> str:
    """Return a document with three operations for each shape. `get` fetches one page. `list` fetches all pages, and so
    does `find`, whose response has a schema.
    """
    paths, silent = {}, {"description": "d"}
    for name, shape in SHAPES.items():
        parameters = [
            {
                "name": each["name"],
                "in": "query",
                "description": each.get("description", ""),
                "schema": {key: each[key] for key in each if key not in ("name", "description")},
            }
            for each in shape["takes"]
        ]
        media = {"application/json": {"schema": schema_of(shape["body"])}}
        for kind, answer in (("list", silent), ("get", silent), ("find", {**silent, "content": media})):
            operation: dict[str, Any] = {"operationId": f"{kind}_{name}", "responses": {"200": answer}}
            operation |= in_body(parameters) if "method" in shape else {"parameters": parameters}
            paths[f"/{kind}/{name}"] = {shape.get("method", "get"): operation}
    info = {"title": "Shapes", "version": "1"}
    return json.dumps({"openapi": "3.1.0", "info": info, "servers": [{"url": address}], "paths": paths})


def schema_of(template: Any) -> dict[str, Any]:
    """Return the schema of an answer with the members of a template."""
    if isinstance(template, dict):
        return {"type": "object", "properties": {name: schema_of(each) for name, each in template.items()}}
    if isinstance(template, list) or template == "$items":
        item = {"type": "object", "properties": {"id": {"type": "integer"}}}
        return {"type": "array", "items": item if template else {"type": "string"}}
    return {}


def in_body(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the body of an operation with these parameters as its members."""
    members = {each["name"]: each["schema"] for each in parameters}
    return {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": members}}}}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a generated server for a running API with all shapes."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        folder = tmp_path_factory.mktemp("shapes")
        (folder / "openapi.json").write_text(document(f"http://127.0.0.1:{api.server_port}"))
        overrides: dict[str, Any] = {}
        for name, shape in SHAPES.items():
            for tool in (f"list_{name}", f"get_{name}", f"find_{name}"):
                overrides[tool] = {"name": tool, "pages": "one" if tool.startswith("get") else "all"}
                if "method" in shape:
                    overrides[tool]["annotations"] = {"readOnlyHint": True}
        source = {"mcpgen": 1, "server": {"name": "mirror", "pages": "all"}, "openapi": [{"document": "openapi.json"}]}
        (folder / "tools.yaml").write_text(json.dumps({**source, "overrides": overrides}))
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
        assert ended.value.code == 0
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
        with Server(folder / "out", env=kept) as running:
            yield running
        api.shutdown()


def ids(value: Any) -> list[int]:
    """Return the ids of all items in a value, in their order."""
    if isinstance(value, dict):
        return [value["id"]] if value.keys() == {"id"} else [found for each in value.values() for found in ids(each)]
    return [found for each in value for found in ids(each)] if isinstance(value, list) else []


@pytest.mark.parametrize("kind", ["list", "find"], ids=["without a schema", "described"])
@pytest.mark.parametrize("name", SHAPES)
def test_all_pages_are_joined_or_said_to_be_missing(server: Server, name: str, kind: str) -> None:
    shape = SHAPES[name]
    Api.seen.clear()
    body, *notes = texts(ask(server, f"{kind}_{name}", {}))
    assert Api.seen == shape["requests"]
    joined = shape.get("joined", shape.get("of", 7))
    assert ids(json.loads(body)) == (joined if isinstance(joined, list) else [*range(1, joined + 1)])
    note = shape.get("note", f"all {len({*shape['requests']} - {5})} pages, 7 items")
    assert notes == ([f"Pages: {note}"] if note else [])


@pytest.mark.parametrize("name", SHAPES)
def test_one_page_names_the_next(server: Server, name: str) -> None:
    _, *notes = texts(ask(server, f"get_{name}", {}))
    assert notes == ([f"Next page: {SHAPES[name]['next']}"] if SHAPES[name]["next"] else [])
