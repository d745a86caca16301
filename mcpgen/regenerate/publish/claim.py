"""Lock a project for one run, from before it is read until it is written. A second run at the same time is refused.

The directory itself is locked (`flock`), so no lock file is left behind. A directory that does not exist yet cannot be
locked. If two runs create it, the second run finds that it exists and is refused.

A project is refused too if a killed run left some of its files in a stage that is missing or belongs to another
project. Only a person can restore these files, so mcpgen writes nothing to such a project.
"""

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcpgen.base.errors import FatalError, ProjectBusy, reason_of
from mcpgen.regenerate.publish import replica, staging, transaction
from mcpgen.regenerate.publish.emitted import is_written_into
from mcpgen.regenerate.publish.flock import flocked, released
from mcpgen.regenerate.publish.staging import FILES, HOME
from mcpgen.regenerate.publish.transaction import Unfinished

_MOST_NAMED = 3
"""Limit on the paths that a message names."""

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
            _refuse_stranded(directory, place)
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


def first_few(paths: Sequence[str]) -> str:
    """Return paths for a message: the first ones, and how many more there are."""
    more = len(paths) - _MOST_NAMED
    return ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


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
            f"{directory} is written and complete, but temporary files could not be removed: {reason_of(end.error)}.",
            hint="You need to do nothing: the next run of mcpgen on this directory removes these files.",
        ) from None
    except OSError as error:
        raise failed(directory, error) from None


def failed(directory: Path, error: OSError) -> FatalError:
    """Return the error for a write that the file system refuses."""
    return FatalError(
        "output-failed",
        f"{directory} cannot be written: {reason_of(error)}.",
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
        message = f"{path} cannot be read: {reason_of(error)}."
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
        # Go on without a lock: later checks refuse the path and say why. `_refuse_stranded` refuses an unreadable
        # directory, `planning.py` a file or link in place of the directory.
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.EACCES):
            return None
        raise


def _is(lock: int | None, place: Path) -> bool:
    try:
        return lock is None or os.path.samestat(os.fstat(lock), os.lstat(place))
    except FileNotFoundError:
        return False


# -- files of a project in a missing stage -----------------------------------------------------------------------------


def _refuse_stranded(project: Path, place: Path) -> None:
    """Raise FatalError if the project at `place` still has links into a staging directory after recovery. The message
    names their paths.

    `project`: the path of the project for the message. Raises OSError if the directory cannot be read.
    """
    away: dict[str, list[str]] = {}
    for path in _entries(place):
        home = _stage_of(place / path, path)
        if home is not None:
            away.setdefault(home, []).append(path)
    for home, paths in away.items():
        raise _stranded(project, place.parent / home / FILES, paths)


def _entries(place: Path) -> Iterator[str]:
    """Yield the paths at which links into a staging directory are possible: the entries of folders with generated
    files.
    """
    try:
        yield from replica.entries(place, inside=is_written_into)
    except (FileNotFoundError, NotADirectoryError):
        return


def _stage_of(link: Path, path: str) -> str | None:
    """Return the name of the staging directory to which the symbolic link `link` points, or None.

    `path`: the path of `link` inside the project. Return None also if the link points to another path than `path`
    inside the staging directory, or if `link` is no symbolic link.
    """
    if not link.is_symlink():
        return None
    home = os.readlink(link).removeprefix("../" * (path.count("/") + 1)).partition("/")[0]
    return home if HOME.fullmatch(home) and os.readlink(link) == replica.way_to(home, path) else None


def _stranded(project: Path, lay: Path, paths: Sequence[str]) -> FatalError:
    there = [path for path in paths if os.path.lexists(lay / path)]
    missing = [path for path in paths if path not in there]
    some = first_few(missing or there)
    if missing:
        message = (
            f"A killed mcpgen run left {project} unfinished: the targets of its links {some} are missing in {lay}."
        )
        hint = (
            f"Restore the directory {lay.parent} and run mcpgen again, or replace each of these links by the file or "
            "folder to which it pointed."
        )
    else:
        message = f"{project} is unfinished: its links {some} lead into {lay}, which belongs to another project."
        hint = (
            f"The note `{staging.NOTE}` in {lay.parent} names the other project. If yours is a copy of that project, "
            "run `mcpgen regenerate` on the original and copy it again. Otherwise, replace each of these links by the "
            "file or folder to which it points."
        )
    return FatalError("output-unfinished", message, hint=hint)
