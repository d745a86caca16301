# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Bytes of any number: in memory while they are few, and beyond that in a file that has no name.

Such a file is gone with the process, however it ends. Not thread-safe.
"""

from __future__ import annotations

from typing import IO

_MOST_PIECES = 1000
"""Small ones are joined, since each takes some tens of bytes beside what is in it."""


class Spool:
    """Grows at its end and is read anywhere."""

    __slots__ = ("_file", "_in_memory", "_joined", "_pieces", "size")

    def __init__(self, in_memory: int) -> None:
        """`in_memory` is the most bytes that are held without a file."""
        self._pieces: list[bytes] = []
        self._joined = 0
        self._file: IO[bytes] | None = None
        self._in_memory = in_memory
        self.size = 0

    def write(self, data: bytes) -> None:
        """Add bytes. Raises OSError where the disk takes no more."""
        size = self.size + len(data)
        if size <= self._in_memory:
            self._pieces.append(data)
            if len(self._pieces) - self._joined > _MOST_PIECES:
                self._pieces[self._joined :] = [b"".join(self._pieces[self._joined :])]
                self._joined += 1
        else:
            file = self._file = self._file or self._moved()
            file.seek(self.size)
            file.write(data)
        self.size = size

    def read(self, start: int, length: int) -> bytes:
        """So many bytes from there, fewer at the end. Raises OSError."""
        if self._file is not None:
            self._file.seek(start)
            return self._file.read(length)
        if len(self._pieces) != 1:
            self._pieces, self._joined = [b"".join(self._pieces)], 1
        held = self._pieces[0]
        return held if start == 0 and length >= len(held) else held[start : start + length]

    def close(self) -> None:
        """Give back what it takes."""
        self._pieces = []
        if self._file is not None:
            self._file.close()

    __del__ = close

    def _moved(self) -> IO[bytes]:
        """A file with what was held. Raises OSError."""
        from tempfile import TemporaryFile  # most answers are small, and it brings every way to pack files with it

        file: IO[bytes] = TemporaryFile()  # noqa: SIM115
        file.writelines(self._pieces)
        self._pieces = []
        return file
