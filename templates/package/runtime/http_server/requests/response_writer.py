# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the parts of a response as they become ready, while its client is connected."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..streamable import event_stream
from ..streamable.exchange import Begin
from . import transfer
from .unread import Reader, UnreadBytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...http.deadlines import Deadlines
    from ...identity.guard import Guard
    from ...identity.identity import Identity
    from ..streamable.endpoint import Endpoint
    from ..streamable.exchange import Exchange
    from .door import Connection


class Silence:
    """Deadline for silence: when it expires, a keep-alive or the head of an event stream is sent."""

    __slots__ = ("_exchange",)

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def expire(self) -> None:
        """Begin an event stream, or send a keep-alive on an event stream that has begun."""
        self._exchange.silent()


class ResponseWriter:
    """Writer of all HTTP responses of a service. `lost` is called for each exchange whose client has disconnected."""

    def __init__(
        self, silences: Deadlines, endpoint: Endpoint, guard: Guard | None, lost: Callable[[Exchange], None]
    ) -> None:
        self._silences = silences
        self._endpoint = endpoint
        self._guard = guard
        self.lost = lost
        self._unread = UnreadBytes()

    async def write(self, exchange: Exchange, connection: Connection, caller: Identity | None) -> None:
        """Write the parts of the response until the last part, or until the client disconnects.

        A stream is closed when the access token of its caller expires (security requirement A8).
        """
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] | None = None
        end: asyncio.TimerHandle | None = None
        reader, known = Reader(self._unread, connection.abort), 0
        connection.taken = reader.took

        def wake() -> None:
            nonlocal known
            reader.add(exchange.size - known)
            known = exchange.size
            if waiting is not None and not waiting.done():
                waiting.set_result(None)

        exchange.changed = wake
        wake()
        try:
            while True:
                while exchange.parts:
                    if caller is not None and self._guard is not None and isinstance(exchange.parts[0], Begin):
                        end = loop.call_later(self._guard.seconds_left(caller), self._endpoint.expire, exchange)
                    if await transfer.written(exchange.parts.popleft(), connection):
                        return
                waiting = loop.create_future()
                await self._awaited(waiting, exchange)
        except BaseException:
            self.lost(exchange)
            raise
        finally:
            reader.took(reader.waiting)
            if end is not None:
                end.cancel()

    async def _awaited(self, waiting: asyncio.Future[None], exchange: Exchange) -> None:
        """Wait until `exchange` has a part to write.

        After a period of silence, `exchange` gets one: the head of an event stream, or a keep-alive on an open stream.
        """
        silence = Silence(exchange)
        self._silences.begin(silence, event_stream.SILENCE)
        try:
            await waiting
        finally:
            self._silences.end(silence)
