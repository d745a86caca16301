"""Write and remove the files of a project as planned. A new project is moved into place as a whole, and an existing
project changes as a whole.
"""

import contextlib
from collections.abc import Collection, Mapping
from pathlib import Path

from mcpgen.base.tree import FileTree
from mcpgen.regenerate.publish import claim, exchange, staging, stepwise, transaction
from mcpgen.regenerate.publish.planning import Plan
from mcpgen.regenerate.publish.staging import Stage
from mcpgen.regenerate.publish.transaction import CannotExchange


def publish(planned: Plan, tree: FileTree) -> None:
    """Carry out the plan `planned`, so that at any moment the directory contains the whole old or the whole new
    project.

    If the file system cannot exchange directories (see `stepwise`), a killed run leaves an unfinished write, which the
    next run completes. Raises ProjectBusy if another run has created the project meanwhile, FatalError if the file
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
        stepwise.write(place, files, gone)


def _put(stage: Stage, place: Path, directory: Path) -> None:
    try:
        exchange.place(stage.files, place)
    except FileExistsError:
        raise claim.busy(directory) from None
    claim.made(directory)
