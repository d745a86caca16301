"""Generate the server of a file in `specs/` or `specs/examples/`, with a list of its tools or with a tool search."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mcpgen.base import assets

PATIENCE = 120


def generated(server: str, surface: str, folder: Path) -> Path:
    """Write the project of `server` to `folder`, and return the folder.

    `surface`: `all` or `search` (value of `--tools`).
    """
    names = (f"{server}.openapi.yaml", f"{server}.tools.yaml", f"examples/{server}/{server}.tools.yaml")
    source = next(path for name in names if (path := assets.specs() / name).is_file())
    return of_source(source, surface, folder)


def of_source(source: Path, surface: str, folder: Path) -> Path:
    """Write the project of a document or tools file to `folder`, and return the folder."""
    command = [
        sys.executable,
        "-m",
        "mcpgen",
        "generate",
        "--parts",
        "all",
        str(source),
        "-o",
        str(folder),
        "--tools",
        surface,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return folder
