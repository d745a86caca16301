# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remember checked tokens by their SHA-256, so that the next request with the same token costs one look. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 10_000
"""Most remembered tokens. The one that was added first is forgotten first."""

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """Cache with an end for each entry, of at most `most` entries."""

    __slots__ = ("_entries", "_most")

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._entries: dict[bytes, tuple[float, Value]] = {}

    def get(self, digest: bytes, now: float) -> Value | None:
        """Return the value of that digest, or None if there is none or its time is over."""
        entry = self._entries.get(digest)
        if entry is None:
            return None
        if now >= entry[0]:
            del self._entries[digest]
            return None
        return entry[1]

    def add(self, digest: bytes, value: Value, end: float) -> None:
        """Remember a value until `end`."""
        self._entries.pop(digest, None)
        if len(self._entries) >= self._most:
            del self._entries[next(iter(self._entries))]
        self._entries[digest] = (end, value)

    def drop(self, condition: Callable[[Value], bool]) -> None:
        """Forget each value for which `condition` is true."""
        for digest in [digest for digest, (_, value) in self._entries.items() if condition(value)]:
            del self._entries[digest]
