"""Test completions whose values come from the API: a compiled tools file, a real process and a real API."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.revisions import R3

FILE = """
mcpgen: 1
server: {name: mirror}
base_url: %s
security: {key: {type: apiKey, in: header, name: X-Key}}
resources:
  - name: city
    uri: mirror://{country}/{city}
    request: GET /city/{country}/{city}
    arguments:
      country: {enum: [no, se]}
      city: {complete: {request: "GET /cities?q={value}&in={country}&max=100", values: "/cities/*/name"}}
prompts:
  - name: plan
    arguments:
      city: {complete: {request: "GET /cities?q={value}", values: "/cities/*/name", security: none}}
      street: {complete: "GET /streets/{city}"}
      many: {complete: GET /many}
      hostile: {complete: GET /hostile}
      broken: {complete: GET /broken}
      page: {complete: GET /page}
      slow: {complete: "GET /slow?q={value}"}
    messages: [{role: user, text: "{city} {street} {many} {hostile} {broken} {page} {slow}"}]
"""


class Api(BaseHTTPRequestHandler):
    """API that records its requests. It does not answer `/slow` before the test ends."""

    paths: list[str]
    released: threading.Event

    def do_GET(self) -> None:
        self.paths.append(self.path)
        split = urlsplit(self.path)
        query, key = parse_qs(split.query), self.headers.get("X-Key", "no key")
        status, body = 200, ""
        if split.path == "/cities":
            names = [f"{query.get('q', [''])[0]}{end}" for end in ("slo", "ulu", "slo")]
            body = json.dumps({"cities": [{"name": name} for name in names] + [{"name": key}]})
        elif split.path.startswith("/streets/"):
            body = json.dumps(["Main", "Long", 7, None, {}, "main road", True])
        elif split.path == "/many":
            body = json.dumps([f"value {number}" for number in range(10_000)])
        elif split.path == "/hostile":
            body = json.dumps(["a\u202eb", "two\nlines", "\x00", "x" * 5000, f"key {key}"])
        elif split.path == "/slow":
            self.released.wait(120)
            body = '["late"]'
        elif split.path == "/page":
            body = "<p>no JSON"
        else:
            status, body = 500, f"key {key}"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    Api.paths, Api.released = [], threading.Event()
    serving = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    serving.daemon_threads = True
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{serving.server_port}"
    finally:
        Api.released.set()
        serving.shutdown()
        serving.server_close()


@pytest.fixture(scope="module")
def server(api: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("mirror")
    (folder / "mirror.tools.yaml").write_text(FILE % api)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "mirror.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with Server(folder / "out", env=kept) as running:
        running.checker.offered = ("prompts", "completions")
        yield running


def asked(argument: str, value: str = "", **before: str) -> dict[str, Any]:
    reference = {"type": "ref/prompt", "name": "plan"}
    return {"ref": reference, "argument": {"name": argument, "value": value}, "context": {"arguments": before}}


def completed(server: Server, argument: str, value: str = "", **before: str) -> dict[str, Any]:
    found: dict[str, Any] = server.ask("completion/complete", **asked(argument, value, **before))["result"]
    return dict(found["completion"])


def test_values_come_from_the_api_once_and_in_every_revision(server: Server) -> None:
    Api.paths.clear()
    expected = {"values": ["Oslo", "Oulu", "no key"], "total": 3, "hasMore": False}
    assert completed(server, "city", "O") == expected
    assert completed(server, "city", "O") == expected, "which is not asked again"
    assert Api.paths == ["/cities?q=O"]
    server.say(b'{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"%b"}}\n' % R3.encode())
    server.message()
    params = json.dumps(asked("city", "O"))
    server.say(f'{{"jsonrpc":"2.0","id":"b","method":"completion/complete","params":{params}}}\n'.encode())
    assert server.message()["result"]["completion"] == expected


def test_variables_of_a_uri_are_completed_by_what_was_filled_in_before(server: Server) -> None:
    Api.paths.clear()
    reference = {"type": "ref/resource", "uri": "mirror://{country}/{city}"}
    params = {
        "ref": reference,
        "argument": {"name": "city", "value": "B&x="},
        "context": {"arguments": {"country": "no"}},
    }
    values = server.ask("completion/complete", **params)["result"]["completion"]["values"]
    assert values == ["B&x=slo", "B&x=ulu", "[redacted]"]
    assert Api.paths == ["/cities?max=100&q=B%26x%3D&in=no"]
    params["argument"] = {"name": "country", "value": "n"}
    assert server.ask("completion/complete", **params)["result"]["completion"]["values"] == ["no"]


def test_a_request_without_what_was_typed_is_filtered_here_and_sent_once(server: Server) -> None:
    Api.paths.clear()
    assert completed(server, "street", "ma", city="a/b")["values"] == ["Main", "main road"]
    assert completed(server, "street", "7", city="a/b")["values"] == ["7"]
    assert Api.paths == ["/streets/a%2Fb"]
    assert completed(server, "street", "ma")["values"] == [], "the path lacks a value"
    assert completed(server, "street", "ma", city="..")["values"] == []
    assert len(Api.paths) == 1


def test_ten_thousand_values_are_bounded(server: Server) -> None:
    found = completed(server, "many", "value")
    assert (len(found["values"]), found["values"][0], found["hasMore"]) == (100, "value 0", True)
    assert "total" not in found


def test_hostile_values_are_cleaned_or_left_out(server: Server) -> None:
    assert completed(server, "hostile")["values"] == ["ab", "two lines", "key [redacted]"]


@pytest.mark.parametrize("argument", ["broken", "page"])
def test_a_failed_request_completes_nothing(server: Server, argument: str) -> None:
    assert completed(server, argument, "x") == {"values": [], "total": 0, "hasMore": False}
    assert SECRET not in json.dumps(completed(server, argument, "y"))


def test_a_newer_request_supersedes_an_older_one(server: Server) -> None:
    Api.paths.clear()
    ids = [server.request("completion/complete", **asked("slow", "abc"[:end])) for end in (1, 2, 3)]
    first, second = server.message(), server.message()
    assert [first["id"], second["id"]] == ids[:2]
    assert [each["result"]["completion"]["values"] for each in (first, second)] == [[], []]
    Api.released.set()
    last = server.message()
    assert (last["id"], last["result"]["completion"]["values"]) == (ids[2], ["late"])
    assert Api.paths[-1] == "/slow?q=abc"
