"""Test a generated server with `pages: all`, as a process: one call joins all pages of an API, for every style of
paging.

Links of a hostile API are not followed to other places, and its pages do not continue forever.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

import pytest

from mcpgen.cli import main
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE

ITEMS = 23
SIZE = 5
PER_PAGE = "{name: limit, in: query, schema: {type: integer, default: 5}}"
PARAMETERS = {
    "page": "{name: page, in: query, schema: {type: integer, default: 1}}",
    "text": "{name: page, in: query, schema: {type: string}}",
    "offset": "{name: offset, in: query, schema: {type: integer}}",
    "cursor": "{name: cursor, in: query, schema: {type: string}}",
    "after": "{name: starting_after, in: query, schema: {type: string}}",
}
ARRAY = "{type: array, items: {type: object, properties: {id: {type: integer}, price: {type: number}}}}"
HELD = f"{{type: object, properties: {{items: {ARRAY}, note: {{type: string}}}}}}"
DEEP = (
    f"{{type: object, properties: {{data: {{type: object, properties: {{rows: {ARRAY}, next: {{type: string}}}}}}}}}}"
)

STYLES: dict[str, tuple[str, str]] = {
    "link": ("page", ARRAY),
    "total": ("page", HELD),
    "header": ("page", ARRAY),
    "pages": ("page", HELD),
    "untold": ("page", ARRAY),
    "text": ("text", HELD),
    "offset": ("offset", HELD),
    "token": ("cursor", HELD),
    "url": ("page", HELD),
    "more": ("after", HELD),
    "deep": ("cursor", DEEP),
    "undescribed": ("page", ""),
}
"""Style of paging → the argument that selects a page, and the schema of a response."""

HOSTILE = (
    "endless",
    "elsewhere",
    "aside",
    "again",
    "circle",
    "growing",
    "torn",
    "broken",
    "hidden",
    "large",
    "slow",
    "secret",
)


def document(address: str) -> str:
    """Return a document of an API at `address` with one operation for each style of paging."""
    lines = ["openapi: 3.1.0", "info: {title: Pages, version: '1'}", f"servers: [{{url: '{address}/v1'}}]", "paths:"]
    for style, (parameter, schema) in {**STYLES, **dict.fromkeys(HOSTILE, ("cursor", HELD))}.items():
        content = f"content: {{application/json: {{schema: {schema}}}}}" if schema else ""
        lines += [
            f"  /{style}:",
            f"    get: {{operationId: list_{style}, summary: List {style}, parameters: [",
            f"      {PARAMETERS[parameter]}{'' if style == 'untold' else ', ' + PER_PAGE}],",
            f"      responses: {{'200': {{description: d{', ' + content if content else ''}}}}}}}",
        ]
    return "\n".join(lines)


TOOLS_FILE = """
mcpgen: 1
server: {name: mirror, pages: all}
openapi: [{document: openapi.yaml}]
overrides:
  list_token: {output: structured}
  list_url: {result: {select: /items}}
  list_secret: {result: {remove: [/items/*/price, /items/1/id]}}
  list_text: {pages: all}
"""


class Api(BaseHTTPRequestHandler):
    """API that answers in pages, in the paging style that the path names."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    seen: ClassVar[list[str]] = []
    told: ClassVar[threading.Event] = threading.Event()
    elsewhere: ClassVar[str] = ""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        style, query = url.path.rpartition("/")[2], dict(parse_qsl(url.query))
        self.seen.append(self.path)
        if style == "slow" and "cursor" in query:
            assert self.told.wait(60)
        status, fields, body = answer(style, query, self.headers["Host"], self.elsewhere)
        self.send_response(status)
        for name, value in {**fields, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


def item(number: int) -> dict[str, Any]:
    return {"id": number, "price": number + 0.5}


def written(items: list[dict[str, Any]]) -> str:
    """Return items as JSON, with prices that have more digits than a double can hold."""
    return json.dumps(items).replace(".5}", ".50000000000000000001}")


def answer(style: str, query: dict[str, str], host: str, elsewhere: str) -> tuple[int, dict[str, str], bytes]:
    """Return the status, header fields and body of one page."""
    begin = (
        (int(query.get("page", 1)) - 1) * SIZE
        if style in NUMBERED
        else int(query.get("offset") or query.get("cursor") or query.get("starting_after") or 0)
    )
    items = [item(number) for number in range(begin + 1, min(begin + SIZE, ITEMS) + 1)]
    end, fields, beside = begin + SIZE, dict[str, str](), dict[str, Any]()
    last = end >= ITEMS
    if style == "link":
        fields = {} if last else {"Link": f'<http://{host}/v1/link?page={end // SIZE + 1}>; rel="next"'}
    elif style in ("total", "offset", "text", "undescribed"):
        beside = {"total": ITEMS}
    elif style == "header":
        fields = {"X-Total-Count": str(ITEMS)}
    elif style == "pages":
        beside = {"total_pages": -(-ITEMS // SIZE)}
    elif style == "url":
        beside = {"next": None if last else f"/v1/url?page={end // SIZE + 1}"}
    elif style == "more":
        beside = {"has_more": not last}
    elif style in ("token", "secret"):
        beside = {"next_cursor": None if last else str(end)}
    elif style == "deep":
        deep = {"next": None if last else str(end)}
        return 200, {}, f'{{"data":{json.dumps({"rows": 0, **deep}).replace("0", written(items), 1)}}}'.encode()
    elif style in HOSTILE:
        return hostile(style, begin, items, host, elsewhere)
    text = written(items)
    if STYLES.get(style, ("", HELD))[1] != ARRAY:
        text = json.dumps({"items": 0, **beside}).replace("0", text, 1)
    return 200, fields, text.encode()


NUMBERED = ("link", "total", "header", "pages", "untold", "text", "url", "undescribed")


def hostile(
    style: str, begin: int, items: list[dict[str, Any]], host: str, elsewhere: str
) -> tuple[int, dict[str, str], bytes]:
    """Return a hostile page: one that links elsewhere, links in circles, breaks, or is too large."""
    items = [item(number) for number in range(begin + 1, begin + SIZE + 1)]
    following: Any = str(begin + SIZE)
    if style == "elsewhere":
        following = f"http://{elsewhere}/v1/elsewhere?cursor={begin + SIZE}"
    elif style == "aside":
        following = f"http://{host}/admin/keys?cursor=9"
    elif style == "again":
        items = [item(1)]
    elif style == "circle":
        following = str(2 * SIZE if begin == SIZE else SIZE)
        items = [item(begin + 1)]
    elif style == "growing":
        items = [{"id": begin + number, "text": "x" * (1000 + 20 * begin)} for number in range(SIZE)]
    elif style == "torn" and begin:
        return 200, {}, b'{"items": [{"id": 1},'
    elif style == "broken" and begin >= 2 * SIZE:
        return 500, {}, b'{"error": "no"}'
    elif style == "hidden" and begin:
        return 200, {}, json.dumps({"items": {"id": 1}, "next_cursor": following}).encode()
    elif style == "large":
        items = [{"id": begin, "text": "x" * 600_000}]
    return 200, {}, json.dumps({"items": items, "next_cursor": following}).encode()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of a generated server `mirror` for a running API with pages."""
    api, other = (ThreadingHTTPServer(("127.0.0.1", 0), Api) for _ in range(2))
    for each in (api, other):
        threading.Thread(target=each.serve_forever, daemon=True).start()
    Api.elsewhere = f"127.0.0.1:{other.server_port}"
    folder = tmp_path_factory.mktemp("pages")
    (folder / "openapi.yaml").write_text(document(f"http://127.0.0.1:{api.server_port}"))
    (folder / "tools.yaml").write_text(TOOLS_FILE)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    yield folder / "out"
    for each in (api, other):
        each.shutdown()
        each.server_close()


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Server]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    with Server(project, env={**kept, "MIRROR_TIMEOUT": "20"}) as running:
        yield running


def ask(server: Server, tool: str, arguments: dict[str, Any], meta: dict[str, Any] | None = None) -> Any:
    params = {"name": tool, "arguments": arguments, "_meta": {**ENVELOPE, **(meta or {})}}
    server.say(json.dumps({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": params}).encode() + b"\n")
    while "result" not in (message := server.message()) and "error" not in message:
        pass
    return message.get("result", message)


def call(server: Server, tool: str, **arguments: Any) -> Any:
    Api.seen.clear()
    return ask(server, tool, arguments)


def texts(result: Any) -> list[str]:
    return [block["text"] for block in result["content"] if block["type"] == "text"]


def items_in(text: str) -> list[Any]:
    value = json.loads(text)
    value = value.get("data", value) if isinstance(value, dict) else value
    found = value if isinstance(value, list) else value.get("items", value.get("rows"))
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("style", STYLES)
def test_one_call_joins_all_pages(server: Server, style: str) -> None:
    result = call(server, f"list_{style}")
    assert not result.get("isError"), texts(result)
    body, note = texts(result)
    assert [each["id"] for each in items_in(body)] == list(range(1, ITEMS + 1))
    assert "1.50000000000000000001" in body, "numbers are passed on as they came"
    assert note == "Pages: all 5 pages, 23 items"
    assert len(Api.seen) == (6 if style == "untold" else 5), "only an empty page says that nothing follows"


def test_a_call_begins_where_it_is_told_to(server: Server) -> None:
    result = call(server, "list_total", page=4)
    assert [each["id"] for each in items_in(texts(result)[0])] == list(range(16, ITEMS + 1))
    assert texts(result)[1] == "Pages: the last 2 pages, 8 of 23 items"


def test_one_page_is_passed_on_as_it_came(server: Server) -> None:
    result = call(server, "list_total", page=5)
    assert texts(result) == [f'{{"items": {written([item(21), item(22), item(23)])}, "total": 23}}']


def test_an_output_schema_is_kept(server: Server) -> None:
    found = call(server, "list_token")["structuredContent"]
    assert len(found["items"]) == ITEMS
    assert found["_text"] == "Pages: all 5 pages, 23 items"


def test_what_is_removed_is_in_no_page(server: Server) -> None:
    result = call(server, "list_secret")
    assert items_in(texts(result)[0])[:2] == [{"id": 1}, {}]
    assert items_in(texts(result)[0])[5:7] == [{"id": 6}, {}], "an index counts the items of a page, as it came"
    assert "price" not in json.dumps(result)
    assert ".5" not in json.dumps(result)


STOPPED: dict[str, tuple[int, str]] = {
    "endless": (
        100,
        'Pages: the first 100 pages, 500 items; more is not taken in one call. To go on, call again with cursor="500"',
    ),
    "elsewhere": (
        1,
        "Pages: the first 1 page, 5 items; the next page is at another host, {other}, to which nothing is sent.",
    ),
    "aside": (
        1,
        "Pages: the first 1 page, 5 items; the link to the next page is not one that the arguments of this"
        " tool can follow.",
    ),
    "again": (
        2,
        "Pages: the first 1 page, 1 item; the API then answered with a page that it had given before."
        ' To go on, call again with cursor="5"',
    ),
    "circle": (3, "Pages: the first 3 pages, 3 items; the API then answered with a page that it had given before."),
    "torn": (
        2,
        'Pages: the first 1 page, 5 items; the next page is no such list. To go on, call again with cursor="5"',
    ),
    "broken": (
        3,
        "Pages: the first 2 pages, 10 items; the next page was answered with HTTP 500 Internal Server Error."
        ' To go on, call again with cursor="10"',
    ),
    "hidden": (
        2,
        'Pages: the first 1 page, 5 items; the next page is no such list. To go on, call again with cursor="5"',
    ),
}


@pytest.mark.parametrize("style", STOPPED)
def test_a_walk_stops_and_says_where(server: Server, style: str) -> None:
    requests, note = STOPPED[style]
    result = call(server, f"list_{style}")
    assert not result.get("isError")
    assert len({*Api.seen}) == requests
    assert note.format(other=Api.elsewhere) in "\n".join(texts(result))
    assert all(path.startswith(f"/v1/{style}") for path in Api.seen), "no path but its own"


@pytest.mark.slow
def test_growing_pages_end_at_a_number_of_bytes(server: Server) -> None:
    result = call(server, "list_growing")
    assert len(Api.seen) < 40
    told = "\n".join(texts(result))
    assert "more is not taken in one call. To go on, call again with cursor=" in told
    assert len(json.dumps(result)) < 100_000, "what is shown stays as small as for one page"


def test_a_page_that_is_too_large_alone_is_as_without_a_walk(server: Server) -> None:
    result = call(server, "list_large")
    assert len(Api.seen) == 1
    assert "Cut:" in "\n".join(texts(result))


def test_progress_says_how_many_have_come(server: Server) -> None:
    Api.seen.clear()
    Api.told.clear()
    params = {"name": "list_slow", "arguments": {}, "_meta": {**ENVELOPE, "progressToken": "p"}}
    server.say(json.dumps({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": params}).encode() + b"\n")
    first = server.message()
    Api.told.set()
    while "result" not in (message := server.message()):
        assert message["params"]["progressToken"] == "p"
    assert first["method"] == "notifications/progress"
    assert first["params"]["message"] == "page 1, 5 items"
    assert "100 pages" in "\n".join(texts(message["result"]))


@pytest.mark.slow
def test_a_page_that_does_not_come_ends_the_walk(project: Path) -> None:
    Api.told.clear()
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    with Server(project, env={**kept, "MIRROR_TIMEOUT": "1"}) as server:
        result = call(server, "list_slow")
    Api.told.set()
    assert not result["isError"]
    assert [each["id"] for each in items_in(texts(result)[0])] == [1, 2, 3, 4, 5]
    assert "the first 1 page, 5 items; the next page did not come" in texts(result)[1]
    assert texts(result)[1].endswith('To go on, call again with cursor="5"')
