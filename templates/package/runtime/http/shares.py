# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limit what all API responses that the server holds may use together: memory for large ones, files for larger ones.

Without a common limit, 64 responses of 8 MB would take half a gigabyte of memory. Each file takes one of the process's
file descriptors, whose number the operator limits. No caller takes all of the memory, nor all files.
"""

from __future__ import annotations

from _thread import allocate_lock

from ..core.fairness import Places

# Many large responses at the same time must not use up all memory (docs/decisions/requests.md).
MEMORY = 32 * 1024 * 1024
"""Bytes of large responses that are held in memory at a time. Further bytes go to files."""

FILES = 192
"""Maximum number of open files: responses being received, and responses stored for `resources/read`."""


class Shares:
    """Counts of the bytes of memory and of the files that large responses use, also by caller. Thread-safe."""

    __slots__ = ("_files", "_lock", "_memory")

    def __init__(self, memory: int = MEMORY, files: int = FILES) -> None:
        self._memory = Places(memory)
        self._files = Places(files)
        self._lock = allocate_lock()

    def take_memory(self, caller: str, size: int) -> bool:
        """Reserve `size` bytes for `caller`. Return False if fewer are free."""
        return self._take(self._memory, caller, size)

    def give_memory(self, caller: str, size: int) -> None:
        """Release the reservation of `size` bytes."""
        with self._lock:
            self._memory.give(caller, size)

    def take_file(self, caller: str) -> bool:
        """Reserve one open file for a large response. Return False if the limit on open files is reached."""
        return self._take(self._files, caller, 1)

    def give_file(self, caller: str) -> None:
        """Release the reservation of one open file (`take_file`)."""
        with self._lock:
            self._files.give(caller)

    def _take(self, places: Places, caller: str, many: int) -> bool:
        with self._lock:
            found = places.has(caller, many)
            if found:
                places.take(caller, many)
            return found
