# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve HTTP for `--http`, with aiohttp's low-level server in the event loop that makes the calls.

This module is one of two implementations of `door.Connection`; the other is `asgi_door`.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import HttpVersion11, web

from ...http import direct_requests
from ...http.deadlines import Deadlines
from ...http.descriptors import ACCEPTED_AT_ONCE
from ..requests.door import BODY_SECONDS, PIECE, WRITE_SECONDS, Broken, TooLarge, pieces, unheard
from ..streamable import admission
from ..streamable.head import Answer, Head, size_of
from .aiohttp_connections import MOST_CONNECTIONS, SERVER, ConnectionFactory, HttpConnection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aiohttp.http import RawRequestMessage

    from ...core.effects import Peer
    from ..requests.door import Request
    from ..service import Service
    from ..streamable.head import Fields

_MOST_INLINE = 16 * 1024
"""Largest body in bytes of a request that is served inline, that is, without aiohttp's task for the connection."""

_BACKLOG = 1024
"""Connections that the system holds until the event loop accepts them."""

_FORGET = struct.pack("ii", 1, 0)


class Door:
    """HTTP server at one address, which passes each request to the service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.closing = False
        self.deadlines = Deadlines()
        self._inline = direct_requests.usable()
        self._server = ConnectionFactory(self._handle, self)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=0.5)
        self._listener: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen at an address, and return the port. For port 0, the system chooses one. Raise OSError if it fails."""
        await self._runner.setup()
        loop = asyncio.get_running_loop()
        # asyncio accepts as many connections at once as its backlog says, before any of them is counted. So that number
        # is small, and then the backlog of the system is enlarged.
        self._listener = await loop.create_server(self._server, host, port, backlog=ACCEPTED_AT_ONCE)
        for listening in self._listener.sockets:
            with socket.socket(fileno=os.dup(listening.fileno())) as own:
                own.listen(_BACKLOG)
        return int(self._listener.sockets[0].getsockname()[1])

    def finish(self) -> None:
        """Close each connection after its next response."""
        self.closing = True

    async def stop(self) -> None:
        """Accept no more connections. Connections that the system has accepted before are still served.

        Without this, closing the listening socket would reset these connections, and their clients could not know if a
        request was read.
        """
        self.finish()
        if self._listener is None:
            return
        waiting = [each for listening in self._listener.sockets for each in _accepted(listening.fileno())]
        self._listener.close()
        for each in waiting:
            await asyncio.get_running_loop().connect_accepted_socket(self._server, each)

    async def close(self) -> None:
        """Close the connections that are still open after `stop`, and free the HTTP server's resources."""
        await self._runner.cleanup()

    # Checking the same head again took a twentieth of a small call. Only its access token may have expired since
    # (docs/decisions/speed.md).
    def expected(self, message: RawRequestMessage, address: str, former: Head | None) -> tuple[Head, Peer] | None:
        """Return the head of the request `message`, and the client that sent it (verified name and network address).

        Return None if the request cannot be served inline (without the task that aiohttp runs for the connection).
        `former`: head that the connection has kept of an earlier request, or None. A request with the same head gets
        the same object.
        """
        if not self._inline or message.method != "POST" or message.version != HttpVersion11:
            return None
        if self.closing or message.should_close or message.upgrade:
            return None
        if message.url.absolute:  # rare: only requests to proxies name a whole URL
            return None
        path, query, fields = (
            self.service.paths.find(message.url.raw_path),
            message.url.raw_query_string,
            message.raw_headers,
        )
        head = former if former is not None and former.is_of(path, query, fields) else None
        if head is None:
            if size_of(fields) > admission.LONGEST_HEAD:
                return None
            head = Head("POST", path, fields, address, query)
            if head.get("expect") is not None or admission.most_to_read(head) > _MOST_INLINE:
                return None
        peer = self.service.admit_inline(head)
        return None if peer is None else (head, peer)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        protocol = request.protocol
        assert isinstance(protocol, HttpConnection)
        connection = _Connection(request, protocol.take_head_at(), self.closing, self.deadlines)
        if (begun := protocol.take_inline()) is not None:
            await self.service.resume(begun, connection)
            return connection.response
        if size_of(request.raw_headers) > admission.LONGEST_HEAD:
            await connection.answer(admission.too_long())
            return connection.response
        url, path = request.rel_url, self.service.paths.find(request.rel_url.raw_path)
        head = Head(request.method, path, _fields(request), request.remote or "", url.raw_query_string)
        await self.service.handle(head, connection)
        return connection.response


def _fields(request: web.BaseRequest) -> Iterable[tuple[bytes, bytes]]:
    """Return the header fields. The host of a target that is a whole URL replaces `Host` (RFC 9112 section 3.2.2)."""
    if request.raw_path.startswith("/"):
        return request.raw_headers
    host = urlsplit(request.raw_path).netloc.encode("latin-1", "replace")
    return [(b"Host", host), *(each for each in request.raw_headers if each[0].lower() != b"host")]


def _accepted(listening: int) -> list[socket.socket]:
    """Accept and return all connections that wait at a listening socket."""
    found: list[socket.socket] = []
    with socket.socket(fileno=os.dup(listening)) as own:
        own.setblocking(False)
        while len(found) < MOST_CONNECTIONS:
            try:
                connection, _ = own.accept()
            except OSError:  # BlockingIOError: no more connections wait
                return found
            connection.setblocking(False)
            found.append(connection)
    return found


class _Connection:
    """One aiohttp request and its response."""

    def __init__(self, request: web.BaseRequest, head_at: float, closing: bool, deadlines: Deadlines) -> None:
        """Create the connection. `head_at`: time of the event loop at which the head was complete."""
        self.response: web.StreamResponse = web.Response(status=500)
        self.taken: Callable[[int], None] = unheard
        self._request = request
        self._head_at = head_at
        self._closing = closing
        self._deadlines = deadlines

    async def body(self, most: int) -> bytes:
        """Return the whole body.

        Raise TooLarge if it has more than `most` bytes, TimeoutError if it is late, and Broken if its framing is wrong.
        """
        if self._request.headers.get("Expect", "").lower() == "100-continue" and self._request.transport is not None:
            self._request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        read, size = [], 0
        try:
            waited = asyncio.get_running_loop().time() - self._head_at
            with self._deadlines.within(max(BODY_SECONDS - waited, 0.0)):
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
        fields = [*answer.fields, SERVER]
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
        self.response = web.StreamResponse(headers=[*fields, SERVER])
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
        """Close the connection at once. The system discards data that was not sent yet (TCP reset)."""
        transport = self._request.transport
        if transport is not None:
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _FORGET)
            transport.abort()

    def divert(self, to: Request | None) -> bool:
        """Return False: when the client disconnects, aiohttp always cancels the task, so `to.left()` is not called."""
        return False

    async def _prepare(self, closes: bool) -> None:
        if self._closing or closes:
            self.response.force_close()
        await self.response.prepare(self._request)

    async def _write(self, piece: memoryview) -> None:
        with self._deadlines.within(WRITE_SECONDS):
            await self.response.write(piece)
        self.taken(len(piece))
