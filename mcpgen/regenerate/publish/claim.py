"""Lock a project for one run, from before it is read until it is written. A second run at the same time is refused.

The directory itself is locked (`flock`), so no lock file is left behind. A directory that does not exist yet cannot be
locked. If two runs create it, the second run finds that it exists and is refused.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from mcpgen.base.errors import FatalError, ProjectBusy
from mcpgen.regenerate.publish import stranded, transaction
from mcpgen.regenerate.publish.flock import flocked, released
from mcpgen.regenerate.publish.transaction import Unfinished

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NOT_THERE: set[Path] = set()
"""Directories that this process has claimed, and that did not exist at that moment."""


@contextlib.contextmanager
def claimed(directory: Path) -> Iterator[None]:
    """Lock `directory` for this run inside the context.

    Unfinished writes of killed runs are completed or removed first, so that a whole project is read. Raises ProjectBusy
    if another run has locked the directory, FatalError if such a write cannot be completed or the file system fails.
    """
    place = physical(directory)
    with failing(directory):
        lock = _lock(place)
    try:
        with reading(directory):
            stranded.refuse(directory, place)
        yield
    except FatalError:
        # Another run may have caused the error: if it has created the directory, raise ProjectBusy instead.
        confirm(directory)
        raise
    finally:
        _NOT_THERE.discard(place)
        released(lock)


def confirm(directory: Path) -> None:
    """Raise ProjectBusy before the write if another run has created `directory` since `claimed` was entered."""
    place = physical(directory)
    if place in _NOT_THERE and os.path.lexists(place):
        raise busy(directory)


def made(directory: Path) -> None:
    """Record that this run has created `directory`. Otherwise `confirm` would assume that another run created it."""
    _NOT_THERE.discard(physical(directory))


def busy(directory: Path) -> ProjectBusy:
    """Return the error for a directory that another run has locked."""
    return ProjectBusy(
        "project-locked",
        f"Another run of mcpgen is changing {told(directory)}.",
        hint="Wait until it has ended, and try again.",
    )


def told(path: Path) -> str:
    """Return `path` for a message, in backticks if it ends in `.`, since the dot would look like the end of the
    sentence.
    """
    return f"`{path}`" if str(path).endswith(".") else str(path)


@contextlib.contextmanager
def failing(directory: Path) -> Iterator[None]:
    """Turn an OSError in the context into FatalError, or into ProjectBusy if another run has locked `directory`."""
    try:
        yield
    except BlockingIOError:
        raise busy(directory) from None
    except Unfinished as end:
        raise FatalError(
            "output-unfinished",
            f"{directory} is written and complete, but temporary files could not be removed: {_reason(end.error)}.",
            hint="You need to do nothing: the next run of mcpgen on this directory removes these files.",
        ) from None
    except OSError as error:
        raise failed(directory, error) from None


def failed(directory: Path, error: OSError) -> FatalError:
    """Return the error for a write that the file system refuses."""
    return FatalError(
        "output-failed",
        f"{directory} cannot be written: {_reason(error)}.",
        hint="Free some disk space, and try again."
        if error.errno in _NO_ROOM
        else ("Check the permissions of the directory, or name another directory."),
    )


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn an OSError in the context into FatalError. The message says that `path` cannot be read, and why."""
    try:
        yield
    except OSError as error:
        message = f"{path} cannot be read: {_reason(error)}."
        raise FatalError("output-failed", message, hint="Check the permissions of the file.") from None


def physical(directory: Path) -> Path:
    """Return the path of `directory` with all symbolic links in its parents resolved.

    The last part of the path is not resolved, so that a link there can be refused.
    """
    if directory.name in ("", ".."):
        return Path(os.path.realpath(directory))
    return Path(os.path.realpath(directory.parent), directory.name)


def _lock(place: Path) -> int | None:
    """Lock the directory at `place`, and complete unfinished writes of killed runs there.

    Return the descriptor of the lock. Return None if the directory does not exist, or the system has no such locks.
    """
    while True:
        lock = _lock_of_a_directory(place)
        try:
            if _is(lock, place) and not transaction.recover(place):
                return lock
        except BaseException:
            released(lock)
            raise
        released(lock)  # another directory has this name now, so the lock is on the wrong directory: try again


def _lock_of_a_directory(place: Path) -> int | None:
    _NOT_THERE.discard(place)
    try:
        return flocked(place)
    except FileNotFoundError:
        _NOT_THERE.add(place)
        return None
    except OSError as error:
        # Go on without a lock: later checks refuse the path and say why. `stranded.py` refuses an unreadable directory,
        # `planning.py` a file or link in place of the directory.
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.EACCES):
            return None
        raise


def _is(lock: int | None, place: Path) -> bool:
    try:
        return lock is None or os.path.samestat(os.fstat(lock), os.lstat(place))
    except FileNotFoundError:
        return False


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else "the file system refuses"
