"""Test requirements E7 and E1 for Streamable HTTP: no call is lost when the process gets a signal to end, and the
process listens only at the addresses that the operator allows.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from package.runtime.http_server.doors.aiohttp_door import Door
from package.runtime.http_server.doors.asgi_door import Application
from package.runtime.http_server.requests.door import Connection
from package.runtime.http_server.service import Service
from package.runtime.http_server.streamable.admission import Answer, Head, OwnPaths

from tests.leaks import planted
from tests.streamable.messages import META, Session, call, calling, encoded, mirrored, post, said, stateless
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import PATIENCE, Upstream

LISTEN = stateless("subscriptions/listen", "listen", notifications={})
LINGERING = {"http_server.over_http.LINGER": 600.0}


@pytest.mark.parametrize("door", DOORS)
def test_what_is_under_way_ends_before_the_process_does(project: Path, upstream: Upstream, door: str) -> None:
    """End a server with open streams and calls: streams get their last message, calls their results, and new requests
    are refused.
    """
    with Server(project, upstream, door) as server:
        session = Session(server)
        with (
            server.connect() as listening,
            server.connect() as standing,
            server.connect() as new,
            server.connect() as old,
            server.connect() as idle,
        ):
            post(listening, LISTEN)
            listening.stream()
            listening.event()
            session.listen(standing)
            standing.stream()
            post(new, calling("hold", 1, name="new"))
            session.post(old, call("hold", 2, token=2, name="old"))
            old.stream()
            upstream.wait("new")
            assert idle.ask("GET", "/readyz").status == 200
            server.terminate()
            last = listening.messages()[-1]
            assert last["id"] == "listen"
            assert last["result"]["_meta"] == {META + "subscriptionId": "listen"}
            assert [each for each in standing.events() if each.data] == []
            if door == "aiohttp":  # on SIGTERM, uvicorn closes idle connections, so none can carry a request
                post(idle, LISTEN)
                assert idle.answer().status == 503
            upstream.release("new", "old")
            answer = new.answer()
            assert said(answer.message) == "/hold/new"
            assert said(old.messages()[-1]) == "/hold/old"
            assert server.ended() in (0, -15)  # uvicorn's exit code names the signal
        with pytest.raises(ConnectionRefusedError), server.connect():
            pass


def test_while_it_ends_it_says_so_and_serves(project: Path, upstream: Upstream) -> None:
    """Check that a server that is about to end reports it by `/readyz`, but still serves requests.

    Load balancers need a moment to notice. Each response then closes its connection.
    """
    with Server(project, upstream, "aiohttp", LINGERING) as server, server.connect() as open_before:
        assert open_before.ask("GET", "/healthz").field("connection") is None
        server.terminate()
        while (ready := server.ask("GET", "/readyz")).status == 200:
            continue
        assert (ready.status, ready.field("connection")) == (503, "close")
        assert server.ask("GET", "/healthz").status == 200
        message = calling("echo", text="late")
        assert said(server.ask("POST", fields=mirrored(message), body=encoded(message)).message) == "/echo/late"
        assert open_before.ask("GET", "/readyz").field("connection") == "close"
        assert open_before.is_closed()


@pytest.mark.parametrize("door", DOORS)
def test_what_does_not_end_in_time_is_cut_and_told(project: Path, upstream: Upstream, door: str) -> None:
    """Cancel calls that do not end in time. The client learns that the request may have taken effect."""
    with Server(project, upstream, door, {"http_server.service.GRACE": 0.2}) as server, server.connect() as connection:
        post(connection, calling("hold", 1, name="cut"))
        upstream.wait("cut")
        server.terminate()
        answer = connection.answer()
        assert answer.message["result"]["isError"]
        assert "stopped" in said(answer.message)
        server.ended()


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "mcp.example.com:0"])
def test_others_reach_it_only_where_the_operator_says_so(project: Path, address: str) -> None:
    """Test requirement E1: to listen at an address other than loopback, a server needs tokens for callers, or a setting
    that allows everybody.
    """
    command = [sys.executable, "-m", "caller_mcp", "--http", address]
    done = subprocess.run(
        command, cwd=project, env=planted("CALLER"), capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 78
    assert b"CALLER_HTTP_TOKENS" in done.stderr
    assert b"CALLER_HTTP_OPEN" in done.stderr
    assert done.stdout == b""


def test_a_port_that_is_taken_is_told(project: Path) -> None:
    """Test requirement E1: for a port that is in use, the server prints one sentence and ends with the exit code for
    wrong settings.
    """
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "-m", "caller_mcp", "--http", str(taken.getsockname()[1])]
        done = subprocess.run(
            command, cwd=project, env=planted("CALLER"), capture_output=True, timeout=PATIENCE, check=False
        )
    assert done.returncode == 78
    assert b"cannot use 127.0.0.1:" in done.stderr
    assert b"Address already in use" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(("address", "status"), [("127.0.0.1", 200), ("::1", 200), (None, 200), ("10.1.2.3", 403)])
def test_behind_a_server_of_asgi_others_reach_it_only_where_the_operator_says_so(
    address: str | None, status: int
) -> None:
    """Test requirement E1: unless the operator allows other machines, an ASGI application refuses a request to a server
    address other than loopback.

    The application does not learn this address when it starts, but only from each request.
    """
    told: list[dict[str, Any]] = []

    class Healthy:
        paths = OwnPaths(None)

        async def start(self) -> None:
            """Do nothing."""

        async def handle(self, head: Head, connection: Any) -> None:
            """Answer with status 200."""
            await connection.answer(Answer(200))

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: dict[str, Any]) -> None:
        told.append(message)

    scope = {"type": "http", "method": "GET", "path": "/mcp", "headers": [], "client": ("10.9.9.9", 1)}
    server = None if address is None else (address, 80)
    application = Application(lambda: cast("Service", Healthy()), guarded=False)
    asyncio.run(application({**scope, "server": server}, receive, send))
    assert told[0]["status"] == status


class _Welcoming:
    """Service that answers each request with 204."""

    paths = OwnPaths(None)

    async def handle(self, _head: Head, connection: Connection) -> None:
        await connection.answer(Answer(204))


def test_who_was_connected_when_it_stopped_listening_is_served() -> None:
    """Test requirement E7: serve a connection that the system accepted before the server stopped listening, but that
    the server has not seen.
    """

    async def scene() -> bytes:
        door = Door(cast(Service, _Welcoming()))
        port = await door.open("127.0.0.1", 0)
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
            client.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            await door.stop()
            client.setblocking(False)
            loop = asyncio.get_running_loop()
            answer = b"".join([part async for part in parts(loop, client)])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), PATIENCE)
        await door.close()
        return answer

    async def parts(loop: asyncio.AbstractEventLoop, client: socket.socket) -> AsyncIterator[bytes]:
        while part := await asyncio.wait_for(loop.sock_recv(client, 4096), PATIENCE):
            yield part

    assert asyncio.run(scene()).startswith(b"HTTP/1.1 204 ")
