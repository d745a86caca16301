# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Give out equal places, such as worker processes, to callers who wait in turns. Only the event loop imports this
module.
"""

from __future__ import annotations

import asyncio
from itertools import count

from .places import Places
from .turns import FairQueue


class FairPool:
    """Pool of `most` places. At most `most_waiting` tasks wait for a place, and callers take turns.

    No caller takes all places, nor all places of the queue (`places.SHARE`). Use a pool in one event loop only.
    """

    def __init__(self, most: int, most_waiting: int) -> None:
        self._places = Places(most)
        self._queued = Places(most_waiting)
        self._waiting: FairQueue[tuple[str, asyncio.Future[None]]] = FairQueue()
        self._keys = count()

    async def enter(self, caller: str, seconds: float | None) -> None:
        """Take a place for `caller`, who must call `leave` afterwards.

        Raise TimeoutError if no place is free within `seconds` (None: wait without limit), or at once if too many tasks
        wait.
        """
        if self._places.has(caller) and not self._waiting.has(caller):
            self._places.take(caller)
            return
        if not self._queued.has(caller):
            raise TimeoutError
        key, given = next(self._keys), asyncio.get_running_loop().create_future()
        self._queued.take(caller)
        self._waiting.add(caller, key, (caller, given))
        try:
            async with asyncio.timeout(seconds):
                await given
        except (TimeoutError, asyncio.CancelledError):
            self._waiting.remove(key)
            if not given.cancelled():  # `leave` gave a place just before this task was cancelled
                self.leave(caller)
            raise
        finally:
            self._queued.give(caller)

    def leave(self, caller: str) -> None:
        """Give a place of `caller` back, and give it to the next task that waits."""
        self._places.give(caller)
        while found := self._waiting.next(self._places.has):
            if not found[1].cancelled():
                self._places.take(found[0])
                found[1].set_result(None)
