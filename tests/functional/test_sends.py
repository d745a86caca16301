"""Test the bytes that request templates of a tools file send to a raw socket, for many arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.wire.upstream import Upstream, listening

TOOLS = """
mcpgen: 1
server: {name: sends}
base_url: https://api.example.com/v1
security: {key: {type: apiKey, in: query, name: appid}}
tools:
  - name: search
    request: GET /{index}/search?fixed=1
    arguments: {index: string, words: string required, tags: {type: array, items: {type: string}}, lang: string}
    send:
      query: {q: '"{words}" in:{index}', tag: '{tags}', lang: 'l-{lang}', braces: '{{{words}}}'}
      headers: {X-Words: 'w={lang}', Accept: text/x-own}
      cookies: {seen: '{words}'}
  - name: create
    request: POST /things
    inputSchema:
      type: object
      properties: {called: {type: string}, tags: {type: array}, note: {type: string}}
      required: [called]
      additionalProperties: false
    send:
      body: {thing: {name: '{called}', label: 'Thing "{called}"', tags: ['{tags}', last]}, note: '{note}', kind: fixed}
  - name: order
    request: POST /orders
    arguments: {item: string required, count: integer}
    send: {body: {what: '{item}', many: '{count}', by: mcp}, content_type: application/x-www-form-urlencoded}
  - name: soap
    request: POST /soap
    arguments: {text: string required}
    send: {body: '<a>{text}</a>', content_type: text/xml}
  - name: free
    portable: false
    request: GET /free
    inputSchema: {type: object, properties: {a: {type: string}}, additionalProperties: true}
"""


@contextmanager
def served(folder: Path) -> Iterator[tuple[Server, Upstream]]:
    (folder / "t.tools.yaml").write_text(TOOLS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "t.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    with listening() as upstream:
        environ = {"SENDS_BASE_URL": f"http://127.0.0.1:{upstream.port}/v1"}
        with Server(folder / "out", package="sends_mcp", env=environ) as server:
            yield server, upstream


def heard(upstream: Upstream) -> tuple[str, dict[str, str], str]:
    """Return the request line, header fields and body of the one request that arrived, without its credential."""
    head, _, body = upstream.received.get(timeout=120).partition(b"\r\n\r\n")
    line, *fields = head.decode("ascii").split("\r\n")
    assert upstream.received.empty()
    line = re.sub(r"[?&]appid=[^& ]+", "", line.removesuffix(" HTTP/1.1"))
    return line, dict(field.split(": ", 1) for field in fields), body.decode()


HOSTILE = 'a"}&x=1#{index}{{\\ é'


def test_what_arrives_is_what_the_templates_say(tmp_path: Path) -> None:
    with served(tmp_path) as (server, upstream):
        server.result("search", index="all", words="x")
        line, fields, _ = heard(upstream)
        assert line == "GET /v1/all/search?fixed=1&q=%22x%22%20in%3Aall&braces=%7Bx%7D"
        assert (fields["Accept"], fields["Cookie"], "X-Words" in fields) == ("text/x-own", "seen=x", False)
        server.result("search", index="a/b", words=HOSTILE, tags=["1", "2&3"], lang="de")
        line, fields, _ = heard(upstream)
        value = "a%22%7D%26x%3D1%23%7Bindex%7D%7B%7B%5C%20%C3%A9"
        assert line == (
            f"GET /v1/a%2Fb/search?fixed=1&q=%22{value}%22%20in%3Aa%2Fb&tag=1&tag=2%263&lang=l-de&braces=%7B{value}%7D"
        )
        assert fields["X-Words"] == "w=de"
        server.result("create", called=HOSTILE, tags=[1])
        _, fields, body = heard(upstream)
        assert fields["Content-Type"] == "application/json"
        assert json.loads(body) == {
            "thing": {"name": HOSTILE, "label": f'Thing "{HOSTILE}"', "tags": [[1], "last"]},
            "kind": "fixed",
        }
        server.result("order", item="x&by=me\r\n", count=2)
        _, fields, body = heard(upstream)
        assert (fields["Content-Type"], body) == (
            "application/x-www-form-urlencoded",
            "what=x%26by%3Dme%0D%0A&many=2&by=mcp",
        )
        server.result("order", item="x")
        assert heard(upstream)[2] == "what=x&by=mcp"
        server.result("soap", text="</a><b>&")
        assert heard(upstream)[2] == "<a>&lt;/a&gt;&lt;b&gt;&amp;</a>"
        server.result("free", a="1", others="2", c=[3])
        assert heard(upstream)[0] == "GET /v1/free?a=1&others=2&c%5B%5D=3"


def test_an_argument_that_the_schema_does_not_name_never_stands_for_a_credential(tmp_path: Path) -> None:
    with served(tmp_path) as (server, upstream):
        # attack case HARD-20: an argument with the name of a credential
        refused = server.result("free", appid="mine", c="1")
        assert refused["isError"]
        assert "which servers may read as a credential" in refused["content"][0]["text"]
        server.result("free", c="1")
        assert upstream.received.get(timeout=120).split()[1] == f"/v1/free?c=1&appid={quote(SECRET, safe='')}".encode()
        assert upstream.received.empty()


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search", {"index": "..", "words": "x"}, "index: expected text that cannot be read as a step to another path"),
        ("search", {"index": "%2e%2e", "words": "x"}, "index: expected text that cannot be read as a step"),
        ("search", {"index": "", "words": "x"}, "index: expected a value that is not empty"),
        ("search", {"index": "a", "words": "x", "lang": "a\r\nX-Evil: 1"}, "lang: expected visible ASCII characters"),
        ("search", {"index": "a", "words": "x\0"}, "words: expected text without NUL characters"),
        ("search", {"index": "a", "words": "x", "page": 1}, "page: is not an argument"),
        ("create", {"called": "x", "colour": "red"}, "colour: is not an argument"),
        ("create", {"note": "x"}, "called: is required"),
    ],
)
def test_what_templates_cannot_send_is_refused(tmp_path: Path, tool: str, arguments: dict[str, str], told: str) -> None:
    with served(tmp_path) as (server, upstream):
        result = server.result(tool, **arguments)
        assert result["isError"], upstream.received.get(timeout=120)
        assert told in result["content"][0]["text"]
        assert upstream.received.empty()
