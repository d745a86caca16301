"""Test requests over aiohttp: the responses are the same whether the connection serves them directly or in a task of
aiohttp.

`MCPGEN_TUNING=0` selects the tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from package.runtime.http_server.doors.aiohttp_door import response_bytes
from package.runtime.http_server.streamable import admission

from tests.streamable.client import Answer, Connection, Fields
from tests.streamable.messages import (
    JSON,
    NEW,
    Session,
    call,
    calling,
    encoded,
    mirrored,
    notification,
    post,
    request,
    said,
    stateless,
)
from tests.streamable.servers import UNTUNED, Server
from tests.streamable.upstream import Upstream

WAYS = {"inline": "aiohttp", "tasks": UNTUNED}
Asked = tuple[str, str, Fields, bytes]


@pytest.fixture(scope="module")
def both(project: Path) -> Iterator[dict[str, Server]]:
    """Yield two servers by name: one serves requests directly, the other each request in an asyncio task of aiohttp."""
    upstream = Upstream()
    with ExitStack() as stack:
        yield {way: stack.enter_context(Server(project, upstream, door)) for way, door in WAYS.items()}
    upstream.close()


@pytest.fixture(params=WAYS)
def either(request: pytest.FixtureRequest, both: dict[str, Server]) -> Server:
    """Return the server that serves requests directly, then the one that serves each request in an asyncio task.

    So each test runs with both servers.
    """
    return both[request.param]


def _conversation(session: Session) -> list[Asked]:
    """Return requests with and without a session: calls, lists, errors, a notification, and requests that every server
    leaves to the asyncio task that aiohttp runs for the connection.
    """
    new, old = calling("echo", "new", text="b"), partial(_posted, session.fields)
    tools = stateless("tools/list", "tools")
    return [
        old(request("ping", 1)),
        old(call("echo", 2, text="a")),
        _posted(mirrored(new), new),
        ("GET", "/healthz", {}, b""),
        old(notification("notifications/initialized")),
        _posted(mirrored(tools), tools),
        ("POST", "/mcp", JSON, b"{"),
        ("POST", "/mcp", {**JSON, "Expect": "100-continue"}, encoded(request("ping", 3))),
        ("POST", "/nothing", JSON, encoded(request("ping", 4))),
        _posted(JSON, tools),
        old(call("echo", 5, text="x" * 20_000)),
        old(request("ping", 6)),
    ]


def _posted(fields: Fields, message: dict[str, Any]) -> Asked:
    return "POST", "/mcp", fields, encoded(message)


def _seen(answer: Answer) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return a response without the date, and without the content type that aiohttp adds to an empty body."""
    empty = ("content-type", "application/octet-stream")
    fields = [each for each in answer.fields if each[0] != "date" and each != empty]
    return answer.status, sorted(fields), answer.body


def test_both_ways_give_the_same_responses(both: dict[str, Server]) -> None:
    """Test requirements P1 and R4: status, header fields and body are the same, whether a request is served directly or
    in a task of aiohttp.
    """
    seen = []
    for server in both.values():
        session = Session(server)
        seen.append([_seen(server.ask(*each)) for each in _conversation(session)])
    assert seen[0] == seen[1]
    assert {status for status, _, _ in seen[0]} == {200, 202, 400, 404}


@pytest.mark.parametrize("size", [1, 7, 100, 1000, 1 << 20])
def test_requests_are_answered_in_order_wherever_they_are_split(either: Server, size: int) -> None:
    """Test requirements E6 and M16: several requests on one connection, sent in pieces of `size` bytes, are answered in
    order.
    """
    session = Session(either)
    asked = [each for each in _conversation(session) if each[3] != b"{" and "Expect" not in each[2]]
    expected = [_seen(either.ask(*each)) for each in asked]
    sent = b"".join(_written(*each) for each in asked)
    with either.connect() as connection:
        for start in range(0, len(sent), size):
            connection.write(sent[start : start + size])
        assert [_seen(connection.answer()) for _ in asked] == expected


