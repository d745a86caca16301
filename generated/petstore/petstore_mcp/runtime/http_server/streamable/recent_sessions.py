# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Cache the most recently used sessions, so that their ids need not be decrypted at each request.

A session that is not in the cache is restored from its id. A cached session is valid only for the principal for which
its id was decrypted, and only until the id expires. No I/O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session

# Decrypting the session id for each request took a twentieth of a small call's CPU time (docs/decisions/speed.md).
MOST = 512
"""Largest number of cached sessions. A session takes about 3 KiB."""


class RecentSessions:
    """Least recently used (LRU) cache of sessions, by session id."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Session, str, float]] = {}  # the most recently used session last

    def get(self, id: str, principal: str, now: float) -> Session | None:  # noqa: A002
        """Return the session with exactly this id, or None if it is not cached.

        Return None too if the session belongs to another principal, or has expired at `now`.
        """
        entry = self._entries.pop(id, None)
        if entry is None:
            return None
        found, owner, until = entry
        if until <= now:
            return None
        self._entries[id] = entry
        return found if owner == principal else None

    def put(self, found: Session, principal: str, until: float) -> None:
        """Cache a session of `principal` until `until`. If the cache is full, drop the least recently used session."""
        self._entries[found.id] = found, principal, until
        if len(self._entries) > MOST:
            del self._entries[next(iter(self._entries))]

    def drop(self, id: str) -> None:  # noqa: A002
        """Drop the session with this id."""
        self._entries.pop(id, None)

    def clear(self) -> None:
        """Drop all sessions."""
        self._entries.clear()
