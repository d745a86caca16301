# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remember in this process which one-time numbers were used. A shared store adds the numbers of other replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.limits import Places

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 100_000
"""Largest count of used numbers that are remembered until they expire. Beyond this count, no number is accepted."""

SHARE = 1 / 10
"""Largest fraction of MOST for one caller. A number must not be forgotten, so whoever exceeds the share is refused."""


class SpentNumbers:
    """Memory of used one-time numbers, such as the random number in each confirmation. `clock()` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._places = Places(MOST, SHARE)
        # used one-time number -> its expiry and who has used it, the number that was used first at the beginning
        self._used: dict[str, tuple[float, str]] = {}

    async def spend(self, number: str, seconds: float, caller: str) -> str:
        """Record for `seconds` seconds that `caller` has used a one-time number.

        Return "", `used` if it was used before, or `crowded` if too many numbers are remembered, of this caller or of
        all.
        """
        now = self._clock()
        while self._used and (oldest := next(iter(self._used.items())))[1][0] <= now:
            del self._used[oldest[0]]
            self._places.give(oldest[1][1])
        if number in self._used:
            return "used"
        if not self._places.has(caller):
            return "crowded"
        self._places.take(caller)
        self._used[number] = now + seconds, caller
        return ""

    def forget(self, number: str) -> None:
        """Forget a number that was used, because the store could not record it."""
        if found := self._used.pop(number, None):
            self._places.give(found[1])
