# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remember in this process which one-time numbers were used, for servers without a shared store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 100_000
"""Largest count of used numbers that are remembered until they expire. Beyond this count, no number is accepted."""


class SpentNumbers:
    """Memory of used one-time numbers, such as the random number in each confirmation. `clock()` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}  # maps each used one-time number to its expiry, the earliest expiry first

    async def spend(self, number: str, seconds: float) -> str:
        """Record for `seconds` seconds that a one-time number was used.

        Return "", `used` if it was used before, or `crowded` if too many numbers are remembered.
        """
        now = self._clock()
        if self._until.get(number, now) > now:
            return "used"
        while self._until and next(iter(self._until.values())) <= now:
            del self._until[next(iter(self._until))]
        if len(self._until) >= MOST:
            return "crowded"
        self._until[number] = now + seconds
        return ""
