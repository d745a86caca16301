"""Open files in folders to which other users may write: regular files only, and no symbolic link below the root folder.

A path may lead to another file by the time that it is opened, so checking the path first is not enough (CWE-367). Here
each folder is opened by a descriptor relative to its parent folder, without following links (openat). The opened file
is checked, not its path. Hard links cannot be distinguished from other files.

Without openat (Windows), the path is checked before and after reading. The runtime has a copy of this code for its own
files.
"""

import errno
import os
import stat

HAS_OPENAT = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags for opening a file. With O_NONBLOCK, opening a named pipe does not wait for a writer."""

_PIECE = 1024 * 1024
_FOLDER = _NO_LINK | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY)
"""Flags for opening a folder. O_PATH needs no permission to list the folder."""


class NotRegular(OSError):
    """The path leads to a device, a pipe or a socket instead of a regular file."""


def read_regular(path: str, most: int) -> bytes:
    """Return the first `most` bytes of the regular file at `path`. Raises NotRegular if it is no regular file, or
    OSError if reading fails.
    """
    _require_regular(os.stat(path))  # Check before opening: opening a device may have side effects.
    return _content(os.open(path, _FILE), most)


def read_below(root: str, path: str, most: int) -> bytes:
    """Return the first `most` bytes of the regular file at `path`, relative to the folder `root`.

    No symbolic link below `root` is followed. Raises NotRegular if the file is not regular, or OSError for a link or a
    failed read.
    """
    steps = path.split(os.sep)
    if not HAS_OPENAT:
        return _checked(os.path.join(root, path), most)
    folder = os.open(root, _FOLDER)
    try:
        for step in steps[:-1]:
            below = os.open(step, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        _require_regular(os.stat(steps[-1], dir_fd=folder, follow_symlinks=False))
        return _content(os.open(steps[-1], _FILE | _NO_LINK, dir_fd=folder), most)
    finally:
        os.close(folder)


def _require_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(errno.EINVAL, "it is not a regular file")


def _content(descriptor: int, most: int) -> bytes:
    try:
        _require_regular(os.fstat(descriptor))
        pieces = []
        while most and (piece := os.read(descriptor, min(most, _PIECE))):
            pieces.append(piece)
            most -= len(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _checked(path: str, most: int) -> bytes:
    """Return the first `most` bytes of the file at `path`, for systems without openat.

    Raises OSError if the path holds a link, or leads to another file after reading.
    """
    before = os.stat(path, follow_symlinks=False)
    content = read_regular(path, most)
    if os.path.realpath(path) != path or not os.path.samestat(before, os.stat(path)):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return content
