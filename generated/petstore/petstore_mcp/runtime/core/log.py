# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Log: one JSON object per line on stderr, for people and their tools. Protocol messages never go there.

Invariants: a line is ASCII, so its content cannot move the cursor or begin a second line. Callers never pass argument
values and secrets to `event`. If nobody reads stderr, lines are lost, but calls go on. Events within a call carry the
call's id.
"""

from __future__ import annotations

import os
import time

from . import spans
from .jsonrpc import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = ("debug", "info", "warning", "error")

_STDERR = 2
#: PIPE_BUF: how many bytes a pipe that is ready takes without blocking. 4,096 on Linux; POSIX guarantees 512.
_MAX_LINE = 4096
_MAX_FIELD = 500
_SELDOM, _MOST_CAUSES = 60.0, 100

_threshold = LEVELS.index("info")
_redact: Callable[[str], str] | None = None
_causes: dict[
    str, tuple[float, int]
] = {}  # event with its fields -> when to write it again, and how many were left out


def set_level(level: str) -> None:
    """Drop events below `level`, one of LEVELS, from now on."""
    global _threshold
    _threshold = LEVELS.index(level)


def redact_with(redact: Callable[[str], str] | None) -> None:
    """Pass every logged text through the function `redact` from now on. Exceptions of hooks may contain secrets."""
    global _redact
    _redact = redact


def redacted(text: str) -> str:
    """Return `text` without secrets, or unchanged if `redact_with` was not called yet."""
    return text if _redact is None else _redact(text)


def without_secrets(text: str) -> str | None:
    """Return `text` without secrets, or None if `redact_with` was not called yet."""
    return None if _redact is None else _redact(text)


def hears(level: str) -> bool:
    """Return True if events of this level are written to the log."""
    return LEVELS.index(level) >= _threshold


def event(level: str, name: str, **fields: object) -> None:
    """Write an event with its fields to the log.

    Names of events and fields are lower-case words joined by underscores.
    """
    if not hears(level):
        return
    span = spans.current()
    told = {"time": timestamp(), "level": level, "event": name, **({"call": span.call} if span else {})}
    if span and span.origin.peer and span.origin.peer.session:
        told["session"] = span.origin.peer.session
    fields = {key: redacted(value) if isinstance(value, str) else value for key, value in fields.items()}
    most = _MAX_FIELD
    while len(line := dumps(told | _clipped(fields, most)) + b"\n") > _MAX_LINE and most:
        most //= 2  # a non-ASCII character takes up to six bytes as an escape
    _write(line)


def seldom(level: str, name: str, **fields: object) -> None:
    """Write an event, but at most once a minute with the same fields. A later line says how many were left out.

    Use this function for what clients can repeat quickly. No field may have a value that a client chooses.
    """
    cause, now = f"{name} {fields}", time.monotonic()
    due, left_out = _causes.get(cause, (now, 0))
    if now < due:
        _causes[cause] = due, left_out + 1
        return
    if len(_causes) >= _MOST_CAUSES:
        _causes.clear()
    _causes[cause] = now + _SELDOM, 0
    event(level, name, **fields, **({"left_out": left_out} if left_out else {}))


def _clipped(fields: dict[str, object], most: int) -> dict[str, object]:
    return {key: value[:most] if isinstance(value, str) else value for key, value in fields.items()}


def timestamp() -> str:
    """Return the current time in UTC (RFC 3339)."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _write(line: bytes) -> None:
    """Write the whole line, or nothing if stderr would block."""
    if len(line) > _MAX_LINE or not writable():
        return
    try:
        os.write(_STDERR, line)
    except OSError:
        return  # stderr is closed, so the failure cannot be reported


def writable() -> bool:
    """Return True if stderr accepts a line without blocking."""
    if os.name != "posix":
        return True
    import select  # imported here: a C module that the start does not need

    try:
        return bool(select.select([], [_STDERR], [], 0)[1])
    except (OSError, ValueError):
        return False
