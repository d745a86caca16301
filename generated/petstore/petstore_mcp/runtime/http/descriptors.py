# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""How many requests may be under way, and how many files open, with the descriptors that this process may have."""

from __future__ import annotations

import os

from .shares import FILES

SPARE = 8
"""Descriptors that are left alone: for looking up names, for a file that an argument names, for what hooks do."""

_OPEN = "/proc/self/fd"


# Decision 0063: Places for requests follow the free descriptors.
def plan(wanted: int, origins: int) -> tuple[int, int]:
    """Return how many requests may be under way at a time, at most as many as are `wanted`, and how many files open.

    Each of the `origins` may keep as many connections as there are requests.
    """
    free = _free()
    if free is None:
        return wanted, FILES
    files = min(FILES, free // 3)
    return max(1, min(wanted, (free - files) // max(1, origins))), max(1, files)


def _free() -> int | None:
    """Return how many descriptors could still be opened; None where that is not known, or they are without number."""
    try:
        import resource  # not every system has it

        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    except (ImportError, AttributeError, OSError):
        return None
    if limit == resource.RLIM_INFINITY:
        return None
    return max(0, limit - _taken(limit) - SPARE)


def _taken(limit: int) -> int:
    """Return how many descriptors are open."""
    try:
        return len(os.listdir(_OPEN))
    except OSError:
        return sum(map(_is_open, range(min(limit, 256))))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
