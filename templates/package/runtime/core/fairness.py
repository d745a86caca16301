# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fairness among callers: no single caller may take all places, keep the others waiting, or fill a store. No I/O.

`Places` limits how many calls, streams, connections or request bytes are in use. In `FairQueue`, callers take turns,
and the calls of one caller keep their order. `FairPool` gives out equal places, such as worker processes, by turns. A
full store drops the oldest entries of the caller that has most (`displaced`), so a caller displaces its own first.
"""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Generic, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


SHARE = 3 / 4
"""Largest fraction of all places for one caller. It is large, since all callers behind a proxy may look like one.

Over stdio, the only client is named "" and may take all.
"""


class Places:
    """Limit on how many places are in use. A place is a call, a stream, a connection or a byte.

    The places in use are counted and limited both in total and per caller.
    """

    __slots__ = ("_most", "_of", "_share", "_taken")

    def __init__(self, most: int, share: float = SHARE) -> None:
        self._most = most
        self._share = most * share
        self._taken = 0
        self._of: dict[str, int] = {}

    def has(self, caller: str, many: int = 1) -> bool:
        """Return True if `caller` can take `many` more places (calls, streams, connections or bytes) without exceeding
        the limit per caller or the limit for all callers together.
        """
        of_all, of_one = self._taken + many, self._of.get(caller, 0) + many
        return of_all <= self._most and (of_one <= self._share or not caller)

    def take(self, caller: str, many: int = 1) -> None:
        """Count `many` more places (calls or bytes, for example) as in use by `caller`, without checking the limit."""
        self._taken += many
        self._of[caller] = self._of.get(caller, 0) + many

    def give(self, caller: str, many: int = 1) -> None:
        """Count `many` places (calls or bytes, for example) as no longer in use by `caller`."""
        self._taken -= many
        left = self._of.pop(caller, 0) - many
        if left:
            self._of[caller] = left

    @property
    def is_full(self) -> bool:
        """Return True if all places are in use."""
        return self._taken >= self._most

    def largest(self) -> str:
        """Return the caller with most places in use."""
        return max(self._of, key=lambda caller: self._of[caller], default="")


Waiting = TypeVar("Waiting")


class FairQueue(Generic[Waiting]):
    """Fair queue of waiting calls, in which callers take turns."""

    def __init__(self) -> None:
        self._of: dict[str, dict[int, Waiting]] = {}
        self._callers: dict[int, str] = {}

    def __bool__(self) -> bool:
        """Return whether any call waits."""
        return bool(self._callers)

    def __len__(self) -> int:
        """Return how many calls wait."""
        return len(self._callers)

    def has(self, caller: str) -> bool:
        """Return True if any call of `caller` waits."""
        return caller in self._of

    def add(self, caller: str, key: int, waiting: Waiting) -> None:
        """Add a call to the queue, after the other calls of its caller."""
        self._of.setdefault(caller, {})[key] = waiting
        self._callers[key] = caller

    def remove(self, key: int) -> Waiting | None:
        """Remove and return the call with this key, or return None if the queue does not contain this call."""
        caller = self._callers.pop(key, None)
        if caller is None:
            return None
        found = self._of[caller].pop(key)
        if not self._of[caller]:
            del self._of[caller]
        return found

    def next(self, may: Callable[[str], bool]) -> Waiting | None:
        """Remove and return the first call of the next caller for whom `may(caller)` is True.

        This caller then goes behind all other callers. Return None if no waiting call may run.
        """
        for caller in self._of:
            if may(caller):
                found = self.remove(next(iter(self._of[caller])))
                if caller in self._of:
                    self._of[caller] = self._of.pop(caller)
                return found
        return None


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


# When the oldest result was evicted first, one caller's results displaced those of all others
# (docs/decisions/results.md).
def displaced(held: Iterable[tuple[str, str, int]], latest: str, most: int, most_bytes: int) -> list[str]:
    """Return the names of the entries to drop, so that at most `most` entries and `most_bytes` bytes are left.

    `held` has name, caller and size in bytes of each entry, oldest first. `latest` is the name of the new entry. As
    long as there are too many bytes, the caller with most bytes loses its oldest entry; then, as long as there are too
    many entries, the caller with most entries. In a tie, the caller of the new entry loses. The new entry is not
    counted for its caller, and is dropped only if it does not even fit alone.
    """
    older = {name: (caller, size) for name, caller, size in held}
    own, new = older.pop(latest)
    entries: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for caller, size in older.values():
        entries[caller] = entries.get(caller, 0) + 1
        sizes[caller] = sizes.get(caller, 0) + size
    total, dropped = new + sum(sizes.values()), []
    while older and (total > most_bytes or len(older) >= most):
        shares = sizes if total > most_bytes else entries
        largest = max(shares, key=lambda caller: (shares[caller], caller == own))
        oldest = next(name for name, (caller, _) in older.items() if caller == largest)
        size = older.pop(oldest)[1]
        entries[largest] -= 1
        sizes[largest] -= size
        total -= size
        dropped.append(oldest)
    return [*dropped, latest] if total > most_bytes else dropped
