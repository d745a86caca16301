"""Test requirements L1 to L6, L14 and L15 for Streamable HTTP: sessions, in revisions with a handshake."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.streamable.client import Fields
from tests.streamable.messages import (
    JSON,
    NEW,
    OLD,
    Session,
    call,
    encoded,
    mirrored,
    notification,
    request,
    said,
    stateless,
)
from tests.streamable.servers import Server

LIST = request("tools/list")
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", OLD)


@pytest.fixture
def session(server: Server) -> Session:
    return Session(server)


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_session_begins(server: Server, revision: str) -> None:
    """Test requirements L1 and R2: `initialize` gets JSON, with a session id that cannot be guessed and that every
    proxy accepts.
    """
    first, second = Session(server, revision), Session(server, revision)
    assert first.greeting.message["result"]["protocolVersion"] == revision
    assert first.greeting.field("content-type") == "application/json"
    assert first.id != second.id
    assert len(first.id) >= 128 // 6
    assert all("!" <= character <= "~" for character in first.id)


def test_no_session_begins_with_an_error(server: Server) -> None:
    """Test requirement L1: an `initialize` with an error begins no session."""
    answer = server.ask("POST", fields=JSON, body=encoded(request("initialize")))
    assert answer.message["error"]["code"] == -32602
    assert answer.field("mcp-session-id") is None


def test_a_session_begins_once(server: Server, session: Session) -> None:
    """Test requirement L1: a second `initialize` within a session is refused."""
    hello = request("initialize", protocolVersion=OLD, capabilities={})
    assert server.ask("POST", fields={**JSON, "Mcp-Session-Id": session.id}, body=encoded(hello)).status == 400


def test_the_id_of_an_ended_session_hinders_no_new_one(server: Server, session: Session) -> None:
    """Test that clients come back which send the id of their ended session with `initialize`, or any other id."""
    hello = request("initialize", protocolVersion=OLD, capabilities={})
    assert server.ask("DELETE", fields={"Mcp-Session-Id": session.id}).status == 204
    for named in (session.id, "A" * 200):
        answer = server.ask("POST", fields={**JSON, "Mcp-Session-Id": named}, body=encoded(hello))
        assert answer.status == 200
        assert answer.field("mcp-session-id") not in (None, named)


@pytest.mark.parametrize(
    "message",
    [
        notification("notifications/initialized"),
        notification("notifications/cancelled", requestId="none"),
        notification("x"),
        {"jsonrpc": "2.0", "id": "none", "result": {}},
        {"jsonrpc": "2.0", "id": "none", "error": {"code": 1, "message": "x"}},
    ],
    ids=["initialized", "cancelled", "any", "result", "error"],
)
def test_what_wants_no_answer_gets_none(session: Session, message: object) -> None:
    """Test requirement L2: notifications and responses of the client are accepted with 202 and an empty body."""
    answer = session.ask(message)
    assert (answer.status, answer.body) == (202, b"")


def test_requests_come_before_the_handshake_is_over(session: Session) -> None:
    """Test requirements L2 and L14: requests are served before `notifications/initialized`.

    Each response has the id of its request unchanged.
    """
    for id_ in (0, -1, "", "text", "größe", 2**63):
        answer = session.ask(call("echo", id_, text="x"))
        assert (answer.status, answer.message["id"]) == (200, id_)
        assert said(answer.message) == "/echo/x"
    assert session.ask(request("ping")).message["result"] == {}
    assert session.ask(request("x/y")).message["error"]["code"] == -32601


class Row(NamedTuple):
    """Header fields to change or add in the requests of a session ("": to remove), and the expected status of POST, GET
    and DELETE.
    """

    requirement: str
    name: str
    fields: Fields
    post: int
    get: int
    delete: int


ROWS = [
    Row("L3", "no session", {"Mcp-Session-Id": ""}, 400, 400, 400),
    Row("L4", "an unknown session", {"Mcp-Session-Id": "x"}, 404, 404, 404),
    Row("L4", "a session that nobody sealed", {"Mcp-Session-Id": "A" * 200}, 404, 404, 404),
    Row("L4", "two sessions", {"mcp-session-id": "x"}, 404, 404, 404),
    Row("L5", "a revision that there is not", {"MCP-Protocol-Version": "1999-01-01"}, 400, 400, 400),
    Row("L5", "no revision at all", {"MCP-Protocol-Version": "x y"}, 400, 400, 400),
    Row("L5", "two revisions", {"MCP-Protocol-Version": OLD, "mcp-protocol-version": OLD}, 400, 400, 400),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.requirement} {row.name}")
def test_the_head_names_the_session(server: Server, session: Session, row: Row) -> None:
    fields = {name: value for name, value in {**session.fields, **row.fields}.items() if value}
    assert server.ask("POST", fields=fields, body=encoded(LIST)).status == row.post
    assert server.ask("GET", fields={**fields, "Accept": "text/event-stream"}).status == row.get
    assert server.ask("DELETE", fields=fields).status == row.delete


@pytest.mark.parametrize("named", REVISIONS)
@pytest.mark.parametrize("agreed", ["2025-03-26", OLD])
def test_the_revision_is_the_one_that_was_agreed_on(server: Server, agreed: str, named: str) -> None:
    """Test requirement L5: the revision of the handshake counts, even if the header names another revision with a
    handshake.
    """
    session = Session(server, agreed)
    fields = {**session.fields, "MCP-Protocol-Version": named}
    answer = server.ask("POST", fields=fields, body=encoded([LIST]))
    assert answer.status == (200 if agreed == "2025-03-26" else 400)


def test_the_new_era_needs_no_session(server: Server, session: Session) -> None:
    """Test requirements M10, R1 and R4: a stateless request is served without regard to a session id in its header."""
    message = stateless("tools/list")
    fields = {**mirrored(message), "Mcp-Session-Id": session.id}
    answer = server.ask("POST", fields=fields, body=encoded(message))
    assert answer.message["result"]["resultType"] == "complete"
    assert answer.field("mcp-session-id") is None
    assert server.ask("GET", fields={**session.fields, "MCP-Protocol-Version": NEW, "Accept": "*/*"}).status == 405


def test_a_session_ends(session: Session) -> None:
    """Test requirement L6: after a session was deleted, its id is unknown."""
    assert session.ask(LIST).status == 200
    ended = session.end()
    assert (ended.status, ended.body) == (204, b"")
    assert session.ask(LIST).status == 404
    assert session.end().status == 404


def test_what_is_under_way_ends_with_its_session(server: Server, session: Session) -> None:
    """Test requirement L6: when a session is deleted, its calls are cancelled, and its streams end."""
    with server.connect() as held, server.connect() as listening, server.connect() as other:
        session.post(held, call("hold", "held", name="ends with its session"))
        server.upstream.wait("ends with its session")
        session.listen(listening)
        listening.stream()
        survivor = Session(server)
        survivor.post(other, call("echo", 1, text="x"))
        assert session.end().status == 204
        assert held.answer().message["error"]["code"] == -32800
        assert [each for each in listening.events() if each.data] == []
        assert other.answer().status == 200
    server.upstream.wait_until_left("ends with its session")
    with server.connect() as listening:
        session.listen(listening)
        assert listening.answer().status == 404


def test_a_batch_is_answered_by_one_array(server: Server) -> None:
    """Test requirement L15: a batch gets one array of responses, only in revision 2025-03-26."""
    session = Session(server, "2025-03-26")
    batch = [call("echo", 1, text="a"), notification("x"), request("ping", 2), request("x/y", 3), {"id": 4}]
    answer = session.ask(batch)
    assert answer.status == 200
    assert answer.field("content-type") == "application/json"
    found = {each.get("id"): each for each in answer.message}
    assert said(found[1]) == "/echo/a"
    assert found[2]["result"] == {}
    assert found[3]["error"]["code"] == -32601
    assert len(answer.message) == 4
    assert session.ask([notification("x")]).status == 202
    assert session.ask([]).status == 400
    assert session.ask([{"jsonrpc": "2.0", "id": "x", "result": {}}]).status == 202


@pytest.mark.parametrize("left", [True, False], ids=["with another call", "alone"])
def test_a_batch_ends_when_its_calls_are_cancelled(server: Server, left: bool) -> None:
    """Test requirements L15 and L10: cancelled calls of a batch have no response, and the other calls have theirs."""
    session = Session(server, "2025-03-26")
    name = f"of a batch {left}"
    with server.connect() as connection:
        session.post(connection, [call("hold", "held", name=name), *([request("ping", "p")] if left else [])])
        server.upstream.wait(name)
        assert session.ask(notification("notifications/cancelled", requestId="held")).status == 202
        answer = connection.answer()
        if left:
            assert [each["id"] for each in answer.message] == ["p"]
        else:
            assert (answer.status, answer.body) == (202, b"")


def test_an_id_names_one_request_at_a_time(server: Server, session: Session) -> None:
    """Test requirement L14: an id cannot be used again before its request is answered."""
    with server.connect() as held:
        session.post(held, call("hold", "same", name="same id"))
        server.upstream.wait("same id")
        assert session.ask(call("echo", "same", text="x")).message["error"]["code"] == -32600
        server.upstream.release("same id")
        assert said(held.answer().message) == "/hold/same%20id"
    assert said(session.ask(call("echo", "same", text="x")).message) == "/echo/x"
