# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve HTTP for `--http`, with aiohttp's low-level server in the event loop that makes the calls.

This is one of two implementations of `door.Connection`; the other is `asgi_door`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from ..core import log
from ..http.deadlines import Deadlines
from ..streamable import admission
from ..streamable.head import Answer, Head
from ..streamable.places import Places
from .door import BODY_SECONDS, HEAD_SECONDS, PIECE, WRITE_SECONDS, Broken, TooLarge, pieces, unheard
from .work import frames

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..streamable.head import Fields
    from .service import Service

KEEP_ALIVE_SECONDS = 75.0
"""Seconds that a connection stays open without a request. Load balancers close theirs after 60."""

MOST_CONNECTIONS = 4000
_MOST_FIELDS = 128
_LONGEST_FIELD = 16 * 1024
_SERVER = ("Server", "mcpgen")
_SILENT = logging.getLogger(f"{__name__}.requests")
_SILENT.disabled = True  # calls are logged elsewhere, and requests may contain private data
_FORGET = struct.pack("ii", 1, 0)
_EMPTY = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
_NO_ROOM = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n" + _EMPTY
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + _EMPTY


class Door:
    """HTTP server at one address, which passes each request to the service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._closing = False
        self._deadlines = Deadlines()
        self._server = _Server(self._handle)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=0.5)
        self._listener: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen at that address, and return the port. For port 0 the system chooses one. Raises OSError."""
        await self._runner.setup()
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(self._server, host, port, backlog=1024)
        return int(self._listener.sockets[0].getsockname()[1])

    def finish(self) -> None:
        """Close each connection after its next response."""
        self._closing = True

    async def stop(self) -> None:
        """Accept no more connections. Those that the system has accepted by now are served: closing the listening
        socket would reset them, and whoever has sent a request could not tell whether it was read.
        """
        self.finish()
        if self._listener is None:
            return
        waiting = [each for listening in self._listener.sockets for each in _accepted(listening.fileno())]
        self._listener.close()
        for each in waiting:
            await asyncio.get_running_loop().connect_accepted_socket(self._server, each)

    async def close(self) -> None:
        """Close the remaining connections."""
        await self._runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        connection = _Connection(request, self._closing, self._deadlines)
        if sum(len(name) + len(value) for name, value in request.raw_headers) > admission.LONGEST_HEAD:
            await connection.answer(admission.too_long())
            return connection.response
        url = request.rel_url
        head = Head(request.method, url.raw_path, request.raw_headers, request.remote or "", url.raw_query_string)
        await self._service.handle(head, connection)
        return connection.response


def _accepted(listening: int) -> list[socket.socket]:
    """Return the connections that wait at a listening socket."""
    found: list[socket.socket] = []
    with socket.socket(fileno=os.dup(listening)) as own:
        own.setblocking(False)
        while len(found) < MOST_CONNECTIONS:
            try:
                connection, _ = own.accept()
            except OSError:  # none waits any more
                return found
            connection.setblocking(False)
            found.append(connection)
    return found


