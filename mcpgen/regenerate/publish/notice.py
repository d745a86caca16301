"""Write the note in a staging directory, for people who find that directory. The note says that mcpgen made the
directory, and whether it may be deleted.
"""

import os
import shlex
from pathlib import Path

NAME = "unfinished"
_FIRST = b"mcpgen was writing here.\n"
MADE = _FIRST + b"If it no longer runs, its next run over the project removes this directory.\n"
"""Note for a stage that contains only files of mcpgen."""


def exchanged(project: Path) -> bytes:
    """Return the note for a staging directory that is exchanged with the project's directory, and then contains the
    user's files. The note says not to delete the staging directory, and how to restore the files.
    """
    command = f"mcpgen regenerate {shlex.quote(str(project))}"
    return _FIRST + os.fsencode(
        f"Do not delete this directory: folders and files of the project {project} lie here, in `project`.\n"
        f"If mcpgen no longer runs, this puts them back and removes the directory:\n    {command}\n"
    )


def is_whole(stage: Path) -> bool:
    """Return True if the note file in the directory `stage` has the complete first line of a note of mcpgen."""
    return _beginning(stage) == _FIRST


def is_broken_off(stage: Path) -> bool:
    """Return True if the note file in the staging directory `stage` begins as every note of mcpgen does. It may end
    within the first line, even before its first byte, because mcpgen was killed while writing the note.
    """
    return _FIRST.startswith(_beginning(stage))


def _beginning(stage: Path) -> bytes:
    """Return the beginning of the note in the staging directory `stage`, at most as many bytes as `_FIRST` has, the
    first line of every note.

    Raises OSError if the note cannot be read.
    """
    descriptor = os.open(stage / NAME, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        return os.read(descriptor, len(_FIRST))
    finally:
        os.close(descriptor)
