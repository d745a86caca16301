"""Test the cache of sessions: a cached session is found only by the principal for which its id was made, and only until
the id expires.
"""

from __future__ import annotations

from itertools import count
from typing import Any, cast

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.core.effects import Handshake
from package.runtime.http_server.sealed.seal import Seal
from package.runtime.http_server.streamable import session
from package.runtime.http_server.streamable.admission import Head, Peer
from package.runtime.http_server.streamable.exchange import Routes
from package.runtime.http_server.streamable.older import SessionHandler
from package.runtime.http_server.streamable.session import Session

HANDSHAKE = Handshake("2025-11-25", False, {"name": "tests"})
CATALOG = cast(Catalog, object())


class Server:
    """The session handling of one process. `now`: Unix time, which the test sets."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.seal = Seal([b"k" * 32], "caller/1", lambda: self.now)
        self.handler = SessionHandler(Routes(), count(1), self.seal, lambda: self.now, changes=False)

    def begun(self, principal: str = "alice") -> str:
        """Return the id of a new session of this principal."""
        return session.sealed(self.seal, principal, HANDSHAKE)

    def found(self, id_: str, principal: str = "alice") -> Any:
        """Return the session for a request with this id, or the error response if there is none."""
        head = Head("POST", "/mcp", [(b"Mcp-Session-Id", id_.encode())])
        return self.handler.find(head, Peer(principal), CATALOG)


@pytest.fixture
def server() -> Server:
    return Server()


def test_a_session_is_opened_once(server: Server) -> None:
    id_ = server.begun()
    assert isinstance(server.found(id_), Session)
    assert server.found(id_) is server.found(id_)


def test_a_cached_session_is_of_its_principal(server: Server) -> None:
    """Test requirement L4: other principals cannot use a session, neither before nor after its own principal does."""
    id_ = server.begun()
    for _ in range(2):
        assert server.found(id_, "bob").status == 404
        assert server.found(id_, "").status == 404
        assert isinstance(server.found(id_), Session)


def test_a_cached_session_expires(server: Server) -> None:
    """Test requirement L4: a cached session expires at the time that its id says."""
    id_ = server.begun()
    server.now += session.SECONDS - 1
    assert isinstance(server.found(id_), Session)
    server.now += 1
    assert server.found(id_).status == 404


def test_a_cached_session_ends_here(server: Server) -> None:
    """Test requirement L6: a session that was ended is not found in the cache."""
    id_ = server.begun()
    server.handler.end(server.found(id_))
    assert server.found(id_).status == 404


def test_a_cached_session_ends_at_another_replica(server: Server) -> None:
    """Test requirement L6: a session that another replica has ended is not found.

    The replica announces the digest of the session's id.
    """
    id_ = server.begun()
    server.handler.remember_ended(server.found(id_).digest, session.SECONDS)
    assert server.found(id_).status == 404


@pytest.mark.parametrize("changed", [lambda id_: id_[:-1] + chr(ord(id_[-1]) ^ 1), lambda id_: id_ + "=", str.lower])
def test_no_other_text_is_a_cached_session(server: Server, changed: Any) -> None:
    """Test requirement L4: a changed spelling of an id does not find the cached session."""
    id_ = server.begun()
    assert isinstance(server.found(id_), Session)
    assert server.found(changed(id_)).status == 404


def test_sessions_are_cached_up_to_a_number(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Test requirement X1: the sessions used last are cached, up to a limit. An older session is opened again from its
    id.
    """
    monkeypatch.setattr(session, "MOST_RECENT", 3)
    ids = [server.begun() for _ in range(4)]
    before = [server.found(id_) for id_ in ids[:3]]
    assert server.found(ids[0]) is before[0]
    assert isinstance(server.found(ids[3]), Session)
    assert server.found(ids[0]) is before[0]
    assert server.found(ids[1]) is not before[1]


def test_a_pending_request_keeps_its_session(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Test requirement L8: a session with a pending request is found although it is no longer in the cache."""
    monkeypatch.setattr(session, "MOST_RECENT", 1)
    id_ = server.begun()
    pending = server.found(id_)
    server.handler._keep(pending)
    server.found(server.begun())
    assert server.found(id_) is pending


def test_a_new_table_begins_anew(server: Server) -> None:
    id_ = server.begun()
    before = server.found(id_)
    server.handler.renew(lambda peer: CATALOG)
    assert server.found(id_) is not before
