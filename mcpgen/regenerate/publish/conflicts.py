"""Refuse a project whose generated files contain conflict marks of a git merge.

The files of one generation belong together: the lock file has a digest of each, and names and versions are computed
from them. So the user has to take all of them from one side of the merge. Generating them again then brings in the
changes of the other side.
"""

from collections.abc import Iterable
from pathlib import Path

from mcpgen.base.conflict_marks import conflict_line
from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.base.safe_open import read_below
from mcpgen.regenerate.publish import emitted, git_commands


def refuse(directory: Path, largest: int) -> None:
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
    named = ", ".join(marked[:3]) + (f" and {len(marked) - 3} more" if len(marked) > 3 else "")
    contain = "contains" if len(marked) == 1 else "contain"
    # A changelog that git merged without a conflict has the entries of both sides, so it stays.
    whole = {emitted.runtime_or_file(path) for path in paths if path != emitted.CHANGELOG or path in marked}
    hint = (
        f"Take all generated files from one side with `{git_commands.one_side(directory, whole)}`, "
        f"and generate again. To take the other side, write {git_commands.OTHER_SIDE} for HEAD. "
        "If HEAD contains the marks, name the commit before it."
    )
    if emitted.CHANGELOG in marked:
        hint += (
            f" To keep the entries of both sides, remove the marks from {emitted.CHANGELOG} by hand, and leave it out."
        )
    message = f"{named} in {directory} {contain} conflict marks of a merge."
    return FatalError("merge-conflict", message, Where(str(directory / marked[0])), hint)
