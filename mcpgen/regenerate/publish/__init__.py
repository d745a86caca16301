"""Write a `FileTree` to a project's directory, so that at any moment it contains the whole old or the whole new
project.

A run locks the directory (`claim`) and plans the write (`planning`). A new project is moved into place as a whole. An
existing project changes as a whole, by two exchanges of whole directories (`transaction`).

A project is written file by file if its directory cannot be exchanged: on Windows, on some file systems, at mount
points, and if the parent directory belongs to another user. Each file is then moved over the old one from a staging
directory inside the project. The lock file is moved last. Until then that directory contains the new lock file, so
after a kill the next run knows the files of both generations. In a new project the lock file is moved first, since
mcpgen refuses a directory with files and without a lock file. JSON files are moved after the Python code that reads
them, since a running server may load them at once.

A kill leaves a mix of old and new files, each complete. The next run writes the files that still differ, from a new
staging directory. Of the old staging directory, the next run reads only the lock file, and at last removes the
directory. On systems that cannot lock directories, such as Windows, the old staging directory stays.
"""

import contextlib
from collections.abc import Collection, Mapping
from pathlib import Path

from mcpgen.base.tree import FileTree
from mcpgen.lock import lockfile as locks
from mcpgen.regenerate.publish import claim, exchange, staging, transaction
from mcpgen.regenerate.publish.claim import claimed, told
from mcpgen.regenerate.publish.emitted import TABLES
from mcpgen.regenerate.publish.planning import Plan, edits, plan
from mcpgen.regenerate.publish.present import no_lock, present, previous_lock
from mcpgen.regenerate.publish.replica import remove_empty
from mcpgen.regenerate.publish.staging import Stage
from mcpgen.regenerate.publish.transaction import CannotExchange

__all__ = ["Plan", "claimed", "edits", "no_lock", "plan", "present", "previous_lock", "publish", "told"]


def publish(planned: Plan, tree: FileTree) -> None:
    """Carry out the plan `planned`, so that at any moment the directory contains the whole old or the whole new
    project.

    If the file system cannot exchange directories, a killed run leaves an unfinished write, which the next run
    completes. Raises ProjectBusy if another run has created the project meanwhile, FatalError if the file
    system refuses.
    """
    place, files = claim.physical(planned.directory), {path: tree[path] for path in planned.write}
    claim.confirm(planned.directory)
    with claim.failing(planned.directory):
        if not (planned.write or planned.remove):
            pass
        elif not place.exists():
            _create(place, files, planned.directory)
        else:
            _change(place, files, planned.remove, tree.keys() - planned.kept)
        # Remove the staging directories of killed runs only now. Until the new lock file is written, the lock files in
        # them show which files mcpgen wrote.
        staging.sweep(place)


def _create(place: Path, files: Mapping[str, bytes], directory: Path) -> None:
    """Create the project's directory with its files in one step. If that fails, remove the parent directories that were
    created for it.
    """
    made = [folder for folder in place.parents if not folder.exists()]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with staging.staged(place.parent, files) as stage:
            _put(stage, place, directory)
    except BaseException:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _change(place: Path, files: Mapping[str, bytes], gone: Collection[str], paths: Collection[str]) -> None:
    try:
        transaction.commit(place, files, gone, paths)
    except CannotExchange:
        _write_stepwise(place, files, gone)


def _put(stage: Stage, place: Path, directory: Path) -> None:
    try:
        exchange.place(stage.files, place)
    except FileExistsError:
        raise claim.busy(directory) from None
    claim.made(directory)


# Windows, mount points and some file systems cannot exchange directories (docs/decisions/writing.md).
def _write_stepwise(directory: Path, files: Mapping[str, bytes], gone: Collection[str]) -> None:
    """Write `files` into `directory`, and remove the paths in `gone`.

    After a failure (OSError) the staging directory is kept: by its lock file, the next run recognises files that were
    already replaced.
    """
    with staging.staged(directory, files) as stage:
        stage.keep = True
        _move(stage, directory, files, gone)
        stage.keep = False


def _move(stage: Stage, directory: Path, files: Collection[str], gone: Collection[str]) -> None:
    first_ever = not (directory / locks.NAME).exists()
    for path in sorted(files, key=lambda path: ((path == locks.NAME) is not first_ever, _is_table(path))):
        if path == locks.NAME and not first_ever:
            _remove(directory, gone)
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (stage.files / path).replace(directory / path)
    _remove(directory, gone)


def _is_table(path: str) -> bool:
    return path.rpartition("/")[2] in TABLES


def _remove(directory: Path, gone: Collection[str]) -> None:
    for path in gone:
        (directory / path).unlink(missing_ok=True)
        remove_empty(directory, (directory / path).parent)
