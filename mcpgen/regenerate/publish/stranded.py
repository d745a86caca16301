"""Refuse a project if some of its files are in a staging directory that is missing or belongs to another project.

A killed run left files in its staging directory. Then that directory was deleted, or the project was moved or copied.
Only a person can restore these files, so mcpgen writes nothing to such a project, and the project never counts as up to
date.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcpgen.base.errors import FatalError
from mcpgen.regenerate.publish import notice, replica
from mcpgen.regenerate.publish.emitted import is_written_into
from mcpgen.regenerate.publish.staging import FILES, HOME

_MOST = 3
"""Limit on the paths that a message names."""


def refuse(project: Path, place: Path) -> None:
    """Raise FatalError if the project at `place` still has links into a staging directory after recovery. The message
    names their paths.

    `project`: the path of the project for the message. Raises OSError if the directory cannot be read.
    """
    away: dict[str, list[str]] = {}
    for path in _entries(place):
        home = _stage_of(place / path, path)
        if home is not None:
            away.setdefault(home, []).append(path)
    for home, paths in away.items():
        raise _end(project, place.parent / home / FILES, paths)


def _entries(place: Path) -> Iterator[str]:
    """Yield the paths at which links into a staging directory are possible: the entries of folders with generated
    files.
    """
    try:
        yield from replica.entries(place, inside=is_written_into)
    except (FileNotFoundError, NotADirectoryError):
        return


def _stage_of(link: Path, path: str) -> str | None:
    """Return the name of the staging directory to which the symbolic link `link` points, or None.

    `path`: the path of `link` inside the project. Return None also if the link points to another path than `path`
    inside the staging directory, or if `link` is no symbolic link.
    """
    if not link.is_symlink():
        return None
    home = os.readlink(link).removeprefix("../" * (path.count("/") + 1)).partition("/")[0]
    return home if HOME.fullmatch(home) and os.readlink(link) == replica.way_to(home, path) else None


def _end(project: Path, lay: Path, paths: Sequence[str]) -> FatalError:
    there = [path for path in paths if os.path.lexists(lay / path)]
    missing = [path for path in paths if path not in there]
    some = _some(missing or there)
    if missing:
        message = (
            f"A killed mcpgen run left {project} unfinished: the targets of its links {some} are missing in {lay}."
        )
        hint = (
            f"Restore the directory {lay.parent} and run mcpgen again, or replace each of these links by the file or "
            "folder to which it pointed."
        )
    else:
        message = f"{project} is unfinished: its links {some} lead into {lay}, which belongs to another project."
        hint = (
            f"The note `{notice.NAME}` in {lay.parent} names the other project. If yours is a copy of that project, "
            "run `mcpgen regenerate` on the original and copy it again. Otherwise, replace each of these links by the "
            "file or folder to which it points."
        )
    return FatalError("output-unfinished", message, hint=hint)


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - _MOST
    return ", ".join(paths[:_MOST]) + (f" and {more} more" if more > 0 else "")
