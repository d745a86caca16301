# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remember used numbers in this process, for servers without a shared store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 100_000
"""Most used numbers remembered until they expire. Beyond this number, none is accepted."""


class SpentNumbers:
    """Numbers that this process has used up. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}  # earliest expiry first

    async def spend(self, number: str, seconds: float) -> str:
        """Use up a number for `seconds`. Return "", `used` if it was used before, or `crowded` if too many are
        remembered.
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
