"""Test requirements L7 to L12, M12 and M15 for Streamable HTTP: event streams of sessions and of stateless requests,
their messages, and how they are resumed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.streamable.messages import (
    META,
    NEW,
    OLD,
    Session,
    call,
    calling,
    encoded,
    meta,
    mirrored,
    notification,
    post,
    said,
    stateless,
)
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import Upstream

LISTEN = stateless("subscriptions/listen", "listen", notifications={"toolsListChanged": True})


@pytest.fixture
def session(server: Server) -> Session:
    return Session(server)


def test_progress_makes_an_answer_a_stream(server: Server) -> None:
    """Test requirement M12: a call with progress notifications gets an event stream. The result is its last event."""
    with server.connect() as connection:
        post(connection, calling("hold", "id", token="token", name="with progress"))
        connection.stream()
        told = connection.event()
        assert told.kind == "message"
        assert told.id is None
        assert told.retry is None
        assert told.message["method"] == "notifications/progress"
        assert told.message["params"]["progressToken"] == "token"
        server.upstream.release("with progress")
        *more, last = connection.messages()
        assert all(each["method"] == "notifications/progress" for each in more)
        assert last["id"] == "id"
        assert connection.ask("GET", "/healthz").status == 200


def test_an_answer_that_nothing_precedes_is_json(server: Server) -> None:
    """Test requirement M12: a call without notifications gets JSON, although its request asked for progress."""
    with server.connect() as connection:
        post(connection, calling("echo", token="token", text="x"))
        assert connection.answer().field("content-type") == "application/json"


def test_a_stream_of_changes_stays_open(server: Server) -> None:
    """Test requirement M15: a subscription stream begins with a confirmation and stays open.

    The client ends it by closing the connection.
    """
    with server.connect() as connection:
        post(connection, LISTEN)
        connection.stream()
        told = connection.event().message
        assert told["method"] == "notifications/subscriptions/acknowledged"
        assert told["params"]["_meta"] == {META + "subscriptionId": "listen"}
    bad = stateless("subscriptions/listen", notifications=1)
    answer = server.ask("POST", fields=mirrored(bad), body=encoded(bad))
    assert (answer.status, answer.message["error"]["code"]) == (400, -32602)


def test_a_session_has_one_stream_of_its_own(server: Server, session: Session) -> None:
    """Test requirement L7: a session may have one stream opened by GET at a time.

    After it was closed, another one may be opened.
    """
    with server.connect() as first, server.connect() as second:
        session.listen(first)
        first.stream()
        session.listen(second)
        assert second.answer().status == 409
    for _ in range(100):
        with server.connect() as again:
            session.listen(again)
            if again.head().status == 200:
                return
    raise AssertionError("the stream that was closed is still there")


@pytest.mark.parametrize("door", DOORS)
def test_a_stream_of_changes_that_was_lost_goes_on(project: Path, upstream: Upstream, door: str) -> None:
    """Test requirements L7 and L12: a session's stream can be resumed any number of times.

    The stream stays open, and no second stream is allowed.
    """
    with Server(project, upstream, door, {"http_server.streamable.event_stream.SILENCE": 0.05}) as server:
        session = Session(server)
        with server.connect() as lost:
            session.listen(lost)
            lost.stream()
            first = lost.event().id or ""
        for _ in range(2):
            with server.connect() as again, server.connect() as second:
                session.resume(again, first)
                again.stream()
                comments = again.events(comments=True)
                assert [next(comments).comment for _ in range(3)] == ["keep-alive"] * 3
                session.listen(second)
                assert second.answer().status == 409
        with server.connect() as before, server.connect() as later:
            session.resume(before, first)
            before.stream()
            session.resume(later, first)
            later.stream()
            assert [each for each in before.events() if each.data] == []
            assert next(later.events(comments=True)).comment == "keep-alive"


def test_a_stream_that_was_lost_is_forgotten(project: Path, upstream: Upstream) -> None:
    """Test requirement L12: to resume a stream too late is an error that says that there is nothing to resume."""
    constants = {"http_server.streamable.event_stream.SECONDS": 0.0, "http_server.service._SWEEP": 0.005}
    with Server(project, upstream, "aiohttp", constants) as server:
        session = Session(server)
        with server.connect() as lost:
            session.listen(lost)
            lost.stream()
            first = lost.event().id or ""
        for _ in range(1000):
            with server.connect() as again:
                session.resume(again, first)
                if again.head().status == 400:
                    return
    raise AssertionError("the stream that was lost is still there")


def test_a_question_goes_out_on_the_stream_of_its_call(server: Server, session: Session) -> None:
    """Test requirements L9 and L13: an elicitation request arrives on the stream of the call that needs the answer.

    The answer is a separate POST. An answer in another session has no effect.
    """
    with server.connect() as asking, server.connect() as listening:
        session.listen(listening)
        listening.stream()
        session.post(asking, call("remove", "call", id="asked"))
        asking.stream()
        question = next(each.message for each in asking.events() if each.data)
        assert question["method"] == "elicitation/create"
        reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}}
        stranger = Session(server)
        assert stranger.ask({**reply, "result": {"action": "decline"}}).status == 202
        assert session.ask(reply).status == 202
        assert session.ask({**reply, "result": {"action": "decline"}}).status == 202
        last = asking.messages()[-1]
        assert (last["id"], said(last)) == ("call", "/things/asked")
        session.end()
        assert [each for each in listening.events() if each.data] == []


def test_a_question_is_answered_by_another_call(server: Server) -> None:
    """Test requirement M17: a client answers an elicitation by repeating the call: over any connection, once, and only
    with the same arguments.
    """
    first = calling("remove", 1, id="confirmed")
    asked = server.ask("POST", fields=mirrored(first), body=encoded(first))
    assert asked.status == 200
    result = asked.message["result"]
    assert result["resultType"] == "input_required"
    answers = {
        "requestState": result["requestState"],
        "inputResponses": {"confirm": {"action": "accept", "content": {}}},
    }
    for thing, refused in (("other", True), ("confirmed", False), ("confirmed", True)):
        again = calling("remove", 2, id=thing)
        again["params"] |= answers
        answer = server.ask("POST", fields=mirrored(again), body=encoded(again))
        assert answer.message["result"]["isError"] == refused, answer
    assert server.upstream.requests.count("/things/confirmed") == 1
    assert "/things/other" not in server.upstream.requests


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18", OLD])
def test_a_stream_of_a_session_can_be_resumed_from_2025_11_25_on(server: Server, revision: str) -> None:
    """Test requirement L11: streams can be resumed from revision 2025-11-25 on.

    Older clients cannot read the first event, which has empty data.
    """
    session = Session(server, revision)
    with server.connect() as connection:
        session.post(connection, call("hold", 1, token=1, name=f"resumable {revision}"))
        connection.stream()
        first, second = connection.event(), connection.event() if revision == OLD else None
        if revision != OLD:
            assert first.id is None
            assert first.retry is None
            assert first.data
        else:
            assert second is not None
            assert first.data == ""
            assert first.retry is not None
            assert 300 <= first.retry <= 3000
            assert first.id is not None
            stream, _, number = first.id.rpartition("-")
            assert (second.id, number) == (f"{stream}-1", "0")
            assert second.data
        server.upstream.release(f"resumable {revision}")
        assert connection.messages()[-1]["id"] == 1


def broken(server: Server, session: Session, name: str) -> str:
    """Start a call, and close its connection after its first events. Return the id of the first event."""
    with server.connect() as connection:
        session.post(connection, call("hold", "call", token="token", name=name))
        connection.stream()
        first = connection.event()
        assert connection.event().data
        assert first.id is not None
        return first.id


def test_a_call_goes_on_without_its_connection(server: Server, session: Session) -> None:
    """Test requirements L10 and L12: a call continues without its connection.

    A resumed stream gets the remaining events once, and the response last.
    """
    first = broken(server, session, "resumed")
    with server.connect() as again:
        session.resume(again, first)
        again.stream()
        event = again.event()
        assert event.id == first[:-1] + "1"
        assert event.message["method"] == "notifications/progress"
        server.upstream.release("resumed")
        rest = [event for event in again.events() if event.data]
        assert [event.id for event in rest] == [first[:-1] + str(number) for number in range(2, 2 + len(rest))]
        assert said(rest[-1].message) == "/hold/resumed"
        last = rest[-1].id or ""
    with server.connect() as late:
        session.resume(late, first[:-1] + "1")
        late.stream()
        assert late.messages()[-1]["id"] == "call"
    assert not server.upstream.left["resumed"].is_set()
    with server.connect() as connection:
        session.resume(connection, last)
        assert connection.answer().status == 204, "so that a client stops"
    for nothing in (first[:-1] + "99", first.replace("-", "x-"), "x", "", "-1", f"{first}0", "é-1"):
        with server.connect() as connection:
            session.resume(connection, nothing)
            assert connection.answer().status == 400, nothing
    stranger = Session(server)
    with server.connect() as connection:
        stranger.resume(connection, first)
        assert connection.answer().status == 400


def test_who_comes_again_takes_over(server: Server, session: Session) -> None:
    """Test requirement L12: further events go only to the stream that was resumed last."""
    with server.connect() as first, server.connect() as second, server.connect() as third:
        session.post(first, call("hold", "call", token="token", name="taken over"))
        first.stream()
        beginning = first.event().id or ""
        assert first.event().data
        session.resume(second, beginning)
        second.stream()
        assert [each for each in first.events() if each.data] == []
        assert second.event().data
        session.resume(third, beginning)
        third.stream()
        assert [each for each in second.events() if each.data] == []
        server.upstream.release("taken over")
        assert third.messages()[-1]["id"] == "call"


def test_a_cancelled_request_ends(server: Server, session: Session) -> None:
    """Test requirement L10: a cancelled request ends without a response, and its request to the API is closed."""
    for name, token in (("cancelled", None), ("cancelled with progress", "token")):
        with server.connect() as connection:
            session.post(connection, call("hold", name, token=token, name=name))
            server.upstream.wait(name)
            if token:
                connection.stream()
                connection.event()
            assert session.ask(notification("notifications/cancelled", requestId=name)).status == 202
            if token:
                assert [each for each in connection.messages() if "id" in each] == []
            else:
                assert connection.answer()[::2] == (202, b"")
            server.upstream.wait_until_left(name)


def test_nobody_cancels_for_another(server: Server, session: Session) -> None:
    """Test requirements L13 and M11: a cancellation in another session, or by a stateless request, does not affect a
    request with the same id.
    """
    stranger = Session(server)
    with server.connect() as connection:
        session.post(connection, call("hold", "mine", name="cancelled by another"))
        server.upstream.wait("cancelled by another")
        cancel = notification("notifications/cancelled", requestId="mine")
        assert stranger.ask(cancel).status == 202
        new = notification("notifications/cancelled", requestId="mine", _meta=meta())
        fields = {**mirrored(new), "MCP-Protocol-Version": NEW}
        assert server.ask("POST", fields=fields, body=encoded(new)).status == 202
        server.upstream.release("cancelled by another")
        assert said(connection.answer().message) == "/hold/cancelled%20by%20another"


@pytest.mark.parametrize("token", [None, "token"], ids=["as JSON", "as a stream"])
def test_closing_the_connection_cancels_in_the_new_era(server: Server, token: str | None) -> None:
    """Test requirement M14: if a client of revision 2026-07-28 closes its connection, the request to the API is closed,
    too.
    """
    name = f"closed {token}"
    with server.connect() as connection:
        post(connection, calling("hold", 1, token=token, name=name))
        server.upstream.wait(name)
        if token:
            connection.stream()
            connection.event()
    server.upstream.wait_until_left(name)


@pytest.mark.parametrize("door", DOORS)
def test_silence_is_broken(project: Path, upstream: Upstream, door: str) -> None:
    """Test requirements M12, M15 and L7: the server sends comments so that proxies do not close a stream.

    If a response is late, the server begins an event stream with such comments, and sends the response on it.
    """
    with Server(project, upstream, door, {"http_server.streamable.event_stream.SILENCE": 0.05}) as server:
        session = Session(server)
        for era, message in ((NEW, calling("hold", 1, name="silent")), (OLD, call("hold", 1, name="silent"))):
            with server.connect() as connection:
                if era == NEW:
                    post(connection, message)
                else:
                    session.post(connection, message)
                connection.stream()
                comments = (each.comment for each in connection.events(comments=True) if not each.id)
                assert [next(comments), next(comments)] == ["keep-alive", "keep-alive"]
                if era == OLD:
                    upstream.release("silent")
                    assert connection.messages()[-1]["id"] == 1
        with server.connect() as connection:
            post(connection, LISTEN)
            connection.stream()
            found = connection.events(comments=True)
            assert "acknowledged" in next(found).data
            assert next(found).comment == "keep-alive"
        with server.connect() as connection:
            session.listen(connection)
            connection.stream()
            found = connection.events(comments=True)
            assert next(found).id
            assert next(found).comment == "keep-alive"
