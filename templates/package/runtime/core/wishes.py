# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Hold what a client of the handshake era asked to be told, beside the answers to its requests."""

from __future__ import annotations

from .envelope import LOG_LEVELS
from .jsonrpc import INVALID_PARAMS, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Members


class Wishes:
    """Wishes of one client. `level`: index of the least level of log messages, None until the client has set one."""

    __slots__ = ("level",)

    def __init__(self) -> None:
        self.level: int | None = None

    def grant(self, method: str, params: Members) -> None:
        """Take up the wish of a request. Raise Fault if its params are invalid."""
        level = params.get("level")
        if level not in LOG_LEVELS:
            raise Fault(INVALID_PARAMS, f"{method} needs params.level, one of: {', '.join(LOG_LEVELS)}.")
        self.level = LOG_LEVELS.index(str(level))


METHODS = ("logging/setLevel",)
"""Methods whose requests are wishes."""
