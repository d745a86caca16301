# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve an HTTP request with as few asyncio tasks as possible: inline, or in the task that its server already has.

**Inline** means in the same turn of the event loop in which the request arrives, without a task of its own. Most
requests arrive whole, and have one small response. Such a response is written in the turn of the loop in which its call
ends. Any other request is handed over to a task, for example a request whose response is an event stream. This saves
two tasks and four turns of the event loop for each request.

**Under ASGI**, each request has a task, and its call runs in the same task. Most requests make one call, and their
response is written after the end of the call. So the call needs no second task, which saves two turns of the event
loop. A response that begins before the end of the call, such as an event stream, is written by another task.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..streamable import event_stream
from ..streamable.admission import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ...core.limits import Deadlines
    from ...identity.identity import Identity
    from ..streamable.exchange import Exchange
    from .door import Connection, InlineDoor
    from .response_writer import ResponseWriter


MOST = 32 * 1024
"""Largest body in bytes of a response that is written inline: less than a connection buffers."""


class InlineRequest:
    """A request that is served inline, that is, without an asyncio task of its own.

    It ends when its response is written, when its client disconnects, or when an asyncio task takes over.
    """

    __slots__ = ("_deadlines", "_done", "_door", "_listens", "_lost", "caller", "exchange")

    def __init__(
        self,
        exchange: Exchange,
        caller: Identity | None,
        door: InlineDoor,
        deadlines: Deadlines,
        done: Callable[[], None],
        lost: Callable[[Exchange], None],
    ) -> None:
        """Create the request.

        `done` is called when it ends; if the client disconnects, `lost` is called before `done`.
        """
        self.exchange = exchange
        self.caller = caller
        self._door = door
        self._deadlines = deadlines
        self._done = done
        self._lost = lost
        self._listens = True

    def begin(self) -> None:
        """Write the response now if it is ready; otherwise write it as soon as it is ready."""
        self.exchange.changed = self._changed
        if self.exchange.parts:
            self._changed()
        else:
            self._deadlines.begin(self, event_stream.SILENCE)

    def expire(self) -> None:
        """Begin an event stream as the response, since the call has been silent for a while."""
        self.exchange.silent()

    def lost(self) -> None:
        """Stop serving the request, since its client has closed the connection."""
        self._rest()
        self._lost(self.exchange)
        self.over()

    def over(self) -> None:
        """Release the request's resources. An asyncio task that takes over the request calls `over` when it ends."""
        self._done()

    def _changed(self) -> None:
        """Write the response if it is small and complete; otherwise let an asyncio task serve the request."""
        if not self._listens:
            return
        self._rest()
        part = self.exchange.parts[0]
        if isinstance(part, Answer) and len(part.body) <= MOST and self._door.write_now(part):
            self.exchange.parts.clear()
            self.over()
        else:
            self._door.hand_over()

    def _rest(self) -> None:
        self._listens = False
        self._deadlines.end(self)


# A second asyncio task for the call would take a twentieth more instructions (docs/decisions/speed.md).
class RequestTask:
    """Wrapper of the asyncio task that serves a request. The same task can also run the tool call of the request."""

    __slots__ = ("_call", "_caller", "_connection", "_exchange", "_silences", "_task", "_writer", "_writing")

    def __init__(
        self, connection: Connection, caller: Identity | None, writer: ResponseWriter, silences: Deadlines
    ) -> None:
        """Create the wrapper. Call this in the asyncio task that serves the request on `connection`."""
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._connection = connection
        self._caller = caller
        self._writer = writer
        self._silences = silences
        self._call: Coroutine[Any, Any, None] | None = None
        self._exchange: Exchange | None = None
        self._writing: asyncio.Task[None] | None = None

    def start(self, call: Coroutine[Any, Any, None]) -> asyncio.Task[Any]:
        """Store the call, so that `respond` runs it in the task of this request, and return this task.

        If the HTTP server can only cancel this task when the client disconnects (aiohttp), start and return a separate
        task for the call instead.
        """
        if not self._connection.divert(self):
            return self._task.get_loop().create_task(call)
        self._call = call
        return self._task

    async def respond(self, exchange: Exchange) -> None:
        """Run the call that `start` has stored, if any, and write the response."""
        if self._call is not None:
            await self._run(self._call, exchange)
            self._connection.divert(None)
        if self._writing is not None:
            await self._writing
        elif exchange.parts and isinstance(part := exchange.parts[0], Answer) and len(part.body) <= MOST:
            await self._connection.answer(part)
        elif exchange.open:
            await self._writer.write(exchange, self._connection, self._caller)

    def left(self) -> bool:
        """Stop serving the request, since its client has closed the connection. This may cancel the call.

        Return False if the response is being written: `Connection.abort` must then end the request.
        """
        if self._exchange is None or self._writing is not None:
            return False
        self._writer.lost(self._exchange)
        return True

    def cancel(self) -> None:
        """Stop writing the response, but let the call go on."""
        (self._writing or self._task).cancel()

    def expire(self) -> None:
        """Begin an event stream as the response, since the call has been silent for a while."""
        if self._exchange is not None:
            self._exchange.silent()

    async def _run(self, call: Coroutine[Any, Any, None], exchange: Exchange) -> None:
        """Run the call to its end."""
        self._exchange, exchange.changed = exchange, self._changed
        self._silences.begin(self, event_stream.SILENCE)
        await call
        self._silences.end(self)
        while self._task.cancelling():  # forget cancellations: they were meant for the call, which has ended
            self._task.uncancel()

    def _changed(self) -> None:
        """Start an asyncio task that writes the response.

        If the call has just ended, start none: the asyncio task of the request writes the response.
        """
        exchange = self._exchange
        if exchange is None or self._writing is not None:
            return
        if isinstance(exchange.parts[0], Answer) and asyncio.current_task() is self._task:
            return
        self._silences.end(self)
        self._writing = self._task.get_loop().create_task(self._written(exchange))

    async def _written(self, exchange: Exchange) -> None:
        try:
            await self._writer.write(exchange, self._connection, self._caller)
        except TimeoutError:  # close the connection: the client does not read its response, so writing has timed out
            self._connection.abort()
