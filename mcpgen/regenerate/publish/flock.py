"""Lock a directory through a descriptor of the directory itself.

So the lock leaves nothing behind and ends with its holder, even if that is killed. Windows and some network file
systems have no such locks; there the caller goes on without one.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl


# Decision 0139: A lock on the project's directory prevents a second run.
def flocked(directory: Path) -> int | None:
    """Return a descriptor that holds the lock until it is closed, or None if there are no such locks.

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
    """Release a lock, if there is one."""
    if descriptor is not None:
        with contextlib.suppress(OSError):
            os.close(descriptor)


@contextlib.contextmanager
def held(directory: Path) -> Iterator[None]:
    """Hold the lock inside the context, even if the directory is renamed. Raises what `flocked` raises."""
    descriptor = flocked(directory)
    try:
        yield
    finally:
        released(descriptor)
