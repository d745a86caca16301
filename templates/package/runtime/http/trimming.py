# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Return the memory of freed large responses to the system, a moment after the last one was freed.

The C library keeps freed memory for reuse. Unasked, it returns only memory at the end of its heap. On systems without
glibc, this module does nothing. To switch it off, set SECONDS to infinity.
"""

from __future__ import annotations

import asyncio

SECONDS = 1.0
"""Pause in seconds after the last large response was freed, so that following responses can reuse the memory."""

LEAST = 16 * 1024 * 1024
"""Minimum number of freed bytes for which trimming is worthwhile."""


class Trimmer:
    """Timer that trims the heap once no large response was freed for a while. Use it inside one event loop."""

    __slots__ = ("_again", "_freed", "_timer")

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._again = False
        self._freed = 0

    def freed(self, size: int) -> None:
        """Record that `size` bytes were freed, and schedule the trimming of the heap once LEAST bytes were freed."""
        self._freed += size
        if self._timer is not None:
            self._again = True
        elif self._freed >= LEAST:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._again:
            self._again = False
            self.freed(0)
        else:
            self._freed = 0
            trim()


def trim() -> None:
    """Return free heap memory to the system (malloc_trim(3) of glibc). Other threads continue to run meanwhile."""
    try:
        import ctypes  # imported here: only large responses need it

        ctypes.CDLL(None).malloc_trim(0)
    except (ImportError, OSError, AttributeError, TypeError):
        return
