"""Two kinds of rename that `os` lacks: exchanging two directories, and never replacing anything.

Linux has both as `renameat2`, macOS as `renamex_np`; each is atomic. Other systems, and some file systems, have no
exchange.
"""

import ctypes
import errno
import os
import sys
from pathlib import Path

_HERE = -100
"""AT_FDCWD of Linux: paths are relative to the working directory."""
_FLAGS = {"linux": (2, 1), "darwin": (2, 4)}
"""System → the flag that exchanges, and the flag that never replaces."""

REFUSALS = frozenset(
    {
        *(errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP),  # the system or the file system has no exchange
        *(errno.EXDEV, errno.EBUSY),  # the directory is a mount point, or a layer of a container's image
        *(errno.EPERM, errno.EACCES, errno.EROFS),  # the parent directory is not ours, or a sandbox forbids the call
    }
)
"""Errors that mean that no exchange is possible here, rather than a failure."""


def swap(one: Path, other: Path) -> None:
    """Exchange the names of two directories atomically.

    Raises OSError if that failed, with a code in REFUSALS if it is impossible here.
    """
    _rename(one, other, 0)


def place(source: Path, target: Path) -> None:
    """Move `source` to `target`. Raises FileExistsError if `target` exists, OSError if the move failed."""
    try:
        _rename(source, target, 1)
    except OSError as error:
        if error.errno not in REFUSALS:
            raise
        _place_by_looking(source, target)


def _place_by_looking(source: Path, target: Path) -> None:
    """Move in two steps. Only an empty directory created between them could be lost."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def _rename(source: Path, target: Path, which: int) -> None:
    if not _call(os.fsencode(source), os.fsencode(target), which):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(source), None, str(target))


def _call(source: bytes, target: bytes, which: int) -> bool:
    """Return True if the call succeeded. Otherwise ctypes' `errno` holds the reason."""
    flags = _FLAGS.get(sys.platform)
    if flags is not None:
        library = ctypes.CDLL(None, use_errno=True)
        if hasattr(library, "renameat2"):
            return bool(library.renameat2(_HERE, source, _HERE, target, flags[which]) == 0)
        if hasattr(library, "renamex_np"):
            return bool(library.renamex_np(source, target, flags[which]) == 0)
    ctypes.set_errno(errno.ENOSYS)
    return False
