"""Put temporary folders of the suite into memory, because it writes hundreds of thousands of small files."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 4 * 2**30
"""Lowest number of free bytes for which the memory file system is used. Containers often have one of 64 MB."""


def use_memory_for_temporary_files() -> None:
    """Let pytest, `tempfile` and started programs make temporary folders in memory, if there is enough space.

    If TMPDIR is set, nothing changes.
    """
    if "TMPDIR" in os.environ or not _is_roomy(MEMORY):
        return
    os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)
    tempfile.tempdir = None  # pytest has called `tempfile`: drop its cached folder, so that TMPDIR is read again


def _is_roomy(folder: Path) -> bool:
    """Return True if programs can be written to a folder and started there, and if enough bytes are free."""
    if not (hasattr(os, "ST_NOEXEC") and os.access(folder, os.W_OK | os.X_OK)):
        return False
    return not os.statvfs(folder).f_flag & os.ST_NOEXEC and shutil.disk_usage(folder).free >= ENOUGH
