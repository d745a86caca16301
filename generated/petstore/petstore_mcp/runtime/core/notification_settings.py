# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Record which notifications a client has asked for: log messages from a level on, and changes of resources.

Only for clients that use an MCP revision with `initialize` (2025-11-25 or earlier).
"""

from __future__ import annotations

from .envelope import LOG_LEVELS
from .jsonrpc import INVALID_PARAMS, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Members

METHODS = ("logging/setLevel", "resources/subscribe", "resources/unsubscribe")
"""Methods by which a client asks for notifications."""

MOST_URIS = 100
"""Largest number of resources that one client may watch."""


class NotificationSettings:
    """Notifications that one client has asked for.

    `level`: lowest level of log messages, an index of LOG_LEVELS, or None before the client has set a level. `uris`:
    resources whose changes the client wants to hear of.
    """

    __slots__ = ("level", "uris")

    def __init__(self) -> None:
        self.level: int | None = None
        self.uris: dict[str, None] = {}

    def apply(self, method: str, params: Members) -> None:
        """Apply a request such as `logging/setLevel`. Raise Fault if `params` are invalid."""
        if method == "logging/setLevel":
            level = params.get("level")
            if level not in LOG_LEVELS:
                raise Fault(INVALID_PARAMS, f"{method} needs params.level, one of: {', '.join(LOG_LEVELS)}.")
            self.level = LOG_LEVELS.index(str(level))
            return
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise Fault(INVALID_PARAMS, f"{method} needs params.uri, a string.")
        if method == "resources/unsubscribe":
            self.uris.pop(uri, None)
        elif uri in self.uris or len(self.uris) < MOST_URIS:
            self.uris[uri] = None
        else:
            raise Fault(INVALID_PARAMS, f"At most {MOST_URIS} resources are watched. Unsubscribe from one first.")
