# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve HTTP for `--http`, with aiohttp's low-level server in the event loop that makes the calls.

This module is one of two implementations of `door.Connection`; the other is `asgi_door`.

The library aiohttp reads requests, and serves each in an asyncio task. Inline means: a small request that arrives whole
is taken from aiohttp's queue and served at once, without a task.

- Gain: a fifth of a small call's CPU time (docs/decisions/speed.md).
- Risk: aiohttp's queue of requests and its waiter (a future) are private attributes. Inline serving is used only with
  releases of aiohttp that `connections` knows; with any other release, aiohttp's task serves each request.
- Test: `tests/streamable/test_inline.py` compares inline serving with serving in tasks.
- Switch off: `MCPGEN_TUNING=0`.

Connections of clients are limited. If all places are taken, the connection that is idle for longest gives way. Before a
request is read, nobody knows who has opened a connection. So the network address counts as the caller. Clients that
open connections and send nothing displace their own connections, and not those of other networks.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
import sys
from email.utils import formatdate
from functools import lru_cache, partial
from http import HTTPStatus
from time import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import ClientConnectionResetError, HttpVersion11, web
from aiohttp.http import RawRequestMessage
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong
from aiohttp.web_protocol import RequestHandler

from ...core import limits, log
from ...core.limits import Deadlines, Places
from ...http import connections
from ...serve.scheduler import frames
from ...text.addresses import network
from ..requests.door import BODY_SECONDS, HEAD_SECONDS, PIECE, WRITE_SECONDS, Broken, TooLarge, pieces, unheard
from ..streamable import admission
from ..streamable.admission import Answer, Head, size_of
from .newcomers import NO_ROOM, TOO_SLOW, Newcomer, Newcomers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Protocol

    from aiohttp.streams import StreamReader

    from ..requests.door import Request
    from ..requests.request_task import InlineRequest
    from ..service import Service
    from ..streamable.admission import Fields, Peer

    class Connection(Protocol):
        """Interface of a connection (`HttpConnection`, `Newcomer`). It must be hashed by identity."""

        network: str

        def is_idle(self) -> bool:
            """Return True if no request with a complete head is being served."""

        def give_way(self) -> None:
            """Close the connection."""


class ConnectionPlaces:
    """The open connections of all clients, by network."""

    def __init__(self, most: int) -> None:
        self._places = Places(most)
        self._of: dict[str, dict[Connection, None]] = {}  # the connection whose last head is oldest comes first

    def enter(self, connection: Connection) -> bool:
        """Count a new connection. Return False if there is no place for it."""
        network = connection.network
        if not self._places.has(network):
            log.seldom("warning", "connections_full")
            crowded = self._places.largest() if self._places.is_full else network
            oldest = self._oldest_idle(crowded) or (self._oldest_idle(network) if crowded != network else None)
            if oldest is not None:
                self.leave(oldest)
                oldest.give_way()
            if not self._places.has(network):
                return False
        self._places.take(network)
        self._of.setdefault(network, {})[connection] = None
        return True

    def active(self, connection: Connection) -> None:
        """Record that a connection has sent the head of a request."""
        held = self._of.get(connection.network, {})
        if connection in held:
            held[connection] = held.pop(connection)

    def leave(self, connection: Connection) -> None:
        """Stop counting a connection. Do nothing if it is not counted."""
        held = self._of.get(connection.network, {})
        if connection not in held:
            return
        del held[connection]
        if not held:
            del self._of[connection.network]
        self._places.give(connection.network)

    def _oldest_idle(self, network: str) -> Connection | None:
        return next((each for each in self._of.get(network, ()) if each.is_idle()), None)


KEEP_ALIVE_SECONDS = 75.0
"""Seconds that a connection stays open without a request. Load balancers close idle connections after 60."""

MOST_CONNECTIONS = 4000
"""Largest number of open connections, if there are enough file descriptors."""

SERVER = ("Server", "mcpgen")
_BODY_FOLLOWS = 1.0
"""Seconds that the rest of a body may take for its request to be served inline. Many clients send head and body one
after the other.
"""

_LONGEST_KEPT = 4 * 1024
"""Size in bytes of the longest head that a connection keeps. An idle connection should take little memory."""

_SILENT = logging.getLogger(f"{__name__}.requests")
_SILENT.disabled = True  # aiohttp's access log would record private data; other modules log calls


