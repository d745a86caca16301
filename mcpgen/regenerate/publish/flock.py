"""Lock a directory through a descriptor of the directory itself.

So the lock leaves no file behind, and ends with its process, even if the process is killed. Windows and some network
file systems have no such locks; there the caller goes on without a lock.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl


# A lock on the directory itself needs no lock file and cannot become stale (docs/decisions/writing.md).
def flocked(directory: Path) -> int | None:
    """Lock `directory`. Return a file descriptor that holds the lock until it is closed, or None if the system has no
    such locks.

    Raises BlockingIOError if another process holds the lock, OSError if `directory` is a link or cannot be opened.
    """
    if sys.platform == "win32":
        return None
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return descriptor


def released(descriptor: int | None) -> None:
    """Release the lock of `descriptor`, if it is not None."""
    if descriptor is not None:
        with contextlib.suppress(OSError):
            os.close(descriptor)


@contextlib.contextmanager
def held(directory: Path) -> Iterator[None]:
    """Hold the lock of `directory` inside the context, even if the directory is renamed. Raises the same exceptions as
    `flocked`.
    """
    descriptor = flocked(directory)
    try:
        yield
    finally:
        released(descriptor)
