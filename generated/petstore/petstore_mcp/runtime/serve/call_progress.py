# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Count the progress of one call, and write its progress and log messages for its client.

The progress is one number that only grows, from phases, heartbeats and numbers that hooks report. Each run of a hook
reports numbers on a scale of its own, such as 3 of 10. These numbers are added to the progress that the call had
before, unless the first of them is already greater than this progress.

The messages of a long call say what it waits for, bytes received, and seconds since its start. Log messages contain no
secrets, have one line each, and are sent at a limited rate.
"""

from __future__ import annotations

import math
from typing import Any

from ..core import log
from ..core.effects import LOG_LEVELS
from ..text.sanitize import brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.spans import Span

USER = "waiting for the user"
_REQUEST = ("", "sent", "headers", "body")
"""Phases of a request, for which `_doing` writes the message. Any other phase, such as `page 3, 300 items`, is added
before that message."""


def beat(done: int, said: str, span: Span | None, seconds: float) -> tuple[int, int | None, str]:
    """Return the fields of a progress message: progress, total (or None) and text.

    `done`: the last progress; the new one is greater. `said`: the text that the call reported last, "" for none, or
    USER while the call waits for its user. `seconds`: duration of the call so far. While a response is read, progress
    is at least the number of bytes received. The total is the length of this response, or None if it is unknown or the
    call has sent other requests before.
    """
    received = span.reads.received if span is not None and span.reads is not None else 0
    expected = span.reads.expected if span is not None and span.reads is not None and span.requests == 1 else None
    grown = max(done + 1, received)
    total = expected if expected is not None and received and grown <= expected else None
    words = [said] if said == USER else [*([] if said in _REQUEST else [said]), _doing(span)]
    return grown, total, f"{'; '.join(words)}, {seconds:.0f} s"


def _doing(span: Span | None) -> str:
    if span is None or not span.acted:
        return "working"
    if span.reads is None:
        return "working on the answer" if span.status else "waiting for the API"
    if not span.reads.began:
        return "waiting for the API"
    expected = span.reads.expected
    return f"reading the answer, {span.reads.received:,}{'' if expected is None else f' of {expected:,}'} bytes"


FINE = 0.001
"""Progress that a heartbeat adds while a hook reports numbers: so little that the hook's next number is greater."""

_NOTHING = -1


class CallProgress:
    """The progress of one call. `done`, `total` (None if unknown), `said` (a message): what the client is sent next."""

    __slots__ = ("_base", "_hook", "_stale", "done", "said", "total")

    def __init__(self) -> None:
        self.done: float = _NOTHING
        self.total: float | None = None
        self.said = ""
        self._hook: object = None
        self._base: float = 0
        self._stale = False

    def phase(self, message: str) -> None:
        """Raise the progress to the next integer, since a phase of the call has ended. `message`: text to send next."""
        self.done, self.total, self.said, self._stale = self._so_far() + 1, None, message, False

    def advance(self, hook: object, done: float, total: float | None, message: str) -> None:
        """Raise the progress after a report of a hook, which has done `done` of `total` of its work.

        The progress grows even if the hook reports a smaller number. `hook`: any object that identifies this run of the
        hook.
        """
        if hook is not self._hook:
            self._hook, self._base = hook, 0 if done > self.done else self._so_far()
        reached = self._base + done
        self.done = reached if reached > self.done else _finely(self.done)
        self.total = self._base + total if total is not None and self._base + total >= self.done else None
        self.said, self._stale = message, False

    def leave(self, hook: object) -> None:
        """Record that this run of a hook has ended. Later heartbeats do not repeat the message of this run."""
        if hook is self._hook:
            self._hook, self._stale = None, True

    def beat(self, is_asking: bool, span: Span | None, seconds: float) -> tuple[float, float | None, str]:
        """Count a heartbeat. Return the progress, the total or None, and the message.

        `is_asking`: True if the call waits for its user. `seconds`: duration of the call so far.
        """
        said = USER if is_asking else "" if self._stale else self.said
        if self._hook is None:
            self.done, self.total, message = beat(self._so_far(), said, span, seconds)
        else:
            self.done, message = _finely(self.done), f"{said or 'working'}, {seconds:.0f} s"
        return self.done, self.total, message

    def _so_far(self) -> int:
        return math.floor(max(self.done, 0))


def _finely(done: float) -> float:
    """Return `done` plus about 0.001 (FINE), since MCP requires each progress to be greater than the one before."""
    return max(round(done + FINE, 3), math.nextafter(done, math.inf))


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
