"""Write an existing project in one step: its place holds the whole old or the whole new project at any moment.

The new project is built beside the old one, with its unchanged files (`replica`), and the two directories are
exchanged. But the directory itself must stay: shells, editors and mounts hold on to it, and folders of others lie in
it. So the old directory, now under the other name, is made equal to the new one, file by file, and exchanged back. Then
the stand-in is removed.

A run that is killed between the exchanges leaves the whole new project in place, with links into the stage; `recover`
completes it. The record in the stage tells by inodes which directory lies where, so that no project of a user is ever
removed.
"""

import contextlib
import errno
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from mcpgen.regenerate.publish import exchange, replica, staging
from mcpgen.regenerate.publish.flock import held
from mcpgen.regenerate.publish.staging import Record, Stage, inode


class CannotExchange(Exception):
    """This write cannot be done in one step here. Nothing was changed."""


class Unfinished(Exception):
    """The new project is in place and complete, but links in it lead to files in the stage.

    The next run moves these files.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


# Decision 0136: Writing a project exchanges two directories twice.
def commit(directory: Path, files: Mapping[str, bytes], gone: Collection[str], paths: Collection[str]) -> None:
    """Write `files` into `directory` and remove what is `gone`, in one step. `paths`: all generated paths of the
    project.

    `directory` is absolute, and no parent is a link. After NoExchange or OSError nothing was changed. After Unfinished
    the change was made, but a stage is left for the next run.
    """
    with contextlib.ExitStack() as stack:
        try:
            stage = stack.enter_context(staging.staged(directory.parent, files))
        except OSError as error:
            raise _told_apart(error) from None
        if not stage.locked or os.lstat(stage.home).st_dev != os.lstat(directory).st_dev:
            raise CannotExchange
        record = _prepared(directory, stage, files, gone, paths)
        # after the exchange this is the project's directory, which other runs try to lock
        stack.enter_context(held(stage.files))
        _exchange(directory, stage, record)
        _finish_or_say(directory, stage, record)


def recover(directory: Path) -> bool:
    """Complete what killed runs left beside `directory`, whose lock the caller holds.

    Return True if directories were exchanged, so that the lock is on another directory. Raises Unfinished if completing
    fails again, OSError if a stage cannot be examined.
    """
    finished = False
    for stage in staging.abandoned(directory.parent):
        record = staging.recorded(stage)
        if staging.is_expendable(stage):
            staging.remove(stage)
        elif record is not None and _is_of(directory, stage, record):
            with held(stage.files), _standing():
                _finish_or_say(directory, stage, record)
            finished = True
    return finished


def _prepared(
    directory: Path, stage: Stage, files: Mapping[str, bytes], gone: Collection[str], paths: Collection[str]
) -> Record:
    """Fill the stage and write its record."""
    old, new = inode(directory), inode(stage.files)
    assert old is not None
    assert new is not None
    record = Record(old, new, replica.share(directory, stage, files, gone, paths))
    staging.note(stage, record, directory)
    return record


def _exchange(directory: Path, stage: Stage, record: Record) -> None:
    """Exchange the two directories.

    If somebody replaced the project meanwhile, exchange them back and raise FileNotFoundError.
    """
    try:
        exchange.swap(directory, stage.files)
        if inode(stage.files) != record.old:
            exchange.swap(directory, stage.files)
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(directory))
    except OSError as error:
        raise _told_apart(error) from None
    finally:
        stage.keep = inode(stage.files) != record.new


def _finish_or_say(directory: Path, stage: Stage, record: Record) -> None:
    """Complete the write, trying twice since a disk may fail for a moment.

    Raises Unfinished if the new directory then still lies in the project's place.
    """
    try:
        with contextlib.suppress(OSError):
            return _finish(directory, stage, record)
        _finish(directory, stage, record)
    except OSError as error:
        if inode(directory) == record.new:
            raise Unfinished(error) from None
        staging.remove(stage)


def _finish(directory: Path, stage: Stage, record: Record) -> None:
    """Make the old directory equal to the new one, exchange them back, and remove the stage. May be repeated after a
    failure.

    A second pass collects files that were saved into the new directory before the exchange back.
    """
    if inode(directory) == record.new:
        seen = replica.settle(directory, stage.files, record.known, stage.spare)
        exchange.swap(directory, stage.files)
        replica.settle(stage.files, directory, seen, stage.spare)
    staging.remove(stage)


def _is_of(directory: Path, stage: Stage, record: Record) -> bool:
    """Return True if `directory` and the stage's `project/` were exchanged with each other, by their inodes.

    The system reuses inodes, so that at least one file must have its recorded inode, too.
    """
    if (inode(stage.files), inode(directory)) != (record.old, record.new):
        return False
    return not record.known or any(inode(directory / path) == number for path, number in record.known.items())


@contextlib.contextmanager
def _standing() -> Iterator[None]:
    """Enter the working directory again by its name, after the context has exchanged directories.

    A process that was started in the new directory would otherwise be left in a removed one.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:
        yield
        return
    yield
    os.chdir(here)


def _told_apart(error: OSError) -> Exception:
    """Return NoExchange if `error` means that exchanges are impossible here (REFUSALS), else `error` itself."""
    return CannotExchange() if error.errno in exchange.REFUSALS else error
