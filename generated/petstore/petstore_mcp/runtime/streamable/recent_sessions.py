# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Cache the sessions of the older era that were used last, so that their ids need not be opened at each request.

The cache decides nothing: a session that is not found here is restored from its id. A cached session is for the
principal that its id was opened for, until the id expires. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session

# Decision 0217: A process caches the sessions used last.
MOST = 512
"""Most cached sessions: about 3 KiB each, whatever the number of sessions."""


class RecentSessions:
    """Least recently used cache of opened sessions, by session id."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Session, str, float]] = {}  # the last is the latest

    def get(self, id: str, principal: str, now: float) -> Session | None:  # noqa: A002
        """Return the session with exactly this id, if it is of that principal and has not expired by `now`."""
        entry = self._entries.pop(id, None)
        if entry is None:
            return None
        found, owner, until = entry
        if until <= now:
            return None
        self._entries[id] = entry
        return found if owner == principal else None

    def put(self, found: Session, principal: str, until: float) -> None:
        """Keep a session that was opened for `principal`, and drop the one unused for longest."""
        self._entries[found.id] = found, principal, until
        if len(self._entries) > MOST:
            del self._entries[next(iter(self._entries))]

    def drop(self, id: str) -> None:  # noqa: A002
        """Drop the session with this id."""
        self._entries.pop(id, None)

    def clear(self) -> None:
        """Drop all sessions."""
        self._entries.clear()