def _written(method: str, path: str, fields: Fields, body: bytes) -> bytes:
    lines = [f"{name}: {value}\r\n" for name, value in (fields | {"Host": "localhost"} | _length(body)).items()]
    return f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + body


def test_a_request_waits_for_the_one_before(either: Server) -> None:
    """Test requirement M16: a request waits for the one before on its own connection, but not for those on other
    connections.

    More requests wait on its own connection than aiohttp reads at a time.
    """
    session = Session(either)
    name = f"before {either.process.pid}"
    with either.connect() as connection:
        post(connection, calling("hold", 1, name=name))
        session.post(connection, call("echo", 2, text="c"))
        for number in range(3, 100):
            session.post(connection, request("ping", number))
        either.upstream.wait(name)
        assert session.ask(request("ping", 100)).message["id"] == 100
        either.upstream.release(name)
        assert [connection.answer().message["id"] for _ in range(99)] == [*range(1, 100)]


def test_many_requests_behind_one_in_two_parts_are_answered(either: Server) -> None:
    """Test requirement M16: requests that wait in the parser are served after a request whose body came late."""
    session = Session(either)
    large = _written("POST", "/mcp", session.fields, encoded(call("echo", 0, text="x" * 20_000)))
    head = large.index(b"\r\n\r\n") + 4
    small = b"".join(
        _written("POST", "/mcp", session.fields, encoded(request("ping", number))) for number in range(1, 61)
    )
    with either.connect() as connection:
        connection.write(large[:head])
        assert either.ask("GET", "/healthz").status == 200  # by now, the server has read the head
        connection.write(large[head:] + small)
        assert [connection.answer().message["id"] for _ in range(61)] == [*range(61)]


def test_a_call_runs_once_though_the_next_request_begins_to_arrive(either: Server) -> None:
    """Test requirement M16: bytes that arrive while a call runs do not run the call again."""
    name = f"once {either.process.pid}"
    with either.connect() as connection:
        post(connection, calling("hold", 1, name=name))
        either.upstream.wait(name)
        message = calling("echo", 2, text="next")
        later = _written("POST", "/mcp", mirrored(message), encoded(message))
        for part in (later[:20], later[20:40], later[40:]):
            connection.write(part)
            assert either.ask("GET", "/healthz").status == 200  # by now, the server has read this part
        either.upstream.release(name)
        assert [said(connection.answer().message) for _ in range(2)] == [f"/hold/{quote(name)}", "/echo/next"]
    assert either.upstream.requests.count(f"/hold/{quote(name)}") == 1


@pytest.mark.parametrize(
    ("path", "changed", "status"),
    [
        ("/mcp", {"Host": "evil.example"}, 421),
        ("/mcp", {"Origin": "https://evil.example"}, 403),
        ("/nothing", {}, 404),
        ("/mcp", {"Content-Type": "text/plain"}, 415),
        ("/mcp", {"Accept": "text/html"}, 406),
        ("/mcp", {"Mcp-Name": "other"}, 400),
        ("/mcp", {"Mcp-Method": "tools/list"}, 400),
        ("/mcp?again", {}, 200),
    ],
)
def test_a_head_that_differs_from_the_last_is_checked(either: Server, path: str, changed: Fields, status: int) -> None:
    """Test requirements E7 and P1: only a request with exactly the head of the last one skips checks of the head."""
    message = calling("echo", text="same")
    body = encoded(message)
    with either.connect() as connection:
        for _ in range(3):
            assert said(connection.ask("POST", "/mcp", mirrored(message), body).message) == "/echo/same"
        assert connection.ask("POST", path, mirrored(message) | changed, body).status == status
        assert said(connection.ask("POST", "/mcp", mirrored(message), body).message) == "/echo/same"


