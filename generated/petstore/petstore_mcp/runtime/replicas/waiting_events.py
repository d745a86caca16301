# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Queue events of streams until they are written to the store. Callers take turns, and each has a share of it."""

from __future__ import annotations

import asyncio
from itertools import count

from ..core.limits import FairQueue, Places

MOST = 10_000
"""Largest number of events that wait for the store. No caller has more than `places.SHARE` of them."""


class WaitingEvents:
    """Queue of encrypted events, each with the name of its stream. Use the object in one event loop only."""

    def __init__(self) -> None:
        self._waiting: FairQueue[tuple[str, str, bytes]] = FairQueue()
        self._places = Places(MOST)
        self._keys = count()
        self._some, self._none = asyncio.Event(), asyncio.Event()
        self._none.set()

    def add(self, caller: str, stream: str, event: bytes, *, is_last: bool = False) -> bool:
        """Add an event of a stream. Return False if the share of `caller` is full. The last event is always added."""
        if not is_last and not self._places.has(caller):
            return False
        self._places.take(caller)
        self._waiting.add(caller, next(self._keys), (caller, stream, event))
        self._some.set()
        self._none.clear()
        return True

    async def next(self) -> tuple[str, bytes]:
        """Wait for an event, and return its stream and the event. The events of one caller keep their order."""
        await self._some.wait()
        found = self._waiting.next(lambda _: True)
        assert found is not None, "the queue has an event"
        caller, stream, event = found
        self._places.give(caller)
        if not self._waiting:
            self._some.clear()
        return stream, event

    def written(self) -> None:
        """Record that the event that `next` returned is in the store."""
        if not self._waiting:
            self._none.set()

    async def join(self) -> None:
        """Wait until all events are in the store."""
        await self._none.wait()
