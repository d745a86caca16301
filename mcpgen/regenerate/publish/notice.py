"""What a stage says to whoever finds it: the note by which it is known as ours, and whether it may be deleted."""

import os
import shlex
from pathlib import Path

NAME = "unfinished"
_FIRST = b"mcpgen was writing here.\n"
MADE = _FIRST + b"If it no longer runs, its next run over the project removes this directory.\n"
"""Of a stage that holds nothing but what mcpgen made."""


def exchanged(project: Path) -> bytes:
    """Of a stage that may hold what is somebody's: the rest of `project`, in whose place the new one lies."""
    command = f"mcpgen regenerate {shlex.quote(str(project))}"
    return _FIRST + os.fsencode(
        f"Do not delete this directory: folders and files of the project {project} lie here, in `project`.\n"
        f"If mcpgen no longer runs, this puts them back and removes the directory:\n    {command}\n"
    )


def is_whole(stage: Path) -> bool:
    """Whether the note of ours is in `stage`."""
    return _beginning(stage) == _FIRST


def is_broken_off(stage: Path) -> bool:
    """Whether `stage` holds a note that was being written, which comes before all else."""
    return _FIRST.startswith(_beginning(stage))


def _beginning(stage: Path) -> bytes:
    """As much of the note as tells it from others. OSError where there is none that can be read."""
    descriptor = os.open(stage / NAME, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        return os.read(descriptor, len(_FIRST))
    finally:
        os.close(descriptor)
