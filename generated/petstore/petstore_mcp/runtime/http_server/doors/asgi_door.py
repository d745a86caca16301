# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve HTTP as an ASGI 3 application, under uvicorn, granian or hypercorn with their own workers.

This module is one of two implementations of `door.Connection`; the other is `aiohttp_door`.

The ASGI servers start and stop the worker processes. Each worker loads the application anew.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...core import log
from ...core.limits import Deadlines
from ...serve.scheduler import frames
from ..listening import is_loopback
from ..requests.door import BODY_SECONDS, PIECE, WRITE_SECONDS, TooLarge, pieces, unheard
from ..streamable import admission
from ..streamable.admission import Answer, Head

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from types import FrameType

    from ..requests.door import Request
    from ..service import Service
    from ..streamable.admission import Fields

    Handler = Callable[[int, FrameType | None], None]
    Scope = dict[str, Any]
    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]


WATCH_SECONDS = 0.1
"""Seconds after which a task begins to watch for the client's disconnect. Most requests end before and need no task."""


class Application:
    """ASGI application of one server. `make` creates the service within the worker's event loop."""

    def __init__(self, make: Callable[[], Service], guarded: bool) -> None:
        """Create the application. `guarded`: True if clients on other machines may connect."""
        self._make = make
        self._guarded = guarded
        self._service: Service | None = None
        self._starting = asyncio.Lock()
        self._deadlines: Deadlines | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI scope: the worker's lifespan, or a request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        service = await self._started()
        loop, draining = asyncio.get_running_loop(), asyncio.Event()
        _when_told_to_end(lambda: loop.call_soon_threadsafe(draining.set))
        drained = asyncio.ensure_future(_drained(service, draining))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        draining.set()
        await drained
        await service.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _started(self) -> Service:
        """Return the service. If the ASGI server sends no lifespan events, the first request starts the service."""
        async with self._starting:
            if self._service is None:
                service = self._make()
                await service.start()
                self._service = service
        return self._service

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        service = self._service or await self._started()
        self._deadlines = self._deadlines or Deadlines()
        connection = _Connection(receive, send, self._deadlines)
        client = scope.get("client")
        sent = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
        path = service.paths.find(sent, scope.get("root_path", ""))
        address, query = str(client[0]) if client else "", scope.get("query_string", b"").decode("latin-1")
        head = Head(scope["method"], path, scope["headers"], address, query)
        if not self._guarded and not _is_local(scope.get("server")):
            await connection.answer(admission.UNGUARDED)
            return
        if sum(map(len, chain.from_iterable(scope["headers"]))) > admission.LONGEST_HEAD:
            await connection.answer(admission.too_long())
            return
        await connection.handle(service.handle(head, connection))


async def _drained(service: Service, draining: asyncio.Event) -> None:
    """Wait until `draining` is set. Then let the service finish its pending calls."""
    await draining.wait()
    await service.drain()


def _when_told_to_end(act: Callable[[], object]) -> None:
    """Call `act` when the process gets SIGTERM or SIGINT, before the signal handler of the ASGI server.

    ASGI servers send the shutdown event only after the last response. But a stream of change notifications never ends
    by itself.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # do nothing: only the main thread can set signal handlers
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)
        if callable(before):  # skip SIG_DFL, SIG_IGN and None (a handler of C code)
            signal.signal(number, _both(act, before))


def _both(act: Callable[[], object], before: Callable[[int, FrameType | None], object]) -> Handler:
    def handle(number: int, frame: FrameType | None) -> None:
        act()
        before(number, frame)

    return handle


def _is_local(server: tuple[str, int | None] | None) -> bool:
    """Return True if the server's address is loopback or a Unix socket, which only this machine can reach."""
    return server is None or server[1] is None or is_loopback(server[0])


