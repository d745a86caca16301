"""Write an existing project in one step: at any moment its path leads to the whole old or the whole new project.

The new project is built in a staging directory beside the old one. Unchanged files are hard links to the old files. The
user's folders, and files that cannot have hard links, are symbolic links (`replica`). Then the two directories are
exchanged. But the old directory must stay, since shells, editors and mounts use it, and it contains folders of the
user. So the old directory is made equal to the new one, file by file, and exchanged back. Then the staging directory is
removed.

If a run is killed between the two exchanges, the whole new project is at the project's path. Its symbolic links lead to
the old directory, which is then in the staging directory; `recover` completes the write. A record in the staging
directory shows by inodes which directory is the old and which the new one, so that a user's project is never removed.
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
    """Raised if the system cannot exchange these two directories. Nothing was changed."""


class Unfinished(Exception):
    """Raised if the new project is in place and complete, but links in it still point to files in the staging
    directory.

    The next run moves these files into the project.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


# A run that is killed between the swaps leaves a complete project. Shells and editors keep their directory
# (docs/decisions/writing.md).
def commit(directory: Path, files: Mapping[str, bytes], gone: Collection[str], paths: Collection[str]) -> None:
    """Write `files` into `directory` and remove the paths in `gone`, in one step. `paths`: all generated paths of the
    project.

    `directory` is absolute, and no parent is a link. After CannotExchange or OSError nothing was changed. After
    Unfinished the project is new and complete, but a staging directory is left for the next run.
    """
    with contextlib.ExitStack() as stack:
        try:
            stage = stack.enter_context(staging.staged(directory.parent, files))
        except OSError as error:
            raise _told_apart(error) from None
        if not stage.locked or os.lstat(stage.home).st_dev != os.lstat(directory).st_dev:
            raise CannotExchange
        record = _prepared(directory, stage, files, gone, paths)
        # lock the new directory too: once the two directories are exchanged, it stands at the project's path, where
        # other runs of mcpgen try to lock it
        stack.enter_context(held(stage.files))
        _exchange(directory, stage, record)
        _finish_or_say(directory, stage, record)


def recover(directory: Path) -> bool:
    """Complete writes of killed runs whose staging directories are beside `directory`. The caller holds the lock of
    `directory`.

    Return True if directories were exchanged, so that the caller's lock is on another directory. Raises Unfinished if a
    write still cannot be completed, OSError if a staging directory cannot be examined.
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
    """Fill the staging directory with the new project. Write and return the record by which `recover` completes an
    interrupted write.
    """
    old, new = inode(directory), inode(stage.files)
    assert old is not None
    assert new is not None
    record = Record(old, new, replica.share(directory, stage, files, gone, paths))
    staging.note(stage, record, directory)
    return record


def _exchange(directory: Path, stage: Stage, record: Record) -> None:
    """Exchange the project's directory and the staging directory's `project/`.

    If somebody has replaced the project meanwhile, exchange the directories back and raise FileNotFoundError.
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
    """Complete the write. This is tried twice, since a disk may fail for a moment.

    If both attempts fail, the directory at the project's path decides. If it is the new one, which has links into the
    staging directory, raises Unfinished. If it is the old one again, only removes the staging directory.
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
    """If the new directory is at the project's path, make the old one equal to it, and exchange the two. Then the old
    directory, which shells and editors may use, is at this path again. In any case, remove the staging directory.

    The function may be called again after a failure. Files are compared a second time after the exchange, because
    somebody may have saved files into the new directory before the exchange.
    """
    if inode(directory) == record.new:
        seen = replica.settle(directory, stage.files, record.known, stage.spare)
        exchange.swap(directory, stage.files)
        replica.settle(stage.files, directory, seen, stage.spare)
    staging.remove(stage)


def _is_of(directory: Path, stage: Stage, record: Record) -> bool:
    """Return True if `directory` and the staging directory's `project/` were exchanged, according to their inodes now
    and the inodes before (`record`).

    The system reuses inodes. So if `record.known` lists files, at least one file in `directory` must have its inode in
    this list as well.
    """
    if (inode(stage.files), inode(directory)) != (record.old, record.new):
        return False
    return not record.known or any(inode(directory / path) == number for path, number in record.known.items())


@contextlib.contextmanager
def _standing() -> Iterator[None]:
    """Change to the working directory again by its path, after the context has exchanged directories.

    Otherwise a process whose working directory was exchanged would be left in a directory that is removed.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:
        yield
        return
    yield
    os.chdir(here)


def _told_apart(error: OSError) -> Exception:
    """Return CannotExchange if `error` means that the system cannot exchange the two directories (REFUSALS), else
    `error` itself.
    """
    return CannotExchange() if error.errno in exchange.REFUSALS else error
