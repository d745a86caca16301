"""`FileTree` → a directory that is ours: what is written, what is kept, and what is refused.

Everything that could go wrong is looked at before the first byte is written: a directory that is not ours, a link in
the way, a generated file that somebody edited. Then all that changes is written to a stage. A new directory is moved
into place as a whole. Into one that exists each file is moved over its old self: the lock last, so that until then
the stage holds the lock of what came first, and a run after a kill knows the files of both; but first where there was
none, since a directory without a lock is not ours. The table goes behind the Python that was made with it, since a
server that runs may take it up at once. Files that belong to the user are written when they are missing and never
again.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpgen import lock as locks
from mcpgen import staging
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import digest
from mcpgen.lock import Lock
from mcpgen.staging import Stage
from mcpgen.tree import FileTree


@dataclass(frozen=True, slots=True)
class Plan:
    """What publishing would do: paths relative to the directory, sorted."""

    directory: Path
    write: tuple[str, ...]
    remove: tuple[str, ...]
    kept: tuple[str, ...]


def previous_lock(directory: Path) -> Lock | None:
    """The lock of the project in `directory`, None where there is no project yet. CannotGoOn for a lock that cannot be
    read.
    """
    path = directory / locks.NAME
    try:
        return locks.load(path.read_bytes(), str(path)) if path.is_file() else None
    except OSError as error:
        raise _failed(directory, error) from None


def plan(
    directory: Path,
    tree: FileTree,
    owned: Iterable[str],
    previous: Lock | None,
    *,
    carried: Iterable[str] = (),
    overwrite: bool = False,
) -> Plan:
    """What it takes to make `directory` hold `tree`. `owned` are the user's files; of the paths `carried` the tree has
    what was edited.

    CannotGoOn where the directory is not ours to write, or where generated files were edited and `overwrite` is not
    given.
    """
    _refuse_foreign(directory, previous)
    users, unedited = set(owned), {locks.NAME, *carried}
    recorded: Mapping[str, str] = previous.files if previous else {}
    known = _known(directory, recorded)
    write, kept, remove, edited = [], [], [], []
    for path, data in tree.items():
        there = present(directory, path)
        if there is None:
            write.append(path)
        elif path in users:
            kept.append(path)
        elif there != data:
            write.append(path)
            if path not in unedited and digest(there) not in known.get(path, ()):
                edited.append(path)
    for path in sorted(known.keys() - set(tree) - users):
        there = present(directory, path)
        ours = there is not None and digest(there) in known[path]
        if ours or (there is not None and path in recorded):
            remove.append(path)
            edited += [] if ours else [path]
    if edited and not overwrite:
        raise CannotGoOn(
            "edited-file",
            f"{_some(edited)} in {directory} {'was' if len(edited) == 1 else 'were'} edited by hand.",
            hint="Move the edit to hooks.py or mcpgen.yaml, or give --overwrite to lose it.",
        )
    return Plan(directory, tuple(write), tuple(remove), tuple(kept))


def publish(planned: Plan, tree: FileTree) -> None:
    """Carry `planned` out. CannotGoOn where the file system refuses.

    A run that is killed at any moment leaves what the next run can take up.
    """
    directory = planned.directory
    try:
        new = not directory.exists()
        place = directory.parent if new else directory
        if planned.write or planned.remove:
            place.mkdir(parents=True, exist_ok=True)
            with staging.staged(place, {path: tree[path] for path in planned.write}) as stage:
                if new:
                    stage.files.rename(directory)
                else:
                    _move(stage, planned)
        for each in (directory.parent, directory):  # only now: until the lock is there, old stages say what is ours
            staging.sweep(each)
    except OSError as error:
        raise _failed(directory, error) from None


def _move(stage: Stage, planned: Plan) -> None:
    """The staged files into their places, one by one. Where that breaks off the stage stays, for the next run."""
    directory = planned.directory
    stage.keep = True
    first_ever = not (directory / locks.NAME).exists()
    for path in sorted(planned.write, key=lambda path: ((path == locks.NAME) is not first_ever, _is_table(path))):
        if path == locks.NAME and not first_ever:
            _remove(planned)
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (stage.files / path).replace(directory / path)
    _remove(planned)
    stage.keep = False


def _is_table(path: str) -> bool:
    return path.rpartition("/")[2] in ("tools.json", "bindings.json", "resources.json", "prompts.json")


def _remove(planned: Plan) -> None:
    for path in planned.remove:
        (planned.directory / path).unlink(missing_ok=True)
        _remove_empty(planned.directory, (planned.directory / path).parent)


def _known(directory: Path, recorded: Mapping[str, str]) -> dict[str, set[str]]:
    """Path → the digests that our own writing gives it: those of the lock, and of locks that still wait in the stages
    of runs that broke off between the first file and the lock.
    """
    known = {path: {found} for path, found in recorded.items()}
    for stage in staging.stages(directory):
        data = staging.read(stage, locks.NAME)
        try:
            lock = locks.load(data, locks.NAME) if data is not None else None
        except CannotGoOn:  # broken off while the lock itself was written: no file had been moved
            lock = None
        for path, found in lock.files.items() if lock else ():
            known.setdefault(path, set()).add(found)
    return known


def _refuse_foreign(directory: Path, previous: Lock | None) -> None:
    reason = ""
    try:
        if directory.is_symlink():
            reason = "is a link"
        elif directory.exists() and not directory.is_dir():
            reason = "is not a directory"
        elif previous is None and directory.is_dir() and (found := _strangers(directory)):
            reason = f"holds files that mcpgen did not write ({_some(found)})"
    except OSError as error:
        raise _failed(directory, error) from None
    if reason:
        raise CannotGoOn("output-refused", f"{directory} {reason}.", hint="Name an empty or new directory with -o.")


def _strangers(directory: Path) -> list[str]:
    ours = {stage.home.name for stage in staging.stages(directory)}
    return sorted({path.name for path in directory.iterdir()} - ours)


def present(directory: Path, path: str) -> bytes | None:
    """The bytes at `path`, None where nothing is there. CannotGoOn for anything but a regular file inside the
    directory.
    """
    place = directory
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            raise CannotGoOn(
                "output-refused", f"{place} is a link.", hint="Remove it; mcpgen does not write through links."
            )
    try:
        if not stat.S_ISREG(place.stat().st_mode):
            raise CannotGoOn("output-refused", f"{place} is not a regular file.", hint="Remove it.")
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise CannotGoOn("output-refused", f"A file stands in the way of {place}.", hint="Remove it.") from None
    except OSError as error:
        raise _failed(directory, error) from None


def _remove_empty(directory: Path, folder: Path) -> None:
    """Remove `folder` and its parents up to `directory` as long as they are empty."""
    while folder != directory and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _failed(directory: Path, error: OSError) -> CannotGoOn:
    reason = os.strerror(error.errno) if error.errno else "the file system refuses"
    return CannotGoOn(
        "output-failed",
        f"{directory} cannot be written: {reason}.",
        hint="Check its rights, or choose another with -o.",
    )
