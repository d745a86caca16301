# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""HTTP connections for `--http`: aiohttp's connection class with further limits and with inline requests.

The library aiohttp reads requests, and serves each in an asyncio task. Inline means: a small request that arrives whole
is taken from aiohttp's queue and served at once, without a task.

- Gain: a fifth of a small call's CPU time (docs/decisions/speed.md).
- Risk: aiohttp's queue of requests and its waiter (a future) are private attributes. Inline serving is used only with
  releases of aiohttp that `direct_requests` knows; with any other release, aiohttp's task serves each request.
- Test: `tests/streamable/test_inline.py` compares inline serving with serving in tasks.
- Switch off: `MCPGEN_TUNING=0`.
"""

from __future__ import annotations

import asyncio
import logging
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.http import RawRequestMessage
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong
from aiohttp.web_protocol import RequestHandler

from ...core import log
from ...http import descriptors
from ...serve.work import frames
from ...text.addresses import network
from ..requests.door import HEAD_SECONDS
from ..streamable import admission
from ..streamable.head import size_of
from .connection_places import ConnectionPlaces

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Protocol

    from aiohttp.streams import StreamReader

    from ...core.effects import Peer
    from ...http.deadlines import Deadlines
    from ..requests.inline_request import InlineRequest
    from ..service import Service
    from ..streamable.head import Answer, Head

    class Door(Protocol):
        """Interface of the HTTP server (`aiohttp_door.Door`) for its connections.

        `closing`: True if each connection closes after its next response.
        """

        closing: bool
        deadlines: Deadlines
        service: Service

        def expected(self, message: RawRequestMessage, address: str, former: Head | None) -> tuple[Head, Peer] | None:
            """Return the head of a request, and the client that sent it (verified name and network address).

            `former`: head that the connection has kept of an earlier request, or None.

            Return None if the request cannot be served inline (without the task that aiohttp runs for the connection).
            """


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
_EMPTY = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
_NO_ROOM = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n" + _EMPTY
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + _EMPTY


# Without aiohttp's tasks and objects, CPU time per call on one connection fell from 0.40 to 0.32 ms
# (docs/decisions/speed.md).
class HttpConnection(RequestHandler):
    """HTTP connection with a timeout for the head of each request (security requirement E6). If possible, a request is
    served inline: in `data_received`, without waking the task that aiohttp runs for the connection.

    Until it is answered, such a request stays in aiohttp's queue. So the requests of a connection are answered in
    order, and the task can take over a request that has begun inline.
    """

    __slots__ = (
        "_busy",
        "_expected",
        "_former",
        "_head_at",
        "_inline",
        "_late",
        "address",
        "door",
        "network",
        "places",
    )

    door: Door
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
        if self.places.enter(self):
            self._wait()
        else:
            self._refuse(_NO_ROOM)

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

        Raise ConnectionError if a response has begun.
        """
        if status >= 500 and exc is not None:
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

    # Methods for connections that give way to new ones (`connection_places`)

    def is_idle(self) -> bool:
        """Return True if no request with a complete head is being served."""
        return not self._messages and self._current_request is None

    def give_way(self) -> None:
        """Close the connection, with a response if a part of a head may have arrived."""
        if self._late is None:
            self.force_close()
        else:
            self._refuse(_NO_ROOM)

    # Methods that limit how long a client may take to send the head of a request

    def _wait(self) -> None:
        self._late = self._loop.call_later(HEAD_SECONDS, self._lose_patience)

    def _lose_patience(self) -> None:
        """Refuse the connection if it still waits for a head, but not if aiohttp is still discarding the rest of a
        body.
        """
        if self._waiter is not None:
            self._refuse(_TOO_SLOW)

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
        self._places = ConnectionPlaces(descriptors.reserve(MOST_CONNECTIONS))

    def __call__(self) -> RequestHandler:
        """Return the asyncio protocol object for a new connection."""
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
        handler.door = self._door
        handler.places = self._places
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
