"""`FileTree` → a directory that is ours: what is written, what is kept, and what is refused.

Everything that could go wrong is looked at before the first byte is written: a directory that is not ours, a link in
the way, a generated file that somebody edited. Then each changed file is written beside its place and moved over it,
the lock last. Files that belong to the user are written when they are missing and never again.
"""

import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mcpgen import lock as locks
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import digest
from mcpgen.lock import Lock
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
    directory: Path, tree: FileTree, owned: Iterable[str], previous: Lock | None, *, overwrite: bool = False
) -> Plan:
    """What it takes to make `directory` hold `tree`. `owned` are the user's files.

    CannotGoOn where the directory is not ours to write, or where generated files were edited and `overwrite` is not
    given.
    """
    _refuse_foreign(directory, previous)
    users = set(owned)
    recorded = dict(previous.files) if previous else {}
    write, kept, edited = [], [], []
    for path, data in tree.items():
        present = _present(directory, path)
        if present is None:
            write.append(path)
        elif path in users:
            kept.append(path)
        elif present != data:
            write.append(path)
            if path != locks.NAME and recorded.get(path) != digest(present):
                edited.append(path)
    remove = [
        path for path in recorded if path not in tree and path not in users and _present(directory, path) is not None
    ]
    edited += [path for path in remove if digest(_present(directory, path) or b"") != recorded[path]]
    if edited and not overwrite:
        raise CannotGoOn(
            "edited-file",
            f"{_some(edited)} in {directory} {'was' if len(edited) == 1 else 'were'} edited by hand.",
            hint="Move the edit to hooks.py or mcpgen.yaml, or give --overwrite to lose it.",
        )
    return Plan(directory, tuple(write), tuple(sorted(remove)), tuple(kept))


def publish(planned: Plan, tree: FileTree) -> None:
    """Carry `planned` out. CannotGoOn where the file system refuses."""
    directory = planned.directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for path in sorted(planned.write, key=lambda path: path == locks.NAME):
            _replace(directory / path, tree[path])
        for path in planned.remove:
            (directory / path).unlink()
            _remove_empty(directory, (directory / path).parent)
    except OSError as error:
        raise _failed(directory, error) from None


def _refuse_foreign(directory: Path, previous: Lock | None) -> None:
    reason = ""
    try:
        if directory.is_symlink():
            reason = "is a link"
        elif directory.exists() and not directory.is_dir():
            reason = "is not a directory"
        elif previous is None and directory.is_dir() and (found := sorted(path.name for path in directory.iterdir())):
            reason = f"holds files that mcpgen did not write ({_some(found)})"
    except OSError as error:
        raise _failed(directory, error) from None
    if reason:
        raise CannotGoOn("output-refused", f"{directory} {reason}.", hint="Name an empty or new directory with -o.")


def _present(directory: Path, path: str) -> bytes | None:
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


def _replace(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".mcpgen-", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _remove_empty(directory: Path, folder: Path) -> None:
    """Remove `folder` and its parents up to `directory` as long as they are empty."""
    while folder != directory and not any(folder.iterdir()):
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
