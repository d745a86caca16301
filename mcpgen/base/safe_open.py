"""Read files in folders to which other users may write, up to a limit (see `files/safe_open.py` of the runtime)."""

import os
import stat

from mcpgen.base.runtime import safe_open


def read_regular(path: str, most: int) -> bytes:
    """Return the first `most` bytes of the regular file at `path`.

    Raises `safe_open.NotRegular` if it is no regular file, or another OSError if reading fails.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):  # before opening it: opening a device may have side effects
        raise safe_open.NotRegular
    return _content(safe_open.open_regular(path), most)


def read_below(root: str, path: str, most: int) -> bytes:
    """Return the first `most` bytes of the regular file at `path`, relative to the folder `root`.

    No symbolic link below `root` is followed. Raises `safe_open.NotRegular` if the file is not regular, ValueError if
    `path` leaves the folder, or another OSError for a link or a failed read.
    """
    return _content(safe_open.open_below(root, path.split(os.sep)), most)


def _content(descriptor: int, most: int) -> bytes:
    with open(descriptor, "rb") as file:
        return file.read(most)
