# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make ids of spans and traces: random, and taken from the system many at a time, since each question costs."""

from __future__ import annotations

import os

_BYTES = 8
_AT_ONCE = 256
_NOBODY = "0" * 2 * _BYTES
"""The id that W3C Trace Context forbids."""

_ready: list[str] = []


def span_id() -> str:
    """Return a new id of 16 hexadecimal digits."""
    try:
        return _ready.pop()
    except IndexError:
        found = os.urandom(_BYTES * _AT_ONCE).hex(" ", _BYTES).split()
        first, *rest = (each for each in found if each != _NOBODY)
        _ready.extend(rest)
        return first


def trace_id() -> str:
    """Return a new id of 32 hexadecimal digits."""
    return span_id() + span_id()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork either
    os.register_at_fork(after_in_child=_ready.clear)
