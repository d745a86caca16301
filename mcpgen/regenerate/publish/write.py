"""A plan, carried out: a new directory is moved into place as a whole, and one that exists changes as a whole."""

import contextlib
from collections.abc import Collection, Mapping
from pathlib import Path

from mcpgen.base.tree import FileTree
from mcpgen.regenerate.publish import claim, exchange, staging, stepwise, transaction
from mcpgen.regenerate.publish.planning import Plan
from mcpgen.regenerate.publish.staging import Stage
from mcpgen.regenerate.publish.transaction import NoExchange


def publish(planned: Plan, tree: FileTree) -> None:
    """Carry `planned` out: at any moment the whole old project is there or the whole new one. Where that cannot be had
    (`stepwise` says where), a run that is killed leaves what the next run can take up.

    Busy where another run was faster. CannotGoOn where the file system refuses.
    """
    place, files = claim.physical(planned.directory), {path: tree[path] for path in planned.write}
    claim.confirm(planned.directory)
    with claim.failing(planned.directory):
        if not (planned.write or planned.remove):
            pass
        elif not place.exists():
            _create(place, files, planned.directory)
        else:
            _change(place, files, planned.remove, tree)
        staging.sweep(place)  # only now: until the lock is there, old stages say what is ours


def _create(place: Path, files: Mapping[str, bytes], directory: Path) -> None:
    """A directory that is not there, in one step. What was made on the way to it goes again where that fails."""
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
    except NoExchange:
        stepwise.write(place, files, gone)


def _put(stage: Stage, place: Path, directory: Path) -> None:
    try:
        exchange.place(stage.files, place)
    except FileExistsError:
        raise claim.busy(directory) from None
    claim.made(directory)
