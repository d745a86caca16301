# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Bytes of any number: in memory while they are few, and beyond that in a file that has no name.

Such a file is gone with the process, however it ends. Not thread-safe.
"""

from __future__ import annotations

from io import BytesIO
from typing import IO


class Spool:
    """Grows at its end and is read anywhere."""

    __slots__ = ("_file", "_in_memory", "size")

    def __init__(self, in_memory: int) -> None:
        """`in_memory` is the most bytes that are held without a file."""
        self._file: IO[bytes] = BytesIO()
        self._in_memory = in_memory
        self.size = 0

    def write(self, data: bytes) -> None:
        """Add bytes. Raises OSError where the disk takes no more."""
        if isinstance(self._file, BytesIO) and self.size + len(data) > self._in_memory:
            from tempfile import TemporaryFile  # most answers are small, and it brings every way to pack files with it

            file: IO[bytes] = TemporaryFile()  # noqa: SIM115
            file.write(self._file.getbuffer())
            self._file = file
        self._file.seek(self.size)
        self._file.write(data)
        self.size += len(data)

    def read(self, start: int, length: int) -> bytes:
        """So many bytes from there, fewer at the end. Raises OSError."""
        self._file.seek(start)
        return self._file.read(length)

    def close(self) -> None:
        """Give back what it takes."""
        self._file.close()

    __del__ = close
