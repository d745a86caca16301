# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limit how many calls, streams, connections or request bytes are in use. Each of them counts as one place. No I/O.

No single caller may take all places, so that some are always left for other callers.
"""

from __future__ import annotations

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