# Without aiohttp's tasks and objects, CPU time per call on one connection fell from 0.40 to 0.32 ms
# (docs/decisions/speed.md).
class HttpConnection(RequestHandler):
    """HTTP connection with a timeout for the head of each request (security requirement E6). If possible, a request is
    served inline: in `data_received`, without waking the task that aiohttp runs for the connection.

    Until it is answered, such a request stays in aiohttp's queue. So the requests of a connection are answered in
    order, and the task can take over a request that has begun inline.
    """

    __slots__ = (
        "_busy", "_expected", "_former", "_head_at", "_inline", "_late", "address", "door", "network", "newcomer",
        "places",
    )  # fmt: skip

    door: Door
    newcomer: Newcomer | None
    places: ConnectionPlaces

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the timeout for the first head. Refuse the connection if too many connections are open."""
        self._late: asyncio.TimerHandle | None = None
        self._expected: tuple[Head, Peer] | None = None
        self._inline: InlineRequest | None = None
        self._former: Head | None = None  # head of the last request that was served inline, if it is short
        self._head_at: float | None = None  # when the head was complete of the request whose body is awaited
        self._busy = False  # True while this object, not aiohttp's task for the connection, serves a request
        super().connection_made(transport)
        self.address = _address(transport)
        self.network = network(self.address)
        newcomer, self.newcomer = self.newcomer, None
        if newcomer is not None:
            self.places.leave(newcomer)
        if not self.places.enter(self):
            self._refuse(NO_ROOM)
            return
        self._wait()
        if newcomer is not None:  # not at once: a request is served inline if aiohttp's task already waits for it
            self._loop.call_soon(self.data_received, newcomer.first)

    def data_received(self, data: bytes) -> None:
        """Serve a request inline (without aiohttp's task) if possible, else wake this task to serve the request.

        Stop the timeout for the request's head if the head is complete, else let the timeout run.
        """
        # Hide the future for which aiohttp's task waits: `super().data_received` would complete the future, and so wake
        # the task even for a request that is served inline.
        was_idle, task, self._waiter = self.is_idle(), self._waiter, None
        try:
            super().data_received(data)
        finally:
            self._waiter = task
        if not self.is_idle():
            self._rest()
            if was_idle:
                self.places.active(self)
        elif self._late is None:
            self._wait()
        waits = task is not None and not task.done() and not self._busy
        if waits and self._messages and not self._begins():
            self.hand_over()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Stop the timeout. Subtract this connection from the count of open connections."""
        self._rest()
        self.places.leave(self)
        super().connection_lost(exc)
        self._forget_expected()
        if (begun := self.take_inline()) is not None:
            begun.lost()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the response to bytes that are not HTTP, or the response after an internal error, which is logged.

        It is no error if the client has left (ClientConnectionResetError). Raise ConnectionError if a response has
        begun.
        """
        if status >= 500 and exc is not None and not isinstance(exc, ClientConnectionResetError):
            log.seldom("error", "request_broke", error=type(exc).__name__, at=frames(exc))
        if request.writer.output_size:
            raise ConnectionError
        if _is_too_long(exc):
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            answer = admission.too_long()
        else:
            answer = admission.broke() if status >= 500 else admission.unreadable(status)
        response = web.Response(status=status, body=answer.body, headers=[*answer.fields, SERVER])
        response.force_close()
        return response

    # Methods for requests that are served inline, that is, without the task that aiohttp runs for the connection

    def write_now(self, answer: Answer) -> bool:
        """Write a whole small response, and remove its request from the queue.

        Return False if the response cannot be written now, because the connection is being closed, or because the
        client has not read earlier data.
        """
        transport = self.transport
        if transport is None or transport.is_closing() or self.door.closing or transport.get_write_buffer_size():
            return False
        if (data := response_bytes(answer)) is None:
            return False
        transport.write(data)
        self._busy, self._inline = False, None
        self._messages.popleft()
        if self._parser is not None:
            self._parser.message_consumed()
        self._next_keepalive_close_time = self._loop.time() + KEEP_ALIVE_SECONDS
        if answer.closes:
            transport.close()
        else:
            self.hand_over()
        return True

    def hand_over(self) -> None:
        """Wake the task that aiohttp runs for the connection. It continues with the first request of the queue."""
        if self._messages and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def take_inline(self) -> InlineRequest | None:
        """Return the request that is being served inline (without an asyncio task), or None. The connection forgets the
        request, so the caller must either let a task answer it, or call the method `lost` of the request.
        """
        begun, self._inline, self._busy = self._inline, None, False
        return begun

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Resume reading after a pause. aiohttp also calls this method, for nothing, when the body of a request that is
        served inline is read: it is short, so reading was not paused.
        """
        if not self._busy or self._reading_paused or len(self._messages) > 1:
            super().resume_reading(resume_parser)

    def expire(self) -> None:
        """Give up serving a request inline, since the rest of its body is late. The task that aiohttp runs for the
        connection then reads the body and serves the request.
        """
        self._forget_expected()
        self.hand_over()

    def _begins(self) -> bool:
        """Serve the first request of the queue inline, or begin to wait for its body. Return True in both cases.

        Inline means: at once, without the task that aiohttp runs for the connection. Return False if only this task can
        serve the request.
        """
        message, payload = self._messages[0]
        first = self._expected is None
        if self._expected is None:
            if len(self._messages) > 1 or not isinstance(message, RawRequestMessage):
                return False
            self._expected = self.door.expected(message, self.address, self._former)
            if self._expected is not None and (head := self._expected[0]) is not self._former:
                self._former = head if size_of(message.raw_headers) <= _LONGEST_KEPT else None
        if self._expected is None or self._reading_paused or payload.exception() is not None:
            self._forget_expected()
            return False
        if payload.is_eof():
            self._serve(*self._expected, payload)
            return True
        if first:  # not again with each piece of a body that dribbles in
            self._head_at = self._loop.time()
            self.door.deadlines.begin(self, _BODY_FOLLOWS)
        return True

    def take_head_at(self) -> float:
        """Return when the head of the request that a task begins to serve was complete. Forget this time."""
        found, self._head_at = self._head_at, None
        return self._loop.time() if found is None else found

    def _serve(self, head: Head, peer: Peer, payload: StreamReader) -> None:
        self._forget_expected()
        self._head_at = None
        self._busy = True  # set this before reading the payload, since reading calls `resume_reading`
        body = payload.read_nowait()
        try:
            self._inline = self.door.service.begin_inline(head, peer, body, self)
            if self._inline is not None:
                self._inline.begin()
                return
            refusal = admission.busy()
        except Exception as problem:
            log.seldom("error", "request_broke", error=type(problem).__name__, at=frames(problem))
            refusal = admission.broke()
            if (begun := self.take_inline()) is not None:
                begun.lost()
        if not self.write_now(refusal):
            self.force_close()

    def _forget_expected(self) -> None:
        self._expected = None
        self.door.deadlines.end(self)

    def _process_keepalive(self) -> None:
        """Close the connection if it is idle.

        While a request is served inline (without aiohttp's task), aiohttp would take the connection for idle: check it
        again later.
        """
        if self._busy or self._expected is not None:
            self._next_keepalive_close_time = self._loop.time() + KEEP_ALIVE_SECONDS
        super()._process_keepalive()

    # Methods for connections that give way to new ones (`ConnectionPlaces`)

    def is_idle(self) -> bool:
        """Return True if no request with a complete head is being served."""
        return not self._messages and self._current_request is None

    def give_way(self) -> None:
        """Close the connection, with a response if a part of a head may have arrived."""
        if self._late is None:
            self.force_close()
        else:
            self._refuse(NO_ROOM)

    # Methods that limit how long a client may take to send the head of a request

    def _wait(self) -> None:
        self._late = self._loop.call_later(HEAD_SECONDS, self._lose_patience)

    def _lose_patience(self) -> None:
        """Refuse the connection if it still waits for a head, but not if aiohttp is still discarding the rest of a
        body.
        """
        if self._waiter is not None:
            self._refuse(TOO_SLOW)

    def _refuse(self, answer: bytes) -> None:
        """Write the response `answer` and close the connection."""
        if self.transport is not None:
            self.transport.write(answer)
        self.force_close()

    def _rest(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class ConnectionFactory(web.Server):
    """Factory of `HttpConnection` objects.

    `door` is the HTTP server that serves their requests (`aiohttp_door.Door`).
    """

    def __init__(self, handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]], door: Door) -> None:
        super().__init__(handler, handler_cancellation=True)
        self._door = door
        self.places = ConnectionPlaces(limits.reserve_descriptors(MOST_CONNECTIONS))

    def __call__(self, newcomer: Newcomer | None = None) -> RequestHandler:
        """Return the asyncio protocol object for a new connection, which takes the place of the newcomer."""
        handler = HttpConnection(
            self,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=KEEP_ALIVE_SECONDS,
            logger=_SILENT,
            access_log=_SILENT,
            auto_decompress=False,
            max_line_size=admission.LONGEST_FIELD,
            max_field_size=admission.LONGEST_FIELD,
            max_headers=admission.MOST_FIELDS,
            lingering_time=1.0,
        )
        handler.door, handler.newcomer, handler.places = self._door, newcomer, self.places
        return handler


