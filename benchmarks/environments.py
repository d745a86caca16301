"""Virtual environments of their own for what is measured: a server must not see what another one brought along.

Each is made under `.clients/` once, and again when its requirements change; a half-made one never counts as complete.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".clients"


def environment(name: str, requirements: Sequence[str], sources: Sequence[Path] = ()) -> Path:
    """The `bin` folder of the environment `name`, with `requirements` installed. `sources` are watched for changes."""
    directory = FOLDER / name
    stamp = directory / "complete"
    wanted = _digest(requirements, sources)
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(directory, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True, timeout=120)
        pip = [str(directory / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *requirements], check=True, timeout=600, stderr=subprocess.DEVNULL)
        subprocess.run(
            [str(directory / "bin" / "python"), "-m", "compileall", "-q", str(directory / "lib")],
            check=False,
            timeout=300,
            stdout=subprocess.DEVNULL,
        )
        stamp.write_text(wanted, encoding="utf-8")
    return directory / "bin"


def _digest(requirements: Sequence[str], sources: Sequence[Path]) -> str:
    seen = hashlib.sha256(os.fsencode(sys.version) + "\n".join(requirements).encode())
    for source in sources:
        for path in sorted(source.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                seen.update(path.read_bytes())
    return seen.hexdigest()
