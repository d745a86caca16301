"""Write the git commands that messages name, by which a user brings back generated files of a project.

mcpgen itself never runs git.
"""

import shlex
from collections.abc import Iterable
from pathlib import Path

OTHER_SIDE = "MERGE_HEAD (in a rebase REBASE_HEAD)"
"""What a user writes in place of `HEAD` to take the files of the other side."""


def checkout(directory: Path, paths: Iterable[str]) -> str:
    """Return the command that restores `paths` in `directory` from the last commit."""
    return _git(directory, f"checkout HEAD -- {shlex.join(sorted(paths))}")


def last_version(directory: Path, path: str) -> str:
    """Return the command that restores `path` from the last commit that has the file.

    It also works if the deletion of the file was committed.
    """
    found = _git(directory, f"log -1 --first-parent -m --diff-filter=AM --format=%H -- {shlex.quote(path)}")
    return _git(directory, f'checkout "$({found})" -- {shlex.quote(path)}')


def one_side(directory: Path, paths: Iterable[str]) -> str:
    """Return the command that takes `paths` from the user's side of a merge, as a whole.

    `checkout --ours` would leave files that git merged without a conflict, so the files would not belong together.
    """
    return _git(directory, f"restore --source=HEAD --staged --worktree -- {shlex.join(sorted(paths))}")


def _git(directory: Path, arguments: str) -> str:
    place = "" if directory == Path() else f"-C {shlex.quote(str(directory))} "
    return f"git {place}{arguments}"