def _is_too_long(problem: BaseException | None) -> bool:
    """Return True if aiohttp could not read a head because of a limit. aiohttp has no class for too many fields."""
    many = isinstance(problem, BadHttpMessage) and problem.message.startswith("Too many headers")
    return many or isinstance(problem, LineTooLong)


def _address(transport: asyncio.BaseTransport) -> str:
    name = transport.get_extra_info("peername")
    return str(name[0]) if isinstance(name, tuple) else ""


def response_bytes(answer: Answer) -> bytes | None:
    """Return a whole response as bytes (RFC 9112), or None if a header field cannot be written."""
    head = _head(answer.status, tuple(answer.fields), int(time()))
    if head is None or answer.status == HTTPStatus.NO_CONTENT:
        return head and head + b"\r\n"
    return b"%bContent-Length: %d\r\n\r\n%b" % (head, len(answer.body), answer.body)


@lru_cache(maxsize=16)  # cached, since most responses of one second have the same head
def _head(status: int, fields: tuple[tuple[str, str], ...], second: int) -> bytes | None:
    """Return status line and header fields, except Content-Length. Return None if a field cannot be written."""
    named = (*fields, SERVER, ("Date", formatdate(second, usegmt=True)))
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *map(": ".join, named), ""]
    text = "\r\n".join(lines)
    # One line break ends each line of the head. A further one is inside a field and would begin a forged field.
    if not text.count("\r") == text.count("\n") == len(lines) - 1:
        return None
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return None


