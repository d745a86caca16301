# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remember which notifications each session wants, such as log messages from a level on (`wishes`). Pure.

A session id cannot contain these wishes, since the client got its id before it sent them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..core.jsonrpc import Fault
from ..core.wishes import Wishes

if TYPE_CHECKING:
    from ..core.jsonrpc import Request

MOST = 10_000
"""Largest number of sessions whose wishes are remembered."""


# Decision 0236: Replicas share the log levels of sessions through the store.
class SessionWishes:
    """Cache of the wishes of sessions, by session id. The session whose last wish is oldest is dropped first."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, Wishes] = {}

    def __len__(self) -> int:
        return len(self._known)

    def get(self, id: str) -> Wishes | None:  # noqa: A002
        """Return the wishes of the session with this id, or None if it has none."""
        return self._known.get(id)

    def put(self, id: str, wishes: Wishes) -> None:  # noqa: A002
        """Remember the wishes of a session. If the cache is full, forget the session whose last wish is oldest."""
        self._known.pop(id, None)
        self._known[id] = wishes
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]

    def grant(self, id: str, request: Request) -> Wishes:  # noqa: A002
        """Store a wish that a client has sent to another replica. Return all wishes of the session.

        An invalid wish is ignored here, since the other replica has answered it with an error.
        """
        wishes = self._known.get(id) or Wishes()
        with suppress(Fault):
            wishes.grant(request.method, request.params)
        self.put(id, wishes)
        return wishes

    def drop(self, id: str) -> None:  # noqa: A002
        """Forget the wishes of a session that has ended."""
        self._known.pop(id, None)
