"""Build the wheel and the sdist of a project with its own build backend, from a copy with only the files to release."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mcpgen.base.errors import FatalError
from mcpgen.bundle.project import README, Project

PATIENCE = 120
"""Limit in seconds for a build, which usually takes less than two seconds."""

_PASSED_ON = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "HOME", "USERPROFILE", "PYTHONPATH")
"""Environment variables that the build process gets. It gets no others, so no credentials reach it."""


# hatchling packs all files that git does not ignore, also secrets, so it gets a copy of the listed files
# (docs/decisions/writing.md).
def build_distributions(project: Project, proof: str, epoch: int) -> dict[str, bytes]:
    """Return file name → contents of the wheel and the sdist.

    `proof`: a line to append to the README on PyPI, or "". `epoch`: time of all archive entries. Raises FatalError if
    the build fails.
    """
    files = dict(project.files)
    files.pop("uv.lock", None)
    if proof:
        files[README] = files[README].rstrip(b"\n") + f"\n\n{proof}\n".encode("ascii")
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        source, built = Path(folder, "source"), Path(folder, "built")
        _write(files, source)
        _run_hatchling(source, built, epoch)
        return {path.name: path.read_bytes() for path in sorted(built.iterdir())}


def _write(files: Mapping[str, bytes], source: Path) -> None:
    for path, data in files.items():
        place = source / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(0o644)
    # hatchling leaves out what a .gitignore in `source` or a parent folder names; this .git folder ends the search
    (source / ".git").mkdir()


def _run_hatchling(source: Path, built: Path, epoch: int) -> None:
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-m", "hatchling", "build", "--directory", str(built)]
    try:
        done = subprocess.run(
            command,
            cwd=source,
            env=environment,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        done = None
    if done is None or done.returncode:
        message = "The build backend of the project could not build the wheel and the sdist."
        hint = "Run `python -m build` in the project to see the error, or use --no-wheel."
        raise FatalError("output-failed", message, hint=hint)
