"""Read the lock file and other files of an existing project, without following links. Errors name git commands that
bring files back; mcpgen itself never runs git.

A project whose generated files contain conflict marks of a git merge is refused. The files of one generation belong
together: the lock file has a digest of each, and names and versions are computed from them. So the user has to take all
of them from one side of the merge. Generating them again then brings in the changes of the other side.
"""

import os
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.base.safe_open import read_below
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.read.document.load import conflict_line
from mcpgen.regenerate.publish import claim, emitted
from mcpgen.regenerate.publish.emitted import packages

_OTHER_SIDE = "MERGE_HEAD (in a rebase REBASE_HEAD)"
"""What a user writes in place of `HEAD` to take the files of the other side."""

LARGEST = 1 << 28
"""Largest file that is read, in bytes. mcpgen writes far smaller ones."""


def previous_lock(directory: Path) -> Lock | None:
    """Return the lock file of the project in `directory`, or None if there is none. Raises FatalError if it cannot be
    read, or if generated files contain conflict marks of a merge.
    """
    _refuse_conflicts(directory, LARGEST)
    path = directory / locks.NAME
    with claim.reading(path):
        return locks.load(_read(path), str(path)) if path.is_file() else None


def no_lock(directory: Path, *, is_readable: bool = True) -> FatalError:
    """Return the error for a directory without a lock file: a project that has lost it, or no project at all.

    `is_readable`: False if the lock file cannot be rebuilt from the project's JSON files.
    """
    if not (found := packages(directory)):
        message = f"{directory} is not a generated project: it has no {locks.NAME}."
        hint = "Name the directory of a generated project, or make one with `mcpgen generate SOURCE -o DIR`."
        return FatalError("no-project", message, hint=hint)
    message = f"The lock file {locks.NAME} of the project in {claim.told(directory)} is missing"
    message += "." if is_readable else ", and cannot be rebuilt from bindings.json and tools.json."
    hint = f"Bring the file back with `{git_last_version(directory, locks.NAME)}`"
    rebuild = (
        f"rebuild it with `mcpgen generate SOURCE -o {shlex.quote(str(directory))}` and the flags of the first run"
    )
    hint += f", or {rebuild if is_readable else 'name another directory'}."
    return FatalError("lock-missing", message, Where(str(directory / found[0])), hint)


def present(directory: Path, path: str, first: int | None = None) -> bytes | None:
    """Return the bytes of the file at `path` in `directory`, at most `first` bytes if given; None if there is no file.

    Raises FatalError if a part of the path is a link, or if the file is not regular or larger than LARGEST.
    """
    place = directory
    with claim.reading(directory / path):
        try:
            for part in path.split("/"):
                place = place / part
                if stat.S_ISLNK(mode := place.lstat().st_mode):
                    hint = "Remove the link; mcpgen does not write through links."
                    raise FatalError("output-refused", f"{place} is a link.", hint=hint)
            if not stat.S_ISREG(mode):
                raise FatalError("output-refused", f"{place} is not a regular file.", hint="Remove this file.")
            return _read(place, first)
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            raise _in_the_way(directory, directory / path) from None


def _read(place: Path, first: int | None = None) -> bytes:
    """Return the bytes of a file. Bytes that another process appends meanwhile are not read."""
    with place.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if first is None and size > LARGEST:
            message = f"{place} is larger than any file that mcpgen writes."
            raise FatalError("output-refused", message, hint="Move this file away, and run mcpgen again.")
        return file.read(size if first is None else min(size, first))


def _in_the_way(directory: Path, place: Path) -> FatalError:
    """Return the error for a file at a path where mcpgen needs a folder.

    A file above the project may be important, so the hint does not say to remove it.
    """
    inside = directory.is_dir()
    message = f"mcpgen needs a directory at {place if inside else directory}, but a file is in the way."
    return FatalError("output-refused", message, hint="Move the file away." if inside else "Name another directory.")


def _refuse_conflicts(directory: Path, largest: int) -> None:
    """Raise FatalError if generated files of the project in `directory` contain conflict marks in their first `largest`
    bytes.

    The message names the files and a git command that leaves the user's own files as they are.
    """
    paths = [*emitted.generated(directory)]
    if marked := [path for path in paths if _has_marks(directory, path, largest)]:
        raise _conflict(directory, paths, marked)


def _has_marks(directory: Path, path: str, largest: int) -> bool:
    try:
        return conflict_line(read_below(str(directory), path, largest).decode("latin-1")) > 0
    except (OSError, ValueError):
        return False


def _conflict(directory: Path, paths: Iterable[str], marked: list[str]) -> FatalError:
    contain = "contains" if len(marked) == 1 else "contain"
    # A changelog that git merged without a conflict has the entries of both sides, so it stays.
    whole = {emitted.runtime_or_file(path) for path in paths if path != emitted.CHANGELOG or path in marked}
    hint = (
        f"Take all generated files from one side with `{_git_one_side(directory, whole)}`, "
        f"and generate again. To take the other side, write {_OTHER_SIDE} for HEAD. "
        "If HEAD contains the marks, name the commit before it."
    )
    if emitted.CHANGELOG in marked:
        hint += (
            f" To keep the entries of both sides, remove the marks from {emitted.CHANGELOG} by hand, and leave it out."
        )
    message = f"{claim.first_few(marked)} in {directory} {contain} conflict marks of a merge."
    return FatalError("merge-conflict", message, Where(str(directory / marked[0])), hint)


# -- git commands for the user -----------------------------------------------------------------------------------------


def git_checkout(directory: Path, paths: Iterable[str]) -> str:
    """Return the command that restores `paths` in `directory` from the last commit."""
    return _git(directory, f"checkout HEAD -- {shlex.join(sorted(paths))}")


def git_last_version(directory: Path, path: str) -> str:
    """Return the command that restores `path` from the last commit that has the file.

    It also works if the deletion of the file was committed.
    """
    found = _git(directory, f"log -1 --first-parent -m --diff-filter=AM --format=%H -- {shlex.quote(path)}")
    return _git(directory, f'checkout "$({found})" -- {shlex.quote(path)}')


def _git_one_side(directory: Path, paths: Iterable[str]) -> str:
    """Return the command that takes `paths` from the user's side of a merge, as a whole.

    `checkout --ours` would leave files that git merged without a conflict, so the files would not belong together.
    """
    return _git(directory, f"restore --source=HEAD --staged --worktree -- {shlex.join(sorted(paths))}")


def _git(directory: Path, arguments: str) -> str:
    place = "" if directory == Path() else f"-C {shlex.quote(str(directory))} "
    return f"git {place}{arguments}"
