"""Test this project's requirements E and P for Streamable HTTP: the head of a request is accepted or refused before its
body is read.

A `Row` is one request with its expected response.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.streamable.client import Fields
from tests.streamable.messages import JSON, NEW, OLD, calling, encoded, mirrored, request, stateless
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import Upstream

LIST = stateless("tools/list")
GOOD = mirrored(LIST)
CLIENT = {"name": "tests", "version": "1"}
STREAM: Fields = {"Accept": "text/event-stream"}
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type, mcp-param-region",
}


class Row(NamedTuple):
    """One request and its expected response. `fields`: header fields in addition to those of a valid request."""

    requirement: str
    name: str
    status: int | tuple[int, ...]
    fields: Fields = {}  # noqa: RUF012
    method: str = "POST"
    path: str = "/mcp"
    code: int | None = None
    answered: Fields = {}  # noqa: RUF012
    body: bytes = encoded(LIST)


ROWS = [
    Row("E2", "loopback by name", 200, {"Host": "localhost:1"}),
    Row("E2", "loopback in capitals", 200, {"Host": "LocalHost"}),
    Row("E2", "loopback in IPv6", 200, {"Host": "[::1]:8000"}),
    Row("E2", "another port, for a container's may be mapped", 200, {"Host": "127.0.0.1:9"}),
    Row("E2", "a foreign name", 421, {"Host": "evil.example.com"}, code=-32600),
    Row("E2", "a name that begins like ours", 421, {"Host": "localhost.evil.example"}),
    Row("E2", "a name that ends like ours", 421, {"Host": "evil.localhost"}),
    Row("E2", "a user before the name", (400, 421), {"Host": "localhost@evil.example"}),
    Row("E2", "a port that is none", (400, 421), {"Host": "localhost:x"}),
    Row("E2", "an empty name", (400, 421), {"Host": ""}),
    Row("E2", "two names", (400, 421), {"Host": "localhost", "host": "localhost"}),
    Row("E2", "a foreign name, of a GET", 421, {"Host": "evil.example.com", **STREAM}, "GET"),
    Row("E2", "a foreign name, of a DELETE", 421, {"Host": "evil.example.com"}, "DELETE"),
    Row("E2", "a foreign name, of OPTIONS", 421, {"Host": "evil.example.com"}, "OPTIONS"),
    Row("E2", "a foreign name comes before a path that is none", 421, {"Host": "evil.example.com"}, path="/x"),
    Row("E3", "the very host", 200, {"Host": "localhost:1", "Origin": "http://localhost:1"}),
    Row("E3", "the very host by https, behind a proxy", 200, {"Host": "localhost:1", "Origin": "https://localhost:1"}),
    Row("E3", "another port", 403, {"Host": "localhost:1", "Origin": "http://localhost:2"}, code=-32600),
    Row("E3", "a foreign page", 403, {"Origin": "http://evil.example.com"}),
    Row("E3", "a page without an origin", 403, {"Origin": "null"}),
    Row("E3", "two origins", 403, {"Host": "localhost", "Origin": "http://localhost", "origin": "http://localhost"}),
    Row("E3", "two origins in one field", 403, {"Host": "localhost", "Origin": "http://localhost, http://localhost"}),
    Row("E3", "a foreign page, of a GET", 403, {"Origin": "http://evil.example.com", **STREAM}, "GET"),
    Row("E3", "a foreign page, of a DELETE", 403, {"Origin": "http://evil.example.com"}, "DELETE"),
    Row("E3", "a foreign page asks before", 403, {"Origin": "http://evil.example.com", **PREFLIGHT}, "OPTIONS"),
    Row("E4", "another path", 404, path="/", code=-32600),
    Row("E4", "a slash at the end", 200, path="/mcp/"),
    Row("E4", "two slashes at the end", 404, path="/mcp//"),
    Row("E4", "a path that begins alike", 404, path="/mcpx"),
    Row("E4", "a path that leads back", 404, path="/x/../mcp"),
    Row("E1", "a query counts for nothing", 200, path="/mcp?access_token=x"),
    Row("E5", "PUT", 405, method="PUT", answered={"Allow": "POST, GET, DELETE"}, code=-32600),
    Row("E5", "HEAD", 405, method="HEAD", answered={"Allow": "POST, GET, DELETE"}),
    Row("E5", "OPTIONS of no page", 405, method="OPTIONS", answered={"Allow": "POST, GET, DELETE"}),
    Row("E5", "PATCH", 405, method="PATCH", answered={"Allow": "POST, GET, DELETE"}),
    Row("E5", "GET in the new era", 405, {"MCP-Protocol-Version": NEW, **STREAM}, "GET", answered={"Allow": "POST"}),
    Row("E5", "DELETE in the new era", 405, {"MCP-Protocol-Version": NEW}, "DELETE", answered={"Allow": "POST"}),
    Row("E7", "the process lives", 200, {"Host": "10.1.2.3:80"}, "GET", "/healthz", body=b""),
    Row("E7", "the process lives, in short", 200, {"Host": "10.1.2.3:80"}, "HEAD", "/healthz", body=b""),
    Row("E7", "whether it lives is only read", 405, {}, "POST", "/healthz"),
    Row("E7", "the process is ready", 200, {"Host": "10.1.2.3:80"}, "GET", "/readyz", body=b""),
    Row("E7", "whether it is ready is only read", 405, {}, "POST", "/readyz"),
    Row("P1", "parameters", 200, {"Content-Type": "application/json; charset=utf-8"}),
    Row("P1", "in capitals", 200, {"Content-Type": "Application/JSON"}),
    Row("P1", "a form", 415, {"Content-Type": "application/x-www-form-urlencoded"}, code=-32600),
    Row("P1", "a text", 415, {"Content-Type": "text/plain"}),
    Row("P1", "none", 415, {"Content-Type": ""}),
    Row("P1", "two", (400, 415), {"Content-Type": "application/json", "content-type": "application/json"}),
    Row("P1", "one that begins alike", 415, {"Content-Type": "application/json-seq"}),
    Row("P2", "the other way round", 200, {"Accept": "text/event-stream, application/json"}),
    Row("P2", "anything", 200, {"Accept": "*/*"}),
    Row("P2", "ranges", 200, {"Accept": "application/*;q=0.5, text/*"}),
    Row("P2", "two fields", 200, {"Accept": "application/json", "accept": "text/event-stream"}),
    Row("P2", "JSON alone", 200, {"Accept": "application/json"}, answered={"Content-Type": "application/json"}),
    Row("P2", "streams alone", 406, STREAM, code=-32600),
    Row("P2", "JSON not", 406, {"Accept": "application/json;q=0, text/event-stream"}),
    Row("P2", "nothing said", 200, {"Accept": ""}),
    Row("P2", "a GET that wants JSON", 406, {"Accept": "application/json"}, "GET"),
    Row("P5", "too long by its own word", 413, {"Content-Length": str(4 * 2**20 + 1)}, code=-32600),
    Row("P5", "far too long by its own word", (400, 413), {"Content-Length": "9" * 30}),
    Row("E6", "compressed", 415, {"Content-Encoding": "gzip"}, code=-32600),
    Row("E6", "said to be compressed by nothing", 200, {"Content-Encoding": "identity"}),
]
ORDER = [
    Row("P1", "Host before Origin", 421, {"Host": "evil.example.com", "Origin": "null", "Content-Type": "text/plain"}),
    Row("P1", "Origin before the method", 403, {"Origin": "null"}, "PUT"),
    Row("P1", "the method before Content-Type", 405, {"Content-Type": "text/plain"}, "PUT"),
    Row("P1", "Content-Type before Accept", 415, {"Content-Type": "text/plain", "Accept": "text/plain"}),
    Row("P2", "Accept before the size", 406, {"Accept": "text/plain", "Content-Length": "99999999"}),
    Row("P5", "the size before the JSON", 413, {"Content-Length": "99999999"}, body=b"{"),
]


@pytest.mark.parametrize("row", ROWS + ORDER, ids=lambda row: f"{row.requirement} {row.name}")
def test_the_head_of_a_request_decides(server: Server, row: Row) -> None:
    new = row.method == "POST" and row.path != "/healthz"
    fields = {
        name: value for name, value in {**(GOOD if new else JSON), **row.fields}.items() if name in row.fields or value
    }
    answer = server.ask(row.method, row.path, fields, row.body if row.method in ("POST", "PUT") else b"")
    assert answer.status in (row.status if isinstance(row.status, tuple) else (row.status,)), answer
    for name, value in row.answered.items():
        assert answer.field(name) == value
    if row.code is not None:
        assert answer.field("content-type") == "application/json"
        assert answer.message["error"]["code"] == row.code
        assert "id" not in answer.message
    assert not [name for name, _ in answer.fields if name.startswith("access-control-")]


@pytest.mark.parametrize("door", DOORS)
def test_what_the_operator_listed_is_admitted_and_what_was_refused_is_told(
    project: Path, upstream: Upstream, door: str
) -> None:
    """Test requirements E2 and E3: host names and origins must match the operator's lists exactly.

    Only pages of these origins may read responses.

    The log names what was refused.
    """
    page = "https://app.example.com"
    listed = {"HTTP_HOSTS": "mcp.example.com, other.example.com:8443", "HTTP_ORIGINS": page}
    with Server(project, upstream, door, None, (), **listed) as server:
        for host, status in (
            ("mcp.example.com", 200),
            ("MCP.example.com:443", 200),
            ("other.example.com:8443", 200),
            ("other.example.com", 421),
            ("evil.mcp.example.com", 421),
        ):
            assert server.ask("POST", fields={**GOOD, "Host": host}, body=encoded(LIST)).status == status, host
        told = server.log("host_refused")
        assert told["host"] == "other.example.com"
        assert "CALLER_HTTP_HOSTS" in told["reason"]
        for origin, status in ((page, 200), ("http://app.example.com", 403), (page + ":444", 403)):
            answer = server.ask("POST", fields={**GOOD, "Origin": origin}, body=encoded(LIST))
            assert answer.status == status, origin
            assert answer.field("access-control-allow-origin") == (page if status == 200 else None)
        assert "CALLER_HTTP_ORIGINS" in server.log("origin_refused")["reason"]
        before = server.ask("OPTIONS", fields={"Origin": page, **PREFLIGHT})
        assert before.status == 204
        assert before.field("access-control-allow-origin") == page
        assert before.field("access-control-allow-methods") == "POST, GET, DELETE"
        assert before.field("access-control-max-age") == "7200"
        assert before.field("access-control-expose-headers") == "Mcp-Session-Id, WWW-Authenticate"
        allowed = {each.strip().lower() for each in (before.field("access-control-allow-headers") or "").split(",")}
        assert {"content-type", "accept", "authorization", "mcp-session-id", "mcp-protocol-version"} <= allowed
        assert {"mcp-method", "mcp-name", "mcp-param-region", "last-event-id"} <= allowed
        refused = server.ask("POST", fields={**GOOD, "Origin": page, "Accept": "text/plain"}, body=encoded(LIST))
        assert (refused.status, refused.field("access-control-allow-origin")) == (406, page)


@pytest.mark.parametrize("revision", [NEW, OLD])
def test_a_request_without_accept_takes_anything(server: Server, revision: str) -> None:
    message = (
        LIST if revision == NEW else request("initialize", protocolVersion=OLD, capabilities={}, clientInfo=CLIENT)
    )
    fields = {**(GOOD if revision == NEW else JSON)}
    fields.pop("Accept")
    assert server.ask("POST", fields=fields, body=encoded(message)).status == 200


def test_who_accepts_json_alone_gets_the_answer_alone(project: Path, upstream: Upstream) -> None:
    """A call that would send progress and keep-alives on a stream sends its result as JSON, and a stream is refused."""
    with Server(project, upstream, "aiohttp", {"http_server.streamable.event_stream.SILENCE": 0.05}) as server:
        message, alone = calling("hold", token=1, name="alone"), {"Accept": "application/json"}
        with server.connect() as connection, server.connect() as other:
            connection.send("POST", fields={**mirrored(message), **alone}, body=encoded(message))
            upstream.wait("alone")
            other.send("POST", fields=mirrored(message), body=encoded(message))
            other.stream()  # begins after the same silence, or with the same progress
            upstream.release("alone")
            answer = connection.answer()
        assert (answer.status, answer.field("content-type")) == (200, "application/json")
        message = stateless("subscriptions/listen", notifications={})
        assert server.ask("POST", fields={**mirrored(message), **alone}, body=encoded(message)).status == 406


@pytest.mark.parametrize(
    ("target", "host", "status"), [("evil.example.com", "localhost", 421), ("localhost", "evil", 200)]
)
def test_the_host_of_a_whole_url_counts(project: Path, upstream: Upstream, target: str, host: str, status: int) -> None:
    """Test requirement E2 for a target in absolute form (RFC 9112 section 3.2.2). uvicorn hides such targets."""
    with Server(project, upstream, "aiohttp") as server:
        answer = server.ask("POST", f"http://{target}/mcp", {**GOOD, "Host": host}, encoded(LIST))
        assert answer.status == status
