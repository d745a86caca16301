# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sessions that clients begin with `initialize` (MCP up to 2025-11-25).

The encrypted session id contains the result of that handshake, so any replica can serve a session.

A process holds a session only while it has a request, a stream or resumable events of that session. The most recently
used sessions are cached too (`recent_sessions`).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ...core.effects import Handshake
from ...core.jsontext import dumps, loads
from ...core.wire_formats import HANDSHAKE_REVISIONS
from ..sealed.seal import Expired, Unsealed
from .replay import EventQueue

if TYPE_CHECKING:
    from ...core.jsonrpc import Id
    from ...core.protocol import Protocol
    from ..sealed.seal import Seal
    from .exchange import Exchange
    from .replay import Recording

# With the session's data in its id, every replica can serve a session that it has never seen (docs/decisions/http.md).
SECONDS = 24 * 60 * 60.0
"""Seconds that a session lasts. Clients then begin another one."""

MOST_TEXT = 80
"""Longest part of a client's name and version in a session id, in characters. Each request repeats the id."""

RESUMABLE = "2025-11-25"
"""First revision whose clients understand the first event of a resumable stream."""

_PURPOSE = "session"


class Session:
    """One session: its conversation, and its pending requests and streams in this process.

    `digest`: name of the session in logs.
    """

    __slots__ = ("caller", "digest", "exchanges", "handshake", "id", "kept", "listening", "protocol", "recordings")

    def __init__(self, id: str, handshake: Handshake, protocol: Protocol) -> None:  # noqa: A002
        self.id = id
        self.caller = ""
        self.digest = digest(id)
        self.handshake = handshake
        self.protocol = protocol
        self.exchanges: dict[Id, Exchange] = {}
        self.listening: Exchange | None = None
        self.kept = EventQueue()
        self.recordings: dict[str, Recording] = {}

    @property
    def resumable(self) -> bool:
        """Return whether the client of this session can resume streams."""
        return self.handshake.revision >= RESUMABLE

    def is_idle(self) -> bool:
        """Drop the recorded events of each stream that can no longer be resumed.

        Return True if this process then holds no request, stream or recorded events of the session.
        """
        for name, each in list(self.recordings.items()):
            if each.late:
                if self.listening is not None and self.listening.recording is each:
                    self.listening.close()
                    self.listening = None
                each.drop()
                del self.recordings[name]
        return not (self.exchanges or self.listening or self.recordings)

    def forget(self) -> None:
        """Drop the recorded events of all streams of the session, because the session has ended."""
        for each in self.recordings.values():
            each.drop()


def digest(id: str) -> str:  # noqa: A002
    """Return a name of the session for logs, which must not contain the id: anybody with the id can use the session."""
    return hashlib.sha256(id.encode()).hexdigest()[:16]


def sealed(seal: Seal, principal: str, handshake: Handshake) -> str:
    """Return the encrypted id for a new session of `principal`."""
    client = handshake.client if isinstance(handshake.client, dict) else {}
    named = {key: client[key][:MOST_TEXT] for key in ("name", "version") if isinstance(client.get(key), str)}
    told = {"r": handshake.revision, "e": int(handshake.asks), "u": int(handshake.urls), "c": named}
    if handshake.declares:
        told["d"] = sorted(handshake.declares)
    value = dumps({**told, "b": int(seal.now())})
    return seal.close(_PURPOSE, principal, value, SECONDS)


def opened(seal: Seal, principal: str, id: str) -> tuple[Handshake, float] | None:  # noqa: A002
    """Return the result of the handshake that a session id contains, and the Unix time at which the id expires.

    Return None if the id is invalid for `principal`, or has expired.
    """
    try:
        sealed, until = seal.open_until(_PURPOSE, principal, id)
    except (Unsealed, Expired):
        return None
    value: Any = loads(sealed.decode())[0]
    if value["r"] not in HANDSHAKE_REVISIONS:
        return None
    began = float(value.get("b", 0))
    declares = frozenset(value.get("d", ()))
    return Handshake(value["r"], bool(value["e"]), value["c"], bool(value.get("u")), began, declares), until