@pytest.mark.parametrize(("version", "fields"), [("1.1", "Connection: close\r\n"), ("1.0", "")])
def test_a_connection_that_is_to_be_closed_is(either: Server, version: str, fields: str) -> None:
    message = calling("echo", text="last")
    named = "".join(f"{name}: {value}\r\n" for name, value in mirrored(message).items())
    body = encoded(message)
    head = f"POST /mcp HTTP/{version}\r\nHost: localhost\r\n{fields}{named}Content-Length: {len(body)}\r\n\r\n"
    with either.connect() as connection:
        connection.write(head.encode() + body)
        assert said(connection.answer().message) == "/echo/last"
        assert connection.is_closed()


def test_a_connection_with_a_pending_call_is_not_idle(project: Path, upstream: Upstream) -> None:
    """Test requirement E6: only idle connections are closed after a while.

    A connection that waits for a body or a call stays open.
    """
    constants = {"KEEP_ALIVE_SECONDS": 0.2, "_BODY_FOLLOWS": 0.0}
    named = {f"http_server.doors.aiohttp_door.{name}": value for name, value in constants.items()}
    with Server(project, upstream, "aiohttp", named) as server, server.connect() as connection:
        body = encoded(calling("hold", 1, name="long"))
        connection.send("POST", fields={**mirrored(calling("hold", 1)), "Mcp-Name": "hold", **_length(body)})
        connection.write(body[:10])
        for _ in range(3):  # after these requests, aiohttp's task for the connection waits for the body
            assert server.ask("GET", "/healthz").status == 200
        connection.write(body[10:])
        upstream.wait("long")
        _until_idle_ones_are_closed(server)
        upstream.release("long")
        assert said(connection.answer().message) == "/hold/long"
        post(connection, calling("hold", 2, name="longer"))
        upstream.wait("longer")
        _until_idle_ones_are_closed(server)
        upstream.release("longer")
        assert said(connection.answer().message) == "/hold/longer"
        assert connection.is_closed()


def _length(body: bytes) -> Fields:
    return {"Content-Length": str(len(body))}


def _until_idle_ones_are_closed(server: Server) -> None:
    with server.connect() as idle:
        assert idle.ask("GET", "/healthz").status == 200
        assert idle.is_closed()


def test_a_fault_of_the_server_costs_one_connection(project: Path, upstream: Upstream) -> None:
    """Test requirement E7: a fault of the server is logged, closes one connection, and does not delay the end of the
    process.
    """
    broken: dict[str, Any] = {"http_server.streamable.event_stream.SILENCE": None}
    with Server(project, upstream, "aiohttp", broken) as server:
        with server.connect() as connection:
            answer = _echoed(connection, "broken")
            assert (answer.status, answer.field("connection")) == (500, "close")
            assert connection.is_closed()
        assert server.ask("GET", "/healthz").status == 200
        server.terminate()
        assert server.ended() == 0  # at this point all output of the server has been read
    assert any(b'"request_broke"' in line and b"TypeError" in line for line in server.written)


def _echoed(connection: Connection, text: str) -> Answer:
    message = calling("echo", text=text)
    return connection.ask("POST", "/mcp", mirrored(message), encoded(message))


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "\u2028"])
def test_a_field_that_takes_two_lines_is_not_written(value: str) -> None:
    """Test requirement P1: the fast path refuses a header field with a line break. aiohttp then refuses the whole
    response.
    """
    assert response_bytes(admission.Answer(200, b"{}", [("X-Field", value)])) is None
    assert response_bytes(admission.Answer(200, b"{}", [("X-Field", "a b")])) is not None


def test_a_newer_revision_is_not_served_in_a_session(either: Server) -> None:
    """Test requirement L5: a session refuses the stateless revision 2026-07-28, before and after its first request."""
    session = Session(either)
    for _ in range(2):
        answer = either.ask("POST", "/mcp", {**session.fields, "MCP-Protocol-Version": NEW}, encoded(request("ping")))
        assert answer.status == 400
        assert session.ask(request("ping", 1)).status == 200
