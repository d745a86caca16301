"""Claim a project for one run, from before it is read until it is written. A second run at the same time is refused.

The directory itself is locked (`flock`), so no lock file is left behind. A directory that does not exist yet cannot be
locked: of two runs that create it, the second finds it there and is refused then.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from mcpgen.base.errors import Busy, CannotGoOn
from mcpgen.regenerate.publish import stranded, transaction
from mcpgen.regenerate.publish.flock import flocked, released
from mcpgen.regenerate.publish.transaction import Unfinished

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NOT_THERE: set[Path] = set()
"""Claimed directories that did not exist when they were claimed."""


@contextlib.contextmanager
def claimed(directory: Path) -> Iterator[None]:
    """Claim `directory` for this run. Leftovers of killed runs are completed or removed first, so one whole project is
    read.

    Raises Busy if another run holds it, CannotGoOn if that cannot be determined or if leftovers cannot be completed.
    """
    place = physical(directory)
    with failing(directory):
        lock = _lock(place)
    try:
        with reading(directory):
            stranded.refuse(directory, place)
        yield
    except CannotGoOn:
        confirm(directory)  # the refusal may be due to another run meanwhile
        raise
    finally:
        _NOT_THERE.discard(place)
        released(lock)


def confirm(directory: Path) -> None:
    """Raise Busy before the write if another run has created `directory` since it was claimed."""
    place = physical(directory)
    if place in _NOT_THERE and os.path.lexists(place):
        raise busy(directory)


def made(directory: Path) -> None:
    """Record that this run has created `directory`."""
    _NOT_THERE.discard(physical(directory))


def busy(directory: Path) -> Busy:
    """Return the error of a run that came second."""
    return Busy(
        "project-locked",
        f"Another run of mcpgen is at work in {told(directory)}.",
        hint="Wait until it has ended, and try again.",
    )


def told(path: Path) -> str:
    """Return `path` for a sentence, quoted if its final `.` would look like the end."""
    return f"`{path}`" if str(path).endswith(".") else str(path)


@contextlib.contextmanager
def failing(directory: Path) -> Iterator[None]:
    """Turn errors with the files of `directory` into one sentence each."""
    try:
        yield
    except BlockingIOError:
        raise busy(directory) from None
    except Unfinished as end:
        raise CannotGoOn(
            "output-unfinished",
            f"{directory} is written and complete, but could not be tidied up: {_reason(end.error)}.",
            hint="The next run over it does that.",
        ) from None
    except OSError as error:
        raise failed(directory, error) from None


def failed(directory: Path, error: OSError) -> CannotGoOn:
    """Return the error for a write that the file system refuses."""
    return CannotGoOn(
        "output-failed",
        f"{directory} cannot be written: {_reason(error)}.",
        hint="Make room there, and try again." if error.errno in _NO_ROOM else "Check its rights, or name another.",
    )


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of reading `path` into one sentence."""
    try:
        yield
    except OSError as error:
        message = f"{path} cannot be read: {_reason(error)}."
        raise CannotGoOn("output-failed", message, hint="Check its rights.") from None


def physical(directory: Path) -> Path:
    """Return the path without links in its parents. A link at the path itself stays, to be refused."""
    if directory.name in ("", ".."):
        return Path(os.path.realpath(directory))
    return Path(os.path.realpath(directory.parent), directory.name)


def _lock(place: Path) -> int | None:
    """Complete what killed runs left, then return the lock of the directory at `place`, or None if locks do not exist
    here.
    """
    while True:
        lock = _lock_of_a_directory(place)
        try:
            if _is(lock, place) and not transaction.recover(place):
                return lock
        except BaseException:
            released(lock)
            raise
        released(lock)  # the directory was exchanged, by this run or another, so the lock is on the wrong one


def _lock_of_a_directory(place: Path) -> int | None:
    _NOT_THERE.discard(place)
    try:
        return flocked(place)
    except FileNotFoundError:
        _NOT_THERE.add(place)
        return None
    except OSError as error:
        # A file, a link or an unreadable directory is refused when the write is planned.
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
