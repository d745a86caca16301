"""Compile the runtime's Python once for each test worker, and share the bytecode among test servers.

Most test servers start once, in a new folder. Without shared bytecode, Python would compile a hundred modules for each
server.
"""

from __future__ import annotations

import functools
import py_compile
import tempfile
from collections.abc import Mapping
from importlib.util import cache_from_source
from pathlib import Path

RUNTIME = Path(__file__).parents[2] / "templates" / "package" / "runtime"


def lend(package: Path) -> None:
    """Copy compiled modules into a generated package that has none yet.

    Each compiled file holds the hash of its source. So Python compiles a module again if a test has changed its source.
    """
    runtime = package / "runtime"
    if not runtime.is_dir() or (runtime / "__pycache__").exists():
        return
    for place, code in _compiled().items():
        target = runtime / place
        if target.parent.parent.is_dir():
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(code)


@functools.cache
def _compiled() -> Mapping[str, bytes]:
    """Return a mapping from the path of a file below the runtime's folder to the compiled module."""
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    found: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "module.pyc"
        for source in RUNTIME.rglob("*.py"):
            py_compile.compile(str(source), str(made), doraise=True, invalidation_mode=checked)
            found[Path(cache_from_source(str(source))).relative_to(RUNTIME).as_posix()] = made.read_bytes()
    return found
