# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Effect (an action that another module performs): pass a message of a session on to other replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .exchange import Exchange
    from .session_notifications import Setting


# A replica must not acknowledge an answer that nobody waits for, so the request's id names who asked
# (docs/decisions/http.md).
class Relay:
    """Action to perform: send the message `line` of a session to other replicas. If `line` is None, tell them that the
    session has ended.

    `replica`: name of the receiver, "" for all replicas. `exchange`: the client's HTTP request with this message, which
    gets its response after the message was sent on. `setting`: the notification setting that the message changed; it is
    stored for replicas that start later.
    """

    __slots__ = ("exchange", "line", "replica", "session", "setting")

    def __init__(
        self,
        session: str,
        line: bytes | None,
        exchange: Exchange | None = None,
        replica: str = "",
        setting: Setting | None = None,
    ) -> None:
        self.setting = setting
        self.session = session
        self.line = line
        self.exchange = exchange
        self.replica = replica