_MOST_INLINE = 16 * 1024
"""Largest body in bytes of a request that is served inline, that is, without aiohttp's task for the connection."""

_FORGET = struct.pack("ii", 1, 0)


class Door:
    """HTTP server at one address, which passes each request to the service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.closing = False
        self.deadlines = Deadlines()
        self._inline = connections.usable()
        self._server = ConnectionFactory(self._handle, self)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=0.5)
        self._listener: asyncio.Server | None = None
        self._newcomers: Newcomers | None = None
        self._begun: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> int:
        """Listen at an address, and return the port. For port 0, the system chooses one. Raise OSError if it fails."""
        await self._runner.setup()
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(self._server, host, port, start_serving=False)
        port = int(self._listener.sockets[0].getsockname()[1])
        if sys.platform == "win32":  # its event loop cannot watch sockets, so connections are served at once
            await self._listener.start_serving()
            return port
        places = self._server.places
        self._newcomers = Newcomers(places.enter, places.leave, HEAD_SECONDS, self._begin)
        for listening in self._listener.sockets:
            self._newcomers.listen(listening.dup())
        self._listener.close()  # now each socket is closed right after the last connection was accepted there
        return port

    def finish(self) -> None:
        """Close each connection after its next response."""
        self.closing = True

    async def stop(self) -> None:
        """Accept no more connections. Connections that the system has accepted before are still served.

        Without this, closing the listening socket would reset these connections, and their clients could not know if a
        request was read.
        """
        self.finish()
        if self._newcomers is not None:
            await self._newcomers.stop()
        if self._listener is not None:
            self._listener.close()
        while self._begun:
            await asyncio.wait(self._begun)

    async def close(self) -> None:
        """Close the connections that are still open after `stop`, and free the HTTP server's resources."""
        if self._newcomers is not None:
            self._newcomers.close()
        await self._runner.cleanup()

    def _begin(self, newcomer: Newcomer) -> None:
        begun = asyncio.get_running_loop().create_task(self._connect(newcomer))
        self._begun.add(begun)
        begun.add_done_callback(self._begun.discard)

    async def _connect(self, newcomer: Newcomer) -> None:
        """Serve a connection. It is closed if the system refuses to go on with it, since its client has left."""
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(partial(self._server, newcomer), newcomer.socket)
        except OSError:
            self._server.places.leave(newcomer)
            newcomer.socket.close()

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
        except RuntimeError:  # aiohttp raises this also if the client has left
            if self._request.transport is None:
                raise Broken from None
            raise
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