class _Handler(RequestHandler):
    """HTTP connection with a timeout for the head of each request (E6)."""

    __slots__ = ("_address", "_late", "places")

    places: Places

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the timeout for the first head; refuse the connection if there are too many."""
        self._late: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self._address = _address(transport)
        has_room = self.places.has(self._address)
        self.places.take(self._address)
        if has_room:
            self._wait()
        else:
            self._refuse(_NO_ROOM)

    def data_received(self, data: bytes) -> None:
        """Keep the timeout running while a head is incomplete."""
        super().data_received(data)
        if self._messages or self._current_request is not None:
            self._rest()
        elif self._late is None:
            self._wait()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Stop the timeout and release the connection's place."""
        self._rest()
        self.places.give(self._address)
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the response to bytes that are no HTTP, or after an internal error, which is logged.

        Raises ConnectionError if a response has begun.
        """
        if status >= 500 and exc is not None:
            log.event("error", "request_broke", error=type(exc).__name__, at=frames(exc))
        if request.writer.output_size:
            raise ConnectionError
        answer = admission.broke() if status >= 500 else admission.unreadable(status)
        response = web.Response(status=status, body=answer.body, headers=[*answer.fields, _SERVER])
        response.force_close()
        return response

    def _wait(self) -> None:
        self._late = self._loop.call_later(HEAD_SECONDS, self._lose_patience)

    def _lose_patience(self) -> None:
        """Refuse the connection if it still waits for a head, but not while the rest of a body is being discarded."""
        if self._waiter is not None:
            self._refuse(_TOO_SLOW)

    def _refuse(self, answer: bytes) -> None:
        """Write this response and close the connection."""
        if self.transport is not None:
            self.transport.write(answer)
        self.force_close()

    def _rest(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class _Server(web.Server):
    """Factory of `_Handler` connections."""

    def __init__(self, handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]) -> None:
        super().__init__(handler, handler_cancellation=True)
        self._places = Places(MOST_CONNECTIONS)

    def __call__(self) -> RequestHandler:
        """Return the protocol object for a new connection."""
        handler = _Handler(
            self,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=KEEP_ALIVE_SECONDS,
            logger=_SILENT,
            access_log=_SILENT,
            auto_decompress=False,
            max_line_size=_LONGEST_FIELD,
            max_field_size=_LONGEST_FIELD,
            max_headers=_MOST_FIELDS,
            lingering_time=1.0,
        )
        handler.places = self._places
        return handler


class _Connection:
    """One aiohttp request and its response."""

    def __init__(self, request: web.BaseRequest, closing: bool, deadlines: Deadlines) -> None:
        self.response: web.StreamResponse = web.Response(status=500)
        self.taken: Callable[[int], None] = unheard
        self._request = request
        self._closing = closing
        self._deadlines = deadlines

    async def body(self, most: int) -> bytes:
        """Return the whole body. Raises TooLarge, TimeoutError or Broken."""
        if self._request.headers.get("Expect", "").lower() == "100-continue" and self._request.transport is not None:
            self._request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        read, size = [], 0
        try:
            with self._deadlines.within(BODY_SECONDS):
                async for piece in self._request.content.iter_any():
                    size += len(piece)
                    if size > most:
                        raise TooLarge
                    read.append(piece)
        except web.RequestPayloadError:
            raise Broken from None
        return read[0] if len(read) == 1 else b"".join(read)

    async def answer(self, answer: Answer) -> None:
        """Write a whole response."""
        fields = [*answer.fields, _SERVER]
        if len(answer.body) <= PIECE:
            self.response = web.Response(status=answer.status, body=answer.body, headers=fields)
            await self._prepare(answer.closes)
            await self.end()
            self.taken(len(answer.body))
            return
        self.response = web.StreamResponse(status=answer.status, headers=fields)
        self.response.content_length = len(answer.body)
        await self._prepare(answer.closes)
        await self.write(answer.body)
        await self.end()

    async def begin(self, fields: Fields) -> None:
        """Write the head of an event stream."""
        self.response = web.StreamResponse(headers=[*fields, _SERVER])
        await self._prepare(closes=False)

    async def write(self, data: bytes) -> None:
        """Write a part of the body."""
        for piece in pieces(data):
            await self._write(piece)

    async def end(self) -> None:
        """End the response."""
        with self._deadlines.within(WRITE_SECONDS):
            await self.response.write_eof()

    def abort(self) -> None:
        """Close the connection at once, and have the system discard data that has not been sent (TCP reset)."""
        transport = self._request.transport
        if transport is not None:
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _FORGET)
            transport.abort()

    async def _prepare(self, closes: bool) -> None:
        if self._closing or closes:
            self.response.force_close()
        await self.response.prepare(self._request)

    async def _write(self, piece: memoryview) -> None:
        with self._deadlines.within(WRITE_SECONDS):
            await self.response.write(piece)
        self.taken(len(piece))


def _address(transport: asyncio.BaseTransport) -> str:
    name = transport.get_extra_info("peername")
    return str(name[0]) if isinstance(name, tuple) else ""
