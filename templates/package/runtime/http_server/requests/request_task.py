# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the call of an HTTP request in the same asyncio task that serves the request. Used under ASGI, where each request
has a task.

Most requests make one call, and their response is written after the end of the call. So the call needs no second task,
which saves two turns of the event loop. A response that begins before the end of the call, such as an event stream, is
written by another task.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..streamable import event_stream
from ..streamable.head import Answer
from .inline_request import MOST

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from ...http.deadlines import Deadlines
    from ...identity.identity import Identity
    from ..streamable.exchange import Exchange
    from .door import Connection
    from .response_writer import ResponseWriter


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
