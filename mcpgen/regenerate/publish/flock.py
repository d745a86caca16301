"""The lock of a directory: a descriptor of the directory itself has it, so it leaves nothing behind and ends with its
holder, also where that is killed.

Windows has none, and neither have some network file systems. Who asks for one there goes on without.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl


# Decision 0139: The lock against a second run is flock on the directory.
def flocked(directory: Path) -> int | None:
    """A descriptor that has the lock until it is closed, None where there are no such locks.

    BlockingIOError where somebody else has it, OSError where `directory` is none that can be opened, or is a link.
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
    """Give a lock back, if there is one."""
    if descriptor is not None:
        with contextlib.suppress(OSError):
            os.close(descriptor)


@contextlib.contextmanager
def held(directory: Path) -> Iterator[None]:
    """The lock for as long as this runs, under whatever name the directory goes by then. Raises what `flocked` does."""
    descriptor = flocked(directory)
    try:
        yield
    finally:
        released(descriptor)
