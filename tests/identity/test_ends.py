"""Test rule A8: the token of each request is checked, and streams end when their token expires.

The tests use revisions with a handshake and the stateless revision.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.identity.guarded import URL
from tests.identity.issuer import Issuer
from tests.streamable.client import Connection, Fields
from tests.streamable.messages import Session, call, encoded, mirrored, request, said, stateless
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import Upstream

LEEWAY = 30
QUIET = {"http_server.streamable.event_stream.SILENCE": 3600.0}
"""No keep-alive comments, so that reading fails after a while if a stream does not end."""

LIVES = (2, 10, 50)
"""Seconds for which a token is still accepted. On a busy machine it may expire before all streams have begun. Then the
next value is used.
"""


def bearer(token: str) -> Fields:
    """Return the Authorization header with `token`."""
    return {"Authorization": f"Bearer {token}"}


def listen(connection: Connection, fields: Fields) -> None:
    """Open a subscription stream of the stateless revision 2026-07-28 that waits for changes of the tools."""
    message = stateless("subscriptions/listen", 9, notifications={"toolsListChanged": True})
    connection.send("POST", fields={**mirrored(message), **fields}, body=encoded(message))


@pytest.mark.parametrize("door", [DOORS[0], pytest.param(DOORS[1], marks=pytest.mark.slow)])
def test_a8_streams_end_with_their_token(project: Path, upstream: Upstream, door: str) -> None:
    """Check that streams end when their token expires, even the stream of a call in a session.

    The client resumes that stream with its next token.
    """
    flags = ("--reload",) if door == "aiohttp" else ()
    trusted = {"HTTP_URL": URL, "AUTH_ISSUER": ""}
    with Issuer() as issuer:
        trusted["AUTH_ISSUER"] = issuer.name
        with Server(project, upstream, door, QUIET, flags, **trusted) as server:
            long = bearer(issuer.token(URL))
            for seconds in LIVES:
                short = bearer(issuer.token(URL, exp=time.time() - LEEWAY + seconds))
                session = Session(server, fields=long)
                held = call("hold", 7, token="p", name=f"{door}-{seconds}")
                with server.connect() as waiting, server.connect() as calling, server.connect() as new:
                    waiting.send("GET", fields={**session.fields, **short, "Accept": "text/event-stream"})
                    calling.send("POST", fields={**session.fields, **short}, body=encoded(held))
                    listen(new, short)
                    heads = [each.head().status for each in (waiting, calling, new)]
                    if 401 in heads:
                        continue
                    assert heads == [200, 200, 200] if flags else heads[:2] == [200, 200]
                    assert waiting.messages() == []
                    *_, last = calling.events()
                    if flags:
                        assert new.messages()[-1]["id"] == 9, "the stream of the new era ends with its result"
                break
            refused = server.ask("POST", "/mcp", {**session.fields, **short}, encoded(request("ping", 8)))
            assert refused.status == 401
            assert "has expired" in (refused.field("www-authenticate") or "")
            upstream.release(f"{door}-{seconds}")
            with server.connect() as resumed:
                session.resume(resumed, last.id or "")
                resumed.stream()
                assert said(resumed.messages()[-1]) == f"/hold/{door}-{seconds}"


def test_a8_the_token_of_a_repeated_head_expires(project: Path, upstream: Upstream) -> None:
    """Check that the token of each request is checked, even if the connection has sent the same head before."""
    with Issuer() as issuer, Server(project, upstream, "aiohttp", HTTP_URL=URL, AUTH_ISSUER=issuer.name) as server:
        message = stateless("tools/list")
        for seconds in LIVES:
            end = time.time() + seconds
            fields = {**mirrored(message), **bearer(issuer.token(URL, exp=end - LEEWAY))}
            with server.connect() as connection:
                status, accepted = 200, 0
                while status == 200:  # ask again until the token has expired
                    sent = time.time()
                    status = connection.ask("POST", "/mcp", fields, encoded(message)).status
                    assert status == 401 or sent < end + 1
                    accepted += status == 200
            if accepted > 1:
                break
        assert accepted > 1


@pytest.mark.slow
def test_a8_a_call_that_has_begun_is_answered(project: Path, upstream: Upstream) -> None:
    """A call whose response is no stream is answered after its token has expired, because it may have
    taken effect.
    """
    with Issuer() as issuer, Server(project, upstream, "aiohttp", HTTP_URL=URL, AUTH_ISSUER=issuer.name) as server:
        for seconds in LIVES:
            short = bearer(issuer.token(URL, exp=time.time() - LEEWAY + seconds))
            message = stateless("tools/call", name="hold", arguments={"name": f"call-{seconds}"})
            with server.connect() as connection, server.connect() as other:
                listen(other, short)
                if other.head().status == 401:
                    continue
                connection.send("POST", fields={**mirrored(message), **short}, body=encoded(message))
                upstream.wait(f"call-{seconds}")
                while server.ask("POST", "/mcp", {**mirrored(stateless("tools/list")), **short}).status != 401:
                    pass  # ask again until the token has expired
                upstream.release(f"call-{seconds}")
                assert connection.answer().status == 200
            break


@pytest.mark.slow
def test_a8_a_batch_that_has_begun_is_answered(project: Path, upstream: Upstream) -> None:
    """The stream of a batch (2025-03-26) cannot be resumed, so its calls are answered on this stream
    after the token has expired.
    """
    with Issuer() as issuer, Server(project, upstream, "aiohttp", HTTP_URL=URL, AUTH_ISSUER=issuer.name) as server:
        session = Session(server, "2025-03-26", fields=bearer(issuer.token(URL)))
        for seconds in LIVES:
            short = bearer(issuer.token(URL, exp=time.time() - LEEWAY + seconds))
            batch = [call("hold", 7, token="p", name=f"batch-{seconds}"), request("ping", 8)]
            with server.connect() as connection:
                connection.send("POST", fields={**session.fields, **short}, body=encoded(batch))
                if connection.head().status == 401:
                    continue
                while (
                    server.ask("POST", "/mcp", {**session.fields, **short}, encoded(request("ping", 9))).status != 401
                ):
                    pass  # ask again until the token has expired
                upstream.release(f"batch-{seconds}")
                [results] = [each for each in connection.messages() if isinstance(each, list)]
                assert sorted(each["id"] for each in results) == [7, 8]
            break
