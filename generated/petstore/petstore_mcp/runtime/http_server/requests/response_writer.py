# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the parts of a response as they become ready, while its client is connected, by either of the two HTTP servers.

The bytes of responses that clients have not read yet are limited. If the limit is exceeded, the connection of the
client that has read nothing for the longest time is closed. So clients that do not read cannot use up the memory that
other clients need. Bytes count as read when they have been written to the connection.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ...text.fields import is_value
from ..streamable import admission, event_stream
from ..streamable.admission import Answer
from ..streamable.exchange import Begin
from .door import Broken, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.limits import Deadlines
    from ...identity.guard import Guard
    from ...identity.identity import Identity
    from ..streamable.admission import Head
    from ..streamable.endpoint import Endpoint
    from ..streamable.exchange import End, Exchange
    from .door import Connection


MOST = 128 * 1024 * 1024


class UnreadBytes:
    """Counter of the bytes that clients have not read yet, with a limit for all clients together."""

    def __init__(self) -> None:
        self._readers: dict[Reader, None] = {}  # the client that has not read for the longest time comes first
        self._total = 0

    def grown(self, reader: Reader, size: int) -> None:
        """Add `size` unread bytes of a client (`reader`).

        While the limit is exceeded, close the connection of the client that has read nothing for the longest time.
        """
        self._readers.setdefault(reader)
        self._total += size
        while self._total > MOST and self._readers:
            next(iter(self._readers)).drop()

    def shrunk(self, reader: Reader, size: int) -> None:
        """Subtract bytes that a reader has read, and mark the reader as most recently active.

        Forget the reader if it has no unread bytes left.
        """
        del self._readers[reader]
        self._total -= size
        if reader.waiting:
            self._readers[reader] = None


class Reader:
    """One client that receives a response. `give_up()` closes its connection."""

    __slots__ = ("_give_up", "_unread", "waiting")

    def __init__(self, unread: UnreadBytes, give_up: Callable[[], None]) -> None:
        self._unread = unread
        self._give_up = give_up
        self.waiting = 0

    def add(self, size: int) -> None:
        """Count bytes that now wait for the client to read them."""
        if size:
            self.waiting += size
            self._unread.grown(self, size)

    def took(self, size: int) -> None:
        """Stop counting bytes as unread, since they were written to the connection or are discarded."""
        size = min(size, self.waiting)
        if size:
            self.waiting -= size
            self._unread.shrunk(self, size)

    def drop(self) -> None:
        """Close the client's connection, and stop counting its unread bytes."""
        self.took(self.waiting)
        self._give_up()


def given(head: Head, names: list[str]) -> dict[str, str]:
    """Return the header fields in `names` that can be sent on to the API. Omit fields that occur more than once."""
    found = {name: head.all(name) for name in names}
    return {name: values[0] for name, values in found.items() if len(values) == 1 and is_value(values[0])}


async def body(connection: Connection) -> bytes | Answer:
    """Return the body of a request, or the error response if it cannot be read."""
    try:
        return await connection.body(admission.LARGEST_BODY)
    except TooLarge:
        return admission.too_large()
    except TimeoutError:
        return admission.too_slow()
    except Broken:
        return admission.broken()


async def written(part: Answer | Begin | End | bytes, connection: Connection) -> bool:
    """Write a part of a response. Return True if it is the last part."""
    if isinstance(part, bytes):
        await connection.write(part)
        return False
    if isinstance(part, Begin):
        await connection.begin(part.fields)
        return False
    if isinstance(part, Answer):
        await connection.answer(part)
    else:
        await connection.end()
    return True


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
                    if await written(exchange.parts.popleft(), connection):
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
