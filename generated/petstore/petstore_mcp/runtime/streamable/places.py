# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limit calls, streams, connections and request bytes by a number of places. Pure.

No caller may take all places, so that some are always left for other callers.
"""

from __future__ import annotations

SHARE = 3 / 4
"""Largest share of one caller. It is large, since all callers behind one proxy may look like one."""


class Places:
    """Counter of taken places, in total and per caller, up to a limit."""

    __slots__ = ("_most", "_of", "_taken")

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._of: dict[str, int] = {}

    def has(self, caller: str, many: int = 1) -> bool:
        """Return whether that caller may take `many` places."""
        of_all, of_one = self._taken + many, self._of.get(caller, 0) + many
        return of_all <= self._most and of_one <= self._most * SHARE

    def take(self, caller: str, many: int = 1) -> None:
        """Take `many` places, without checking the limit."""
        self._taken += many
        self._of[caller] = self._of.get(caller, 0) + many

    def give(self, caller: str, many: int = 1) -> None:
        """Give `many` places back."""
        self._taken -= many
        left = self._of.pop(caller, 0) - many
        if left:
            self._of[caller] = left
