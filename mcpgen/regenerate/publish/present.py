"""What is there: the lock of a project, and its files, without following a link."""

import os
import stat
from pathlib import Path

from mcpgen.base.errors import CannotGoOn
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.regenerate.publish import claim

LARGEST = 1 << 28
"""Bytes of a file that is read. What mcpgen writes is far smaller."""


def previous_lock(directory: Path) -> Lock | None:
    """The lock of the project in `directory`, None where there is no project yet. CannotGoOn for a lock that cannot be
    read.
    """
    path = directory / locks.NAME
    with claim.reading(path):
        return locks.load(_read(path), str(path)) if path.is_file() else None


def present(directory: Path, path: str, first: int | None = None) -> bytes | None:
    """The bytes at `path`, or the `first` ones; None where nothing is there. CannotGoOn for anything but a regular file
    inside the directory, and for one that is too large to be read whole.
    """
    place = directory
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            raise CannotGoOn(
                "output-refused", f"{place} is a link.", hint="Remove it; mcpgen does not write through links."
            )
    with claim.reading(place):
        try:
            if not stat.S_ISREG(place.stat().st_mode):
                raise CannotGoOn("output-refused", f"{place} is not a regular file.", hint="Remove it.")
            return _read(place, first)
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            raise _in_the_way(directory, place) from None


def _read(place: Path, first: int | None = None) -> bytes:
    """A file may grow while it is read; no more of it is than it had."""
    with place.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if first is None and size > LARGEST:
            message = f"{place} is larger than anything that mcpgen writes."
            raise CannotGoOn("output-refused", message, hint="Move it away, and run this again.")
        return file.read(size if first is None else min(size, first))


def _in_the_way(directory: Path, place: Path) -> CannotGoOn:
    """A file of somebody's has the name of a folder: above the project it may be anything, so nobody is told to remove
    it.
    """
    inside = directory.is_dir()
    message = f"A file stands in the way of {place if inside else directory}."
    return CannotGoOn("output-refused", message, hint="Move it away." if inside else "Name another directory.")
