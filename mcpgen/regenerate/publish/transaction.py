"""The write of a project that is there, as one step: what lies in its place is the whole old one or the whole new one.

The new project is made beside the old one, of its files where they stay (`replica`), and the two directories are
exchanged. That would be all, but for the directory itself: shells stand in it, editors and mounts hold on to it, and
folders of others lie in it. So the old one, which nobody sees by its name now, is made the same as the new one, file
by file, and exchanged back: the directory is the one that was always there, and what only stood in for it is removed.

A run that is killed between the two exchanges leaves the new project in the place of the old one, whole, with links
into the stage; `recover` does the rest. The record of the stage tells by inodes which of the two lies where, so that
nothing is ever removed that is somebody's project.
"""

import contextlib
import errno
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from mcpgen.regenerate.publish import exchange, replica, staging
from mcpgen.regenerate.publish.flock import held
from mcpgen.regenerate.publish.staging import Record, Stage, inode


class NoExchange(Exception):
    """This write cannot be done in one step here; nothing was changed."""


class Unfinished(Exception):
    """The project is the new one and whole, but parts of it still lie in the stage. The next run brings them home."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


# Decision 0136: A project is exchanged twice.
def commit(directory: Path, files: Mapping[str, bytes], gone: Collection[str], paths: Collection[str]) -> None:
    """Make `directory` (absolute, no link on the way) hold `files` and nothing that is `gone`; `paths` are all of the
    project.

    NoExchange or OSError: nothing was changed. Unfinished: it was, and something is left over.
    """
    with contextlib.ExitStack() as stack:
        try:
            stage = stack.enter_context(staging.staged(directory.parent, files))
        except OSError as error:
            raise _told_apart(error) from None
        if not stage.locked or os.lstat(stage.home).st_dev != os.lstat(directory).st_dev:
            raise NoExchange
        record = _prepared(directory, stage, files, gone, paths)
        stack.enter_context(held(stage.files))  # in the place of the project, other runs meet it
        _exchange(directory, stage, record)
        _finish_or_say(directory, stage, record)


def recover(directory: Path) -> bool:
    """Finish what killed runs left beside `directory`: whether it was exchanged. Unfinished where that fails again,
    OSError where it cannot be told.

    Whoever calls this has the lock of `directory`.
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
    """Fill the stage, and remember which is which."""
    old, new = inode(directory), inode(stage.files)
    assert old is not None
    assert new is not None
    record = Record(old, new, replica.share(directory, stage, files, gone, paths))
    staging.note(stage, record, directory)
    return record


def _exchange(directory: Path, stage: Stage, record: Record) -> None:
    """The step itself. Where another directory was put there meanwhile, that one is put back."""
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
    """Once more where it fails: a disk may be full or fail for a moment."""
    try:
        with contextlib.suppress(OSError):
            return _finish(directory, stage, record)
        _finish(directory, stage, record)
    except OSError as error:
        if inode(directory) == record.new:
            raise Unfinished(error) from None
        staging.remove(stage)


def _finish(directory: Path, stage: Stage, record: Record) -> None:
    """From the first exchange on; it can be done again at any point.

    What somebody saves while the new directory still has the name is looked for once more after it lost it.
    """
    if inode(directory) == record.new:
        seen = replica.settle(directory, stage.files, record.known, stage.spare)
        exchange.swap(directory, stage.files)
        replica.settle(stage.files, directory, seen, stage.spare)
    staging.remove(stage)


def _is_of(directory: Path, stage: Stage, record: Record) -> bool:
    """Whether the two were exchanged for each other. Inodes are used again, so a file that both have must prove it."""
    if (inode(stage.files), inode(directory)) != (record.old, record.new):
        return False
    return not record.known or any(inode(directory / path) == number for path, number in record.known.items())


@contextlib.contextmanager
def _standing() -> Iterator[None]:
    """Whoever was started in the new directory stands in the old one afterwards, under the same name: paths that were
    given relative to it would lead nowhere once the new one is gone.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:
        yield
        return
    yield
    os.chdir(here)


def _told_apart(error: OSError) -> Exception:
    """What an error of the exchange, or of making a directory beside the project, means."""
    return NoExchange() if error.errno in exchange.REFUSALS else error
