"""Temporary folders of the suite in memory: it writes hundreds of thousands of small files."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 4 * 2**30
"""Free bytes below which the folder in memory is left alone: containers often have one of 64 MB."""


def use_memory_for_temporary_files() -> None:
    """Let pytest, `tempfile` and all that tests start make their folders in memory, where there is room.

    Nothing changes where TMPDIR is set: whoever sets it has chosen.
    """
    if "TMPDIR" in os.environ or not _is_roomy(MEMORY):
        return
    os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)
    tempfile.tempdir = None  # pytest asked for it before, and the answer is kept


def _is_roomy(folder: Path) -> bool:
    """Return True if programs can be written to a folder and started there, and enough bytes are free."""
    if not (hasattr(os, "ST_NOEXEC") and os.access(folder, os.W_OK | os.X_OK)):
        return False
    return not os.statvfs(folder).f_flag & os.ST_NOEXEC and shutil.disk_usage(folder).free >= ENOUGH