class _Connection:
    """One ASGI request and its response."""

    def __init__(self, receive: Receive, send: Send, deadlines: Deadlines) -> None:
        self.taken: Callable[[int], None] = unheard
        self._receive = receive
        self._send = send
        self._deadlines = deadlines
        self._head_at = asyncio.get_running_loop().time()
        self._read = asyncio.Event()
        self._whole = False
        self._begun = False
        self._lost = False
        self._left = False
        self._task: asyncio.Task[Any] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._request: Request | None = None

    async def handle(self, work: Coroutine[Any, Any, None]) -> None:
        """Serve the request by running `work`, as long as its client is connected. Log unexpected exceptions.

        If `abort` ends the request before its response began, and the client is still connected, respond with 503.
        Without a response, uvicorn would send 500.
        """
        self._task = task = asyncio.current_task()
        self._deadlines.begin(self, WATCH_SECONDS)
        try:
            await self._served(work)
            if self._lost:
                await asyncio.sleep(0)  # raise CancelledError here if `abort` cancelled this task while `_served` ended
        except asyncio.CancelledError:
            if task is None or not self._lost or task.uncancel():
                raise
            if not (self._begun or self._left):
                await self.answer(admission.busy())
        finally:
            self._deadlines.end(self)
            if self._watching is not None:
                self._watching.cancel()

    def expire(self) -> None:
        """Begin to watch for the client's disconnect, since the request takes long or its response is a stream."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _served(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except OSError:  # ASGI servers raise OSError if the client has disconnected
            return
        except Exception as problem:
            log.seldom("error", "request_broke", error=type(problem).__name__, at=frames(problem))
            if not self._begun:
                await self.answer(admission.broke())

    async def _watch(self) -> None:
        """Wait until the client has disconnected, then stop serving the request."""
        await self._gone()
        self._left = True
        if self._request is None or not self._request.left():
            self.abort()

    async def body(self, most: int) -> bytes:
        """Return the whole body.

        Raise TooLarge if it has more than `most` bytes, and TimeoutError if it does not arrive in time.
        """
        pieces, size = [], 0
        try:
            waited = asyncio.get_running_loop().time() - self._head_at
            with self._deadlines.within(max(BODY_SECONDS - waited, 0.0)):
                while not self._whole:
                    message = await self._receive()
                    if message["type"] == "http.disconnect":
                        raise asyncio.CancelledError
                    piece = message.get("body", b"")
                    size += len(piece)
                    if size > most:
                        raise TooLarge
                    pieces.append(piece)
                    self._whole = not message.get("more_body", False)
        finally:
            self._read.set()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def _gone(self) -> None:
        """Wait until the request is read, then until the client has disconnected.

        While `body` reads the request, it detects a disconnect itself.
        """
        await self._read.wait()
        while (await self._receive())["type"] != "http.disconnect":
            continue

    async def answer(self, answer: Answer) -> None:
        """Write a whole response."""
        length = [] if answer.status == 204 else [("Content-Length", str(len(answer.body)))]
        await self._begin(answer.status, [*answer.fields, *length])
        if len(answer.body) > PIECE:
            await self.write(answer.body)
            await self.end()
        else:
            await self._body(answer.body, more=False)

    async def begin(self, fields: Fields) -> None:
        """Write the head of an event stream."""
        self._read.set()  # nothing of the request is left to read, so `_gone` may wait for a disconnect
        self.expire()
        await self._begin(200, fields)

    async def write(self, data: bytes) -> None:
        """Write a part of the body."""
        for piece in pieces(data):
            await self._body(bytes(piece), more=True)

    async def end(self) -> None:
        await self._body(b"", more=False)

    def abort(self) -> None:
        """Cancel the request. If its response has not begun, `handle` sends 503; else the connection is closed."""
        if self._task is not None and not self._lost:
            self._lost = True
            (self._request or self._task).cancel()

    def divert(self, to: Request | None) -> bool:
        """Call `to.left()` when the client disconnects, instead of cancelling the asyncio task that serves the request.

        Return True, since an ASGI server tells the application that the client has disconnected.
        """
        self._request = to
        return True

    async def _begin(self, status: int, fields: Fields) -> None:
        self._begun = True
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in fields]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _body(self, data: bytes, more: bool) -> None:
        with self._deadlines.within(WRITE_SECONDS):
            await self._send({"type": "http.response.body", "body": data, "more_body": more})
        self.taken(len(data))
