# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limit what all API responses that the server holds may use together: memory for large ones, files for larger ones.

Without a common limit, 64 responses of 8 MB would take half a gigabyte of memory. Each file takes one of the process's
file descriptors, whose number the operator limits.
"""

from __future__ import annotations

from _thread import allocate_lock

# Decision 0062: Large API responses share 32 MiB of memory.
MEMORY = 32 * 1024 * 1024
"""Bytes of large responses that are held in memory at a time. Further bytes go to files."""

FILES = 192
"""Maximum number of open files: responses being received, and responses stored for `resources/read`."""


class Shares:
    """Counts of the bytes of memory and of the files that large responses may still use. Thread-safe."""

    __slots__ = ("_files", "_lock", "_memory")

    def __init__(self, memory: int = MEMORY, files: int = FILES) -> None:
        self._memory = memory
        self._files = files
        self._lock = allocate_lock()

    def take_memory(self, size: int) -> bool:
        """Reserve `size` bytes. Return False if fewer are free."""
        with self._lock:
            if size > self._memory:
                return False
            self._memory -= size
            return True

    def give_memory(self, size: int) -> None:
        """Release the reservation of `size` bytes."""
        with self._lock:
            self._memory += size

    def take_file(self) -> bool:
        """Reserve one open file for a large response. Return False if the limit on open files is reached."""
        with self._lock:
            if self._files <= 0:
                return False
            self._files -= 1
            return True

    def give_file(self) -> None:
        """Release the reservation of one open file (`take_file`)."""
        with self._lock:
            self._files += 1
