# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What all answers of one server share: memory for those that are large, and files for those that are larger.

Without a bound for all together, 64 answers of 8 MB take three quarters of a gigabyte; and a file is a descriptor, of
which a process has as many as its operator gave it.
"""

from __future__ import annotations

from _thread import allocate_lock

# Decision 0062: Large answers share 32 MiB.
MEMORY = 32 * 1024 * 1024
"""Bytes of large answers that are held in memory at a time. What finds no room goes to a file."""

FILES = 192
"""Files of long answers: those that come in, and those that are kept for `resources/read`."""


class Shares:
    """Bytes of memory and files that are free. Any thread may take and give."""

    __slots__ = ("_files", "_lock", "_memory")

    def __init__(self, memory: int = MEMORY, files: int = FILES) -> None:
        self._memory = memory
        self._files = files
        self._lock = allocate_lock()

    def take_memory(self, size: int) -> bool:
        """Take so many bytes. Return False where there are not so many."""
        with self._lock:
            if size > self._memory:
                return False
            self._memory -= size
            return True

    def give_memory(self, size: int) -> None:
        """Give bytes back."""
        with self._lock:
            self._memory += size

    def take_file(self) -> bool:
        """Take one file. Return False where there is none."""
        with self._lock:
            if self._files <= 0:
                return False
            self._files -= 1
            return True

    def give_file(self) -> None:
        """Give one file back."""
        with self._lock:
            self._files += 1
