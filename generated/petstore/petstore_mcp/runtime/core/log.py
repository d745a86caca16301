# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The log: one JSON object a line on stderr, for people and their tools. The protocol never goes there.

Invariants: a line is ASCII, so nothing in it moves a cursor or begins a second line; argument values and secrets are
never given to `event`; and a stderr that nobody reads costs lines, not calls. What happens in a call carries its id.
"""

from __future__ import annotations

import os
import time

from . import spans
from .jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = ("debug", "info", "warning", "error")

_STDERR = 2
#: What a pipe that polls as writable takes without blocking is PIPE_BUF, 4,096 bytes on Linux; 512 by POSIX.
_MAX_LINE = 4096
_MAX_FIELD = 500

_threshold = LEVELS.index("info")
_redact: Callable[[str], str] | None = None


def set_level(level: str) -> None:
    """Leave out events below that level, one of LEVELS."""
    global _threshold
    _threshold = LEVELS.index(level)


def redact_with(redact: Callable[[str], str] | None) -> None:
    """From now on, every text passes through that: what an exception of a hook says may hold a secret."""
    global _redact
    _redact = redact


def redacted(text: str) -> str:
    """The text without the secrets that are known by now."""
    return text if _redact is None else _redact(text)


def without_secrets(text: str) -> str | None:
    """The same, and None as long as no secret is known."""
    return None if _redact is None else _redact(text)


def hears(level: str) -> bool:
    """Whether events of that level are written."""
    return LEVELS.index(level) >= _threshold


def event(level: str, name: str, **fields: object) -> None:
    """Write that it happened; names of events and fields are lower-case words joined by underscores."""
    if not hears(level):
        return
    span = spans.current()
    told = {"time": timestamp(), "level": level, "event": name, **({"call": span.call} if span else {})}
    fields = {key: redacted(value) if isinstance(value, str) else value for key, value in fields.items()}
    most = _MAX_FIELD
    while len(line := dumps(told | _clipped(fields, most)) + b"\n") > _MAX_LINE and most:
        most //= 2  # what is no ASCII takes up to six times as much as it has of it
    _write(line)


def _clipped(fields: dict[str, object], most: int) -> dict[str, object]:
    return {key: value[:most] if isinstance(value, str) else value for key, value in fields.items()}


def timestamp() -> str:
    """Now, in UTC (RFC 3339)."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _write(line: bytes) -> None:
    """The whole line or nothing, and never wait for a reader."""
    if len(line) > _MAX_LINE or not writable():
        return
    try:
        os.write(_STDERR, line)
    except OSError:
        return  # stderr is closed; there is nowhere to say so


def at_once() -> int:
    """The bytes that it takes then."""
    import select  # as below

    return getattr(select, "PIPE_BUF", _MAX_LINE)


def writable() -> bool:
    """Whether stderr takes a line without waiting."""
    if os.name != "posix":
        return True
    import select  # a C module that the way to the first answer does without

    try:
        return bool(select.select([], [_STDERR], [], 0)[1])
    except (OSError, ValueError):
        return False
