"""Provide two kinds of rename that Python's `os` lacks: exchanging two directories, and moving without replacing
anything.

On Linux both are flags of `renameat2`, on macOS of `renamex_np`; each call is atomic. Other systems, and some file
systems, lack them. There, `swap` raises an OSError with a code in REFUSALS. `place` checks that the target does not
exist, and then moves, which is not atomic.
"""

import ctypes
import errno
import os
import sys
from pathlib import Path

_HERE = -100
"""AT_FDCWD of Linux: paths are relative to the working directory."""
_FLAGS = {"linux": (2, 1), "darwin": (2, 4)}
"""System → the flag for exchanging, and the flag for never replacing."""

REFUSALS = frozenset(
    {
        *(errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP),  # the file system cannot exchange directories;
        *(errno.EXDEV, errno.EBUSY),  # the directory is a mount point, or a layer of a container image;
        *(errno.EPERM, errno.EACCES, errno.EROFS),  # the parent directory is another user's, or a sandbox forbids it
    }
)
"""Error codes that mean that directories cannot be exchanged here at all. Other codes mean a failure."""


def swap(one: Path, other: Path) -> None:
    """Exchange the names of two directories atomically.

    Raises OSError if that failed, with a code in REFUSALS if it is impossible here.
    """
    _rename(one, other, 0)


def place(source: Path, target: Path) -> None:
    """Move `source` to `target`. Raises FileExistsError if `target` exists, OSError for any other failure."""
    try:
        _rename(source, target, 1)
    except OSError as error:
        if error.errno not in REFUSALS:
            raise
        _place_by_looking(source, target)


def _place_by_looking(source: Path, target: Path) -> None:
    """Check that `target` does not exist, then move `source` there.

    Only an empty directory that is created between these two steps could be lost.
    """
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def _rename(source: Path, target: Path, which: int) -> None:
    if not _call(os.fsencode(source), os.fsencode(target), which):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(source), None, str(target))


def _call(source: bytes, target: bytes, which: int) -> bool:
    """Return True if the system call succeeded. Otherwise ctypes' `errno` is the reason."""
    flags = _FLAGS.get(sys.platform)
    if flags is not None:
        library = ctypes.CDLL(None, use_errno=True)
        if hasattr(library, "renameat2"):
            return bool(library.renameat2(_HERE, source, _HERE, target, flags[which]) == 0)
        if hasattr(library, "renamex_np"):
            return bool(library.renamex_np(source, target, flags[which]) == 0)
    ctypes.set_errno(errno.ENOSYS)
    return False
