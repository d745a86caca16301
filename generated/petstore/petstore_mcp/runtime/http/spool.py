# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Bytes of any number: in memory while they are few, and beyond that in a file that has no name.

Such a file is gone with the process, however it ends. Not thread-safe.
"""

from __future__ import annotations

import errno
import os
from typing import IO

from .shares import Shares

_MOST_PIECES = 1000
"""Small ones are joined, since each takes some tens of bytes beside what is in it."""

_FOLDERS = ("TMPDIR", "TEMP", "TMP")


class Spool:
    """Grows at its end and is read anywhere."""

    __slots__ = ("_file", "_in_memory", "_joined", "_own", "_pieces", "_shares", "_taken", "size")

    def __init__(self, in_memory: int, shares: Shares | None = None, own: int = 0) -> None:
        """`in_memory` is the most bytes that are held without a file. Those beyond the first `own` are taken from the
        shares, as a file is.
        """
        self._pieces: list[bytes] = []
        self._joined = 0
        self._file: IO[bytes] | None = None
        self._in_memory = in_memory
        self._own = own
        self._shares = shares
        self._taken = 0
        self.size = 0

    def write(self, data: bytes) -> None:
        """Add bytes. Raises OSError where the disk takes no more, or no file is left."""
        size = self.size + len(data)
        if self._file is None and size <= self._in_memory and self._has_room(size):
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

    @property
    def in_file(self) -> bool:
        """Return whether it lies in a file."""
        return self._file is not None

    def close(self) -> None:
        """Give back what it takes."""
        self._pieces = []
        self._give_memory()
        if self._file is not None and not self._file.closed:
            self._file.close()
            if self._shares is not None:
                self._shares.give_file()

    __del__ = close

    def _has_room(self, size: int) -> bool:
        """Take what so many bytes need of the memory that is shared."""
        more = size - self._own - self._taken
        if self._shares is None or more <= 0:
            return True
        if not self._shares.take_memory(more):
            return False
        self._taken += more
        return True

    def _give_memory(self) -> None:
        if self._shares is not None and self._taken:
            self._shares.give_memory(self._taken)
            self._taken = 0

    def _moved(self) -> IO[bytes]:
        """A file with what was held. Raises OSError."""
        if self._shares is not None and not self._shares.take_file():
            raise OSError(errno.EMFILE, "no file is left for answers")
        try:
            file = _nameless()
        except OSError:
            if self._shares is not None:
                self._shares.give_file()
            raise
        file.writelines(self._pieces)
        self._pieces = []
        self._give_memory()
        return file


def _nameless() -> IO[bytes]:
    """A file without a name, in the folder for temporary files. Raises OSError."""
    flag = getattr(os, "O_TMPFILE", 0)
    folder = next((os.environ[name] for name in _FOLDERS if os.environ.get(name)), "/tmp")  # noqa: S108
    if flag:
        try:
            return open(os.open(folder, os.O_RDWR | os.O_CLOEXEC | os.O_EXCL | flag, 0o600), "w+b")
        except OSError as problem:
            if problem.errno in (errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT):
                raise
    from tempfile import TemporaryFile  # for other systems, and other folders; it brings every way to pack files

    file: IO[bytes] = TemporaryFile()  # noqa: SIM115
    return file
