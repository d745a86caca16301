# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Gives memory of large answers back to the system, a moment after the last of them is done with.

The allocator keeps what was freed for the next one, and returns it by itself only where it lies at the end of its heap.
Where the C library is not glibc, nothing is done. To switch it off, set SECONDS to infinity.
"""

from __future__ import annotations

import asyncio

SECONDS = 1.0
"""From the last large answer on, so that one after another finds the memory of the one before."""


LEAST = 16 * 1024 * 1024
"""Bytes that answers must have taken for it to be worth while."""


class Trimmer:
    """Gives memory back once nobody has freed any for a while. To be used inside one event loop."""

    __slots__ = ("_again", "_freed", "_timer")

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._again = False
        self._freed = 0

    def freed(self, size: int) -> None:
        """Note that so many bytes were freed, of which the system is to have its share soon."""
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
    """Give back what is free, in glibc (malloc_trim(3)). Other calls go on meanwhile."""
    try:
        import ctypes  # only large answers need it

        ctypes.CDLL(None).malloc_trim(0)
    except (ImportError, OSError, AttributeError, TypeError):
        return
