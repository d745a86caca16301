"""Test log messages over HTTP: they arrive on the stream of their request, at the level of the session, at any
replica.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from package.runtime.core.jsonrpc import parse
from package.runtime.http_server.streamable import session as session_notifications

from tests.streamable.conftest import TOOLS
from tests.streamable.listeners import wait_for_listeners, wait_for_setting
from tests.streamable.messages import META, Session, calling, encoded, post, request
from tests.streamable.servers import Server
from tests.streamable.test_changes import _generated
from tests.streamable.test_recent_sessions import Server as Replica
from tests.streamable.upstream import Upstream

DEBUG, ERROR = 0, 4
KEY = "k" * 32


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that offers log messages."""
    folder = tmp_path_factory.mktemp("telling")
    (folder / "caller.tools.yaml").write_text(
        TOOLS.read_text().replace("name: caller,", "name: caller, logging: true,")
    )
    _generated(folder / "caller.tools.yaml", folder / "caller")
    return folder / "caller"


def told(server: Server, session: Session) -> list[str]:
    """Make a call in a session, and return the levels of the log messages on the response stream; [] if the
    response is no stream.
    """
    with server.connect() as connection:
        session.post(connection, request("tools/call", 7, name="echo", arguments={"text": "a"}))
        head = connection.head()
        if head.field("content-type") == "application/json":
            return []
        *heard, last = connection.messages()
        assert last["id"] == 7
        return [each["params"]["level"] for each in heard]


def set_level(session: Session, level: str) -> None:
    answer = session.ask(request("logging/setLevel", 1, level=level))
    assert (answer.status, answer.message["result"]) == (200, {})


@pytest.mark.parametrize("door", ["aiohttp", "asgi"])
def test_a_level_belongs_to_its_session(telling: Path, upstream: Upstream, door: str) -> None:
    with Server(telling, upstream, door) as server:
        loud, quiet = Session(server), Session(server)
        set_level(loud, "debug")
        assert told(server, loud) == ["debug", "debug"]
        assert told(server, quiet) == []
        set_level(loud, "warning")
        assert told(server, loud) == []


def test_a_stateless_request_is_told_on_its_own_stream(telling: Path, upstream: Upstream) -> None:
    """Test requirement M12: log messages of a stateless request arrive on its own stream. A request without a level
    gets plain JSON.
    """
    with Server(telling, upstream, "aiohttp") as server, server.connect() as connection:
        loud, quiet = calling("echo", text="a"), calling("echo", text="a")
        loud["params"]["_meta"][META + "logLevel"] = "debug"
        post(connection, loud)
        connection.stream()
        first, second, last = connection.messages()
        assert first["params"] == {"level": "debug", "logger": "caller", "data": "Sends GET /echo/{text}."}
        assert second["params"]["data"].startswith("The API answered HTTP 200 OK with ")
        assert last["result"]["isError"] is False
        post(connection, quiet)
        assert connection.answer().message["result"]["isError"] is False


def test_another_replica_hears_of_the_level_from_the_store_alone(telling: Path, upstream: Upstream, store: str) -> None:
    with (
        Server(telling, upstream, "aiohttp", STORE=store, STATE_KEY=KEY) as one,
        Server(telling, upstream, "aiohttp", STORE=store, STATE_KEY=KEY) as other,
        Server(telling, upstream, "aiohttp", STATE_KEY=KEY) as apart,
    ):
        wait_for_listeners(store, 2)
        session = Session(one)
        assert told(other, session) == []
        set_level(session, "debug")
        while told(other, session) != ["debug", "debug"]:
            continue  # the store has not delivered the new level to the other replica yet
        assert told(apart, session) == []


def test_a_replica_that_starts_later_learns_the_level_from_the_store(
    telling: Path, upstream: Upstream, store: str
) -> None:
    with Server(telling, upstream, "aiohttp", STORE=store, STATE_KEY=KEY) as one:
        session = Session(one)
        wait_for_setting(store, lambda: set_level(session, "debug"))
        for _ in range(2):  # two replicas, one after the other: each must read the level from the store
            with Server(telling, upstream, "aiohttp", STORE=store, STATE_KEY=KEY) as later:
                while told(later, session) != ["debug", "debug"]:
                    continue  # the replica has not read the store yet
        with Server(telling, upstream, "aiohttp", STATE_KEY=KEY) as apart:
            assert told(apart, session) == []


def level_of(server: Replica, id_: str) -> int | None:
    settings = server.found(id_).protocol.notifications
    return settings.level if settings else None


def test_a_level_that_another_replica_granted_counts_until_the_session_ends() -> None:
    """Test requirement L6: a log level that the client has set at another replica counts until the session ends.

    An invalid level is ignored.
    """
    server = Replica()
    id_, other = server.begun(), server.begun()
    assert level_of(server, id_) is None
    for level in ("debug", "loud", "error"):
        server.handler.relayed(id_, parse(encoded(request("logging/setLevel", level=level))))
        assert level_of(server, id_) == (ERROR if level == "error" else DEBUG)
    assert level_of(server, other) is None
    server.handler.end(server.found(id_))
    assert len(server.handler._notifications) == 0


def test_the_levels_of_the_latest_sessions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_notifications, "MOST_NOTIFIED", 2)
    server = Replica()
    ids = [server.begun() for _ in range(3)]
    for id_ in (*ids, ids[0]):
        server.handler.relayed(id_, parse(encoded(request("logging/setLevel", level="debug"))))
    assert [level_of(server, id_) for id_ in ids] == [DEBUG, None, DEBUG]
