# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Plan how many requests and files may be open at a time, within this process's limit on file descriptors."""

from __future__ import annotations

import os

from .shares import FILES

SPARE = 8
"""File descriptors left free for DNS lookups, for files that arguments name, and for hooks."""

ENOUGH = 16 * 1024
"""File descriptors that suffice for all connections and files of a server. The soft limit is not raised further."""

ACCEPTED_AT_ONCE = 16
"""Connections that the event loop accepts before it counts them."""

_OPEN = "/proc/self/fd"
_left: int | None = None  # descriptors that are left for requests and files if clients take all of theirs


# If few file descriptors are free, the server becomes slower, but no call fails (docs/decisions/requests.md).
def plan(wanted: int, origins: int) -> tuple[int, int]:
    """Return how many requests may be pending at a time (at most `wanted`), and how many files may be open.

    Each of the `origins` may have as many kept connections as there are pending requests.
    """
    free = _free() if _left is None else _left
    if free is None:
        return wanted, FILES
    files = min(FILES, free // 3)
    return max(1, min(wanted, (free - files) // max(1, origins))), max(1, files)


def raise_limit() -> None:
    """Raise the soft limit on file descriptors to the hard limit, at most to ENOUGH. Service managers and shells set
    the soft limit to 1,024, for the sake of old programs.
    """
    try:
        import resource  # imported here: not available on every system

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (ImportError, AttributeError, OSError, ValueError):
        return  # the limit stays as it is, and `plan` and `reserve` keep to it


def reserve(wanted: int) -> int:
    """Reserve file descriptors for connections of clients. Return how many connections may be open, at most `wanted`.

    Call this once, before `plan`. A quarter of the free descriptors is left for requests and files.
    """
    global _left
    free = _free()
    if free is None:
        return wanted
    found = max(1, min(wanted, free * 3 // 4 - ACCEPTED_AT_ONCE))
    _left = max(0, free - found - ACCEPTED_AT_ONCE)
    return found


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
