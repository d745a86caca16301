"""A project is one run's from before it is read until it is written: a second run at once is turned away.

The lock is one of the directory itself (`flock`), so no file of it is left behind. A directory that is not there yet
cannot be locked: of two runs that make it, the one that comes second finds it there, and is turned away then.
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
"""Directories that this process claims and that were not there when it did."""


@contextlib.contextmanager
def claimed(directory: Path) -> Iterator[None]:
    """`directory` for this run alone; what runs that were killed left beside it is finished or removed first, so that
    what is read from here on is one whole project.

    Busy where another run has it. CannotGoOn where it cannot be told, or where what was left cannot be finished.
    """
    place = physical(directory)
    with failing(directory):
        lock = _lock(place)
    try:
        with reading(directory):
            stranded.refuse(directory, place)
        yield
    except CannotGoOn:
        confirm(directory)  # it may have been refused for what another run has put there meanwhile
        raise
    finally:
        _NOT_THERE.discard(place)
        released(lock)


def confirm(directory: Path) -> None:
    """Before the write: Busy where another run has made `directory` since it was claimed."""
    place = physical(directory)
    if place in _NOT_THERE and os.path.lexists(place):
        raise busy(directory)


def made(directory: Path) -> None:
    """This run has made `directory`, and nobody else."""
    _NOT_THERE.discard(physical(directory))


def busy(directory: Path) -> Busy:
    """The end of a run that came second."""
    return Busy(
        "project-locked",
        f"Another run of mcpgen is at work in {told(directory)}.",
        hint="Wait until it has ended, and try again.",
    )


def told(path: Path) -> str:
    """`path` in a sentence, where `.` would be taken for its end."""
    return f"`{path}`" if str(path).endswith(".") else str(path)


@contextlib.contextmanager
def failing(directory: Path) -> Iterator[None]:
    """What goes wrong with the files of `directory`, each as one sentence."""
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
    """The end of a run that the file system refuses."""
    return CannotGoOn(
        "output-failed",
        f"{directory} cannot be written: {_reason(error)}.",
        hint="Make room there, and try again." if error.errno in _NO_ROOM else "Check its rights, or name another.",
    )


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """What goes wrong where `path` is only looked at, as one sentence."""
    try:
        yield
    except OSError as error:
        message = f"{path} cannot be read: {_reason(error)}."
        raise CannotGoOn("output-failed", message, hint="Check its rights.") from None


def physical(directory: Path) -> Path:
    """Where it lies, with no link on the way; one in its own place stays, to be refused."""
    if directory.name in ("", ".."):
        return Path(os.path.realpath(directory))
    return Path(os.path.realpath(directory.parent), directory.name)


def _lock(place: Path) -> int | None:
    """The lock of the directory that lies at `place` once nothing is left to be finished; None where there is none."""
    while True:
        lock = _lock_of_a_directory(place)
        try:
            if _is(lock, place) and not transaction.recover(place):
                return lock
        except BaseException:
            released(lock)
            raise
        released(lock)  # another directory lies there now: this run exchanged them, or the one before it


def _lock_of_a_directory(place: Path) -> int | None:
    _NOT_THERE.discard(place)
    try:
        return flocked(place)
    except FileNotFoundError:
        _NOT_THERE.add(place)
        return None
    except OSError as error:
        # a file, a link, or a directory that cannot be read: refused when the write is planned
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
