"""Test subscriptions to polled resources over HTTP: on the stream of a session, and on that of a stateless request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.streamable.client import Connection
from tests.streamable.conftest import TOOLS
from tests.streamable.listeners import wait_for_listeners, wait_for_setting
from tests.streamable.messages import META, Session, post, request, stateless
from tests.streamable.servers import Server
from tests.streamable.test_changes import _generated
from tests.streamable.upstream import Upstream

QUICK: dict[str, float] = {"watching.poller.TICK": 0.05}
URI = "caller://count"
KEY = "k" * 32


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with a resource that changes each time it is polled."""
    folder = tmp_path_factory.mktemp("watching")
    polled = '  - {name: count, uri: "caller://count", request: GET /count, poll: 1s}\n'
    (folder / "caller.tools.yaml").write_text(TOOLS.read_text().replace("tools:\n", f"{polled}tools:\n", 1))
    _generated(folder / "caller.tools.yaml", folder / "caller")
    return folder / "caller"


def subscribed(session: Session, method: str = "resources/subscribe") -> None:
    assert session.ask(request(method, 1, uri=URI)).message["result"] == {}


def listening(server: Server, session: Session) -> Connection:
    connection = server.connect()
    session.listen(connection)
    connection.stream()
    connection.event()
    return connection


@pytest.mark.parametrize("door", ["aiohttp", "asgi"])
def test_a_session_is_told_on_its_stream(watching: Path, upstream: Upstream, door: str) -> None:
    """Test requirement L7: a session is notified, whether it subscribes before or after it opens its stream.

    Sessions never see each other's notifications.
    """
    with Server(watching, upstream, door, QUICK) as server:
        early, late, other = Session(server), Session(server), Session(server)
        subscribed(early)
        with listening(server, early) as first, listening(server, late) as second, listening(server, other):
            subscribed(late)
            told = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": URI}}
            assert first.event().message == told
            assert second.event().message == told
            subscribed(late, "resources/unsubscribe")
            assert first.event().message == told
        assert other.ask(request("resources/subscribe", 1, uri="caller://nothing")).message["error"]["code"] == -32002


def test_who_watches_much_leaves_polls_for_others(tmp_path_factory: pytest.TempPathFactory, upstream: Upstream) -> None:
    """Let one session watch four resources, and another one more, where two are polled: one of each session."""
    folder = tmp_path_factory.mktemp("many")
    lines = [f'  - {{name: c{n}, uri: "caller://c{n}", request: GET /count, poll: 1s}}\n' for n in range(5)]
    (folder / "caller.tools.yaml").write_text(TOOLS.read_text().replace("tools:\n", f"{''.join(lines)}tools:\n", 1))
    _generated(folder / "caller.tools.yaml", folder / "caller")
    with Server(folder / "caller", upstream, "aiohttp", {**QUICK, "watching.poller.MOST": 2}) as server:
        greedy, modest = Session(server), Session(server)
        with listening(server, greedy), listening(server, modest) as stream:
            for number in range(4):
                greedy.ask(request("resources/subscribe", 1, uri=f"caller://c{number}"))
            modest.ask(request("resources/subscribe", 1, uri="caller://c4"))
            assert stream.event().message["params"] == {"uri": "caller://c4"}
        assert len([line for line in server.written if b"too_many_polls" in line]) == 1


def test_a_stateless_stream_is_told(watching: Path, upstream: Upstream) -> None:
    """Test requirement M15: a stateless subscription stream is notified of the resources that the server polls."""
    with Server(watching, upstream, "aiohttp", QUICK) as server, server.connect() as connection:
        post(connection, stateless("subscriptions/listen", "w", notifications={"resourceSubscriptions": [URI, "a:b"]}))
        connection.stream()
        assert connection.event().message["params"]["notifications"] == {"resourceSubscriptions": [URI]}
        told = connection.event().message
        assert told["params"] == {"_meta": {META + "subscriptionId": "w"}, "uri": URI}
    assert set(upstream.requests) == {"/count"}


def test_the_replica_with_the_stream_hears_of_the_subscription(watching: Path, upstream: Upstream, store: str) -> None:
    with (
        Server(watching, upstream, "aiohttp", QUICK, STORE=store, STATE_KEY=KEY) as one,
        Server(watching, upstream, "aiohttp", QUICK, STORE=store, STATE_KEY=KEY) as other,
    ):
        wait_for_listeners(store, 2)
        session = Session(one)
        with listening(other, session) as connection:
            subscribed(session)
            assert connection.event().message["params"] == {"uri": URI}


def test_a_replica_that_starts_later_knows_the_subscription(watching: Path, upstream: Upstream, store: str) -> None:
    with Server(watching, upstream, "aiohttp", QUICK, STORE=store, STATE_KEY=KEY) as one:
        session = Session(one)
        wait_for_setting(store, lambda: subscribed(session))
        with (
            Server(watching, upstream, "aiohttp", QUICK, STORE=store, STATE_KEY=KEY) as later,
            listening(later, session) as connection,
        ):
            assert connection.event().message["params"] == {"uri": URI}
