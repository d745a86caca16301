"""Test connections before their first request, on real sockets: when each begins, and in which order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast
from unittest.mock import Mock

import pytest
from package.runtime.http_server.doors.aiohttp_door import ConnectionPlaces, Door
from package.runtime.http_server.doors.newcomers import Newcomer, Newcomers

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
PIECES: dict[str, tuple[list[bytes], bytes]] = {
    "a head in one piece": ([HEAD], HEAD),
    "a head byte by byte": ([HEAD[place : place + 1] for place in range(len(HEAD))], HEAD),
    "a head and the beginning of a body": ([HEAD + b"{"], HEAD + b"{"),
    "lines that end with a line feed alone": ([b"GET / HTTP/1.1\n", b"\n"], b"GET / HTTP/1.1\n\n"),
    "the beginning of TLS": ([b"\x16\x03\x01"], b"\x16\x03\x01"),
    "a line that is not HTTP/1": ([b"PRI * HTTP/2.0\r\n"], b"PRI * HTTP/2.0\r\n"),
    "a head without end": ([b"GET / HTTP/1.1\r\n", b"A: " + b"b" * 8192], b"GET / HTTP/1.1\r\nA: " + b"b" * 8192),
}
"""What a client sends, and the bytes with which its connection begins."""


class Begun:
    """Newcomers at a port of this machine, and those that have begun."""

    def __init__(self, most: int, seconds: float) -> None:
        self.order: list[Newcomer] = []
        self.places = ConnectionPlaces(most)
        self.all = Newcomers(self.places.enter, self.places.leave, seconds, self._begin)
        self._one = asyncio.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.all.listen(self._listening.dup())

    def _begin(self, newcomer: Newcomer) -> None:
        self.order.append(newcomer)
        self.places.leave(newcomer)
        newcomer.socket.close()
        self._one.set()

    async def wait(self, many: int) -> None:
        while len(self.order) < many:
            self._one.clear()
            await asyncio.wait_for(self._one.wait(), 60)

    async def close(self) -> None:
        await self.all.stop()
        self.all.close()
        self._listening.close()


@asynccontextmanager
async def begun(most: int = 64, seconds: float = 600.0) -> AsyncIterator[Begun]:
    found = Begun(most, seconds)
    try:
        yield found
    finally:
        await found.close()


@asynccontextmanager
async def client(port: int, address: str = "127.0.0.1") -> AsyncIterator[socket.socket]:
    with socket.socket() as found:
        found.bind((address, 0))
        found.setblocking(False)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(found, ("127.0.0.1", port))
        yield found


@pytest.mark.parametrize("row", PIECES)
def test_a_connection_begins_with_its_first_head(row: str) -> None:

    async def play() -> None:
        pieces, expected = PIECES[row]
        async with begun() as server, client(server.port) as connection:
            for place, piece in enumerate(pieces):
                assert not server.order, f"it begins before piece {place}"
                await asyncio.get_running_loop().sock_sendall(connection, piece)
                if place < len(pieces) - 1:
                    for _ in range(3):  # let the server read the piece
                        await asyncio.sleep(0)
            await server.wait(1)
            assert [each.first for each in server.order] == [expected]

    asyncio.run(play())


def test_networks_take_turns() -> None:
    """Let one network send many requests at once, and another one request. The other one does not wait for all."""

    async def play() -> None:
        async with begun() as server, AsyncExitStack() as clients:
            many = [await clients.enter_async_context(client(server.port, "127.0.0.2")) for _ in range(20)]
            one = await clients.enter_async_context(client(server.port, "127.0.0.3"))
            for each in [*many, one]:
                each.send(HEAD)
            await server.wait(21)
            assert [each.network for each in server.order].index("127.0.0.3") <= 4

    asyncio.run(play())


def test_connections_without_a_request_give_way_and_end() -> None:
    """Open more connections than there are places. The oldest gives way. The others are closed with the server."""

    async def play() -> None:
        async with begun(most=8) as server, AsyncExitStack() as clients:
            silent = [await clients.enter_async_context(client(server.port)) for _ in range(10)]
            loop = asyncio.get_running_loop()
            assert await loop.sock_recv(silent[0], 100) == b""
            last = await clients.enter_async_context(client(server.port))
            last.send(HEAD)
            await server.wait(1)
            await server.close()
            assert await loop.sock_recv(silent[-1], 100) == b""

    asyncio.run(play())


def test_a_late_head_is_refused() -> None:

    async def play() -> None:
        async with begun(seconds=0.0) as server, client(server.port) as connection:
            found = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(connection, 100), 60)
            assert found.startswith(b"HTTP/1.1 408 ")

    asyncio.run(play())


def test_a_connection_that_the_system_has_accepted_begins_at_the_end() -> None:
    """Send a request, and stop accepting before the event loop has seen its connection."""

    async def play() -> None:
        async with begun() as server:
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(HEAD)
                await server.all.stop()
            assert [each.first for each in server.order] == [HEAD]

    asyncio.run(play())


def test_a_connection_that_its_client_gave_up_holds_up_no_other() -> None:
    """Accept two connections, of which the system has aborted the first."""

    async def play() -> None:
        async with begun() as server:
            accepted, connection = socket.socketpair()
            listening = Mock()
            listening.accept.side_effect = [ConnectionAbortedError, (accepted, ("127.0.0.2", 1)), BlockingIOError]
            assert not server.all._accept(listening)
            with connection:
                connection.send(HEAD)
                await server.wait(1)

    asyncio.run(play())


def test_a_request_that_arrives_after_the_last_connections_is_served() -> None:
    """Stop accepting while the request of a connection is on its way."""

    async def play() -> None:
        async with begun() as server, client(server.port) as connection:
            stopping = asyncio.create_task(server.all.stop())
            await asyncio.sleep(0)
            connection.send(HEAD)
            await stopping
            assert [each.first for each in server.order] == [HEAD]

    asyncio.run(play())


def test_no_connection_is_accepted_that_nobody_serves() -> None:
    """Stop accepting at the sockets of a door. The door holds no other socket at which the system would go on."""

    async def play() -> None:
        door = Door(cast(Any, None))
        port = await door.open("127.0.0.1", 0)
        assert door._newcomers is not None
        await door._newcomers.stop()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
        await door.close()

    asyncio.run(play())
