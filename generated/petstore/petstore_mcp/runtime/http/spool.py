# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store any number of bytes: a few in memory, more in a temporary file without a name.

The system removes such a file when the process ends. Not thread-safe.
"""

from __future__ import annotations

import errno
import os
from typing import IO

from ..core import spans
from .shares import Shares

_MOST_PIECES = 1000
"""Beyond this number, pieces are joined, since each takes some tens of bytes in addition to its content."""

_FOLDERS = ("TMPDIR", "TEMP", "TMP")


class Spool:
    """Byte buffer that is appended to, and read at any position."""

    __slots__ = ("_caller", "_file", "_in_memory", "_joined", "_own", "_pieces", "_shares", "_taken", "size")

    def __init__(self, in_memory: int, shares: Shares | None = None, own: int = 0) -> None:
        """Create an empty buffer that holds at most `in_memory` bytes before it uses a file.

        `shares`: limits on what all responses of the server may use together. The file, and memory beyond the first
        `own` bytes, count towards them.
        """
        self._pieces: list[bytes] = []
        self._joined = 0
        self._file: IO[bytes] | None = None
        self._in_memory = in_memory
        self._own = own
        self._shares = shares
        self._caller = "" if shares is None else spans.caller()
        self._taken = 0
        self.size = 0

    def write(self, data: bytes) -> None:
        """Append bytes. Raise OSError if the disk is full, or if a file is needed and too many files are open."""
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
        """Return `length` bytes from position `start`, fewer at the end of the buffer.

        Raise OSError if the bytes are stored in a file that cannot be read.
        """
        if self._file is not None:
            self._file.seek(start)
            return self._file.read(length)
        if len(self._pieces) != 1:
            self._pieces, self._joined = [b"".join(self._pieces)], 1
        held = self._pieces[0]
        return held if start == 0 and length >= len(held) else held[start : start + length]

    @property
    def in_file(self) -> bool:
        """Return whether the bytes are stored in a file."""
        return self._file is not None

    def close(self) -> None:
        """Free the memory and the file."""
        self._pieces = []
        self._give_memory()
        if self._file is not None and not self._file.closed:
            self._file.close()
            if self._shares is not None:
                self._shares.give_file(self._caller)

    __del__ = close

    def _has_room(self, size: int) -> bool:
        """Reserve memory for a buffer of `size` bytes, within the limit that all responses share. Return False if too
        little is left.
        """
        more = size - self._own - self._taken
        if self._shares is None or more <= 0:
            return True
        if not self._shares.take_memory(self._caller, more):
            return False
        self._taken += more
        return True

    def _give_memory(self) -> None:
        if self._shares is not None and self._taken:
            self._shares.give_memory(self._caller, self._taken)
            self._taken = 0

    def _moved(self) -> IO[bytes]:
        """Move the bytes held in memory to a new file and return the file. Raise OSError if no file can be created."""
        if self._shares is not None and not self._shares.take_file(self._caller):
            raise OSError(errno.EMFILE, "no file is left for answers")
        try:
            file = _nameless()
        except OSError:
            if self._shares is not None:
                self._shares.give_file(self._caller)
            raise
        file.writelines(self._pieces)
        self._pieces = []
        self._give_memory()
        return file


def _nameless() -> IO[bytes]:
    """Return a new file without a name, in the folder for temporary files. Raise OSError if it cannot be created."""
    flag = getattr(os, "O_TMPFILE", 0)
    folder = next((os.environ[name] for name in _FOLDERS if os.environ.get(name)), "/tmp")  # noqa: S108
    if flag:
        try:
            return open(os.open(folder, os.O_RDWR | os.O_CLOEXEC | os.O_EXCL | flag, 0o600), "w+b")
        except OSError as problem:
            if problem.errno in (errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT):
                raise
    # Imported here: `tempfile` loads all archive formats, and only systems and folders without O_TMPFILE need it.
    from tempfile import TemporaryFile

    file: IO[bytes] = TemporaryFile()  # noqa: SIM115
    return file
