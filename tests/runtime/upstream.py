"""Run an upstream on a raw socket. It records exact bytes, sends exact bytes or misbehaves, and parses nothing.

A play is a coroutine function that handles one connection. Everything runs in the test's event loop.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from ssl import SSLContext

from package.runtime.text.addresses import Address, parse

Play = Callable[["Connection"], Awaitable[None]]

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


class Connection:
    """One connection of a client to the upstream."""

    def __init__(self, upstream: Upstream, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._upstream = upstream
        self._reader = reader
        self._writer = writer

    async def request(self) -> bytes:
        """Return the bytes of the next request, or b"" if the client has closed the connection."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as rest:
            head = rest.partial
        length = re.search(rb"(?im)^content-length: *(\d+)", head)
        request = head + (await self._reader.readexactly(int(length[1])) if length else b"")
        if request:
            self._upstream.requests.append(request)
        return request

    async def send(self, data: bytes) -> None:
        self._upstream.bytes_sent += len(data)
        self._writer.write(data)
        await self._writer.drain()

    async def closed(self) -> None:
        """Wait until the client has closed its side."""
        with suppress(ConnectionError):
            while await self._reader.read(65536):
                pass

    def reset(self) -> None:
        """Reset the connection (TCP RST)."""
        self._writer.transport.abort()


class Upstream:
    """A running upstream: the requests that it received, and its port."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.bytes_sent = 0
        self.port = 0

    def address(self, path: str = "", host: str = "127.0.0.1", scheme: str = "http") -> Address:
        return parse(f"{scheme}://{host}:{self.port}{path}")


async def answer_ok(connection: Connection) -> None:
    """Answer every request with the response OK."""
    while await connection.request():
        await connection.send(OK)


def answer(*answers: bytes) -> Play:
    """Return a play (a handler of one connection) that answers one request. The connection is then closed.

    Each connection gets the next of the responses `answers`. When they run out, further connections get the last one.
    """
    left = list(answers)

    async def play(connection: Connection) -> None:
        if await connection.request():
            await connection.send(left.pop(0) if len(left) > 1 else left[0])

    return play


@asynccontextmanager
async def serving(play: Play = answer_ok, tls: SSLContext | None = None) -> AsyncIterator[Upstream]:
    """Run an upstream at a free port, and yield it. The coroutine function `play` handles each of its connections."""
    upstream = Upstream()
    running: set[asyncio.Task[None]] = set()
    writers: list[asyncio.StreamWriter] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        writers.append(writer)
        upstream.connections += 1
        try:
            with suppress(ConnectionError):
                await play(Connection(upstream, reader, writer))
        except asyncio.CancelledError:
            pass
        finally:
            running.discard(task)
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    upstream.port = server.sockets[0].getsockname()[1]
    try:
        yield upstream
    finally:
        server.close()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for writer in writers:  # `close` would wait for a client that has stopped reading
            with suppress(AttributeError):  # Python's transport has no event loop after it wrote its rest and closed
                writer.transport.abort()
        await asyncio.sleep(0)
