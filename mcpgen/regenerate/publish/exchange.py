"""The two renames that `os` does not have: of two directories at once, and never over anything.

Linux has both as `renameat2`, macOS as `renamex_np`; each is one step that is done or not done. Elsewhere, and on file
systems that know nothing of it, there is no exchange.
"""

import ctypes
import errno
import os
import sys
from pathlib import Path

_HERE = -100
"""AT_FDCWD of Linux: paths are as they stand."""
_FLAGS = {"linux": (2, 1), "darwin": (2, 4)}
"""System → the flag that exchanges, and the one that replaces nothing."""

REFUSALS = frozenset(
    {
        *(errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP),  # the system or the file system has none
        *(errno.EXDEV, errno.EBUSY),  # a directory where something is mounted, or a layer of a container's image
        *(errno.EPERM, errno.EACCES, errno.EROFS),  # the directory around it is not ours, or a sandbox forbids the call
    }
)
"""Errors that say that there is no exchange here, and not that something is wrong."""


def swap(one: Path, other: Path) -> None:
    """Each gets the other's name, in one step. OSError where that was not done; of REFUSALS where it cannot be."""
    _rename(one, other, 0)


def place(source: Path, target: Path) -> None:
    """Move `source` to `target`. FileExistsError where something is there, OSError where that was not done."""
    try:
        _rename(source, target, 1)
    except OSError as error:
        if error.errno not in REFUSALS:
            raise
        _place_by_looking(source, target)


def _place_by_looking(source: Path, target: Path) -> None:
    """In two steps: between them only an empty directory could be lost."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def _rename(source: Path, target: Path, which: int) -> None:
    if not _call(os.fsencode(source), os.fsencode(target), which):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(source), None, str(target))


def _call(source: bytes, target: bytes, which: int) -> bool:
    """Whether it was done; else the reason is the `errno` of ctypes."""
    flags = _FLAGS.get(sys.platform)
    if flags is not None:
        library = ctypes.CDLL(None, use_errno=True)
        if hasattr(library, "renameat2"):
            return bool(library.renameat2(_HERE, source, _HERE, target, flags[which]) == 0)
        if hasattr(library, "renamex_np"):
            return bool(library.renamex_np(source, target, flags[which]) == 0)
    ctypes.set_errno(errno.ENOSYS)
    return False
