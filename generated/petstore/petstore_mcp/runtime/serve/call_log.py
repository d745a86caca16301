# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send log messages about one call to its client: without secrets, one line each, and at a limited rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import log
from ..core.envelope import LOG_LEVELS
from ..text.sanitize import brief

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 1000
"""Largest number of characters of a text in a message."""

BURST, SECONDS = 20, 1.0
"""Largest number of messages of a call at once, and seconds after which one more message is allowed."""


class CallLog:
    """Sender of the log messages of one call, which redacts secrets and limits the rate."""

    __slots__ = ("_clock", "_left_out", "_level", "_room", "_send", "_since")

    def __init__(self, level: int, send: Callable[[str, Any], None], clock: Callable[[], float]) -> None:
        """Create the log. `level`: lowest level to send, as an index of LOG_LEVELS.

        `send(level, content)` sends a message. `clock()` returns seconds.
        """
        self._level = level
        self._send = send
        self._clock = clock
        self._since = clock()
        self._room = float(BURST)
        self._left_out = 0

    def __call__(self, level: str, content: object) -> None:
        """Send a message, a text or a JSON value, if the client wants its level.

        If the rate limit is exceeded, only count the message as left out.
        """
        if LOG_LEVELS.index(level) < self._level:
            return
        now = self._clock()
        self._room = min(self._room + (now - self._since) / SECONDS, float(BURST))
        self._since = now
        if self._room < 1:
            self._left_out += 1
            return
        self._room -= 1
        self.close()
        self._send(level, _shown(content))

    def close(self) -> None:
        """Send a message with the number of log messages that the rate limit left out, unless there are none."""
        if self._left_out:
            left_out, self._left_out = self._left_out, 0
            # a warning, or a higher level if the client wants no warnings
            level = LOG_LEVELS[max(self._level, LOG_LEVELS.index("warning"))]
            self._send(level, f"Left out, because there were too many: {left_out} log messages of this call.")


def _shown(content: Any) -> Any:
    """Return a JSON value without secrets, also in member names. A number that is a secret becomes text."""
    if isinstance(content, str):
        return brief(log.redacted(content), LONGEST)
    if isinstance(content, list):
        return [_shown(item) for item in content]
    if isinstance(content, dict):
        return {_shown(name): _shown(member) for name, member in content.items()}
    if isinstance(content, (int, float)) and (written := str(content)) != (redacted := log.redacted(written)):
        return redacted
    return content
