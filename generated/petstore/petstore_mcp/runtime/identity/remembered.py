# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Cache checked tokens in memory by their SHA-256, so that later requests with the same token need no new check.

The module does no input or output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 10_000
"""Maximum number of remembered tokens. Beyond it, the least recently used token is forgotten."""

MOST_BYTES = 64 * 1024 * 1024
"""Maximum of the total bytes of remembered tokens. Their decoded claims take a few times as much memory."""

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Cache of at most MOST entries and MOST_BYTES, in which each entry expires at its own time."""

    __slots__ = ("_entries", "_size")

    def __init__(self) -> None:
        self._entries: dict[bytes, tuple[float, Value, int]] = {}
        self._size = 0

    def get(self, digest: bytes, now: float) -> Value | None:
        """Return the value remembered for the token with this `digest`; None if there is none or it has expired."""
        entry = self._entries.pop(digest, None)
        if entry is None:
            return None
        if now >= entry[0]:
            self._size -= entry[2]
            return None
        self._entries[digest] = entry  # move the entry to the end, as the most recently used one
        return entry[1]

    def add(self, digest: bytes, value: Value, end: float, size: int) -> None:
        """Remember `value` for the token with this `digest`, until `end` in seconds since 1970.

        `size`: the token's size in bytes, which counts towards MOST_BYTES.
        """
        self._forget(digest)
        self._entries[digest] = (end, value, size)
        self._size += size
        while len(self._entries) > MOST or self._size > MOST_BYTES:
            self._forget(next(iter(self._entries)))

    def drop(self, condition: Callable[[Value], bool]) -> None:
        """Remove each entry for whose value `condition` returns true."""
        for digest in [digest for digest, (_, value, _) in self._entries.items() if condition(value)]:
            self._forget(digest)

    def _forget(self, digest: bytes) -> None:
        if (entry := self._entries.pop(digest, None)) is not None:
            self._size -= entry[2]
