# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Plan how many requests and files may be open at a time, within this process's limit on file descriptors."""

from __future__ import annotations

import os

from .shares import FILES

SPARE = 8
"""File descriptors left free for DNS lookups, for files that arguments name, and for hooks."""

_OPEN = "/proc/self/fd"


# Decision 0063: The number of pending requests depends on the free file descriptors.
def plan(wanted: int, origins: int) -> tuple[int, int]:
    """Return how many requests may be pending at a time (at most `wanted`), and how many files may be open.

    Each of the `origins` may have as many kept connections as there are pending requests.
    """
    free = _free()
    if free is None:
        return wanted, FILES
    files = min(FILES, free // 3)
    return max(1, min(wanted, (free - files) // max(1, origins))), max(1, files)


def _free() -> int | None:
    """Return how many file descriptors can still be opened; None if that is unknown or unlimited."""
    try:
        import resource  # imported here: not available on every system

        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    except (ImportError, AttributeError, OSError):
        return None
    if limit == resource.RLIM_INFINITY:
        return None
    return max(0, limit - _taken(limit) - SPARE)


def _taken(limit: int) -> int:
    """Return how many file descriptors are open."""
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
