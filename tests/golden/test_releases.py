"""Compile documents with the lowest and with the newest allowed release of each dependency, and compare all files."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.interop import environments

ROOT = Path(__file__).parents[2]
REQUIREMENTS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
LOWEST = [re.sub(r">=([\d.]+),.*", r"==\1", requirement) for requirement in REQUIREMENTS]
PATTERNS = ROOT / "tests" / "cases" / "schemas"
SOURCES = [
    *sorted((ROOT / "specs").glob("*.yaml")),
    *(PATTERNS / name / "openapi.yaml" for name in ("patterns", "patterns_over_budget", "wrong_patterns")),
    *(path for path in (ROOT.parent / "shared" / "corpus" / "dev").glob("[!R]*.*") if path.stat().st_size < 2_000_000),
]


@pytest.mark.slow
def test_what_is_emitted_does_not_depend_on_releases_of_dependencies(tmp_path: Path) -> None:
    assert all("==" in requirement for requirement in LOWEST)
    try:
        folders = {
            "lowest": environments.python("lowest-releases", *LOWEST),
            "newest": environments.python("newest-releases", *REQUIREMENTS),
        }
    except RuntimeError as problem:
        if "ResolutionImpossible" in str(problem):
            raise  # the lower bounds of pyproject.toml exclude each other
        pytest.skip(f"the releases cannot be installed: {str(problem).splitlines()[-1]}")
    lowest, newest = (compiled(folder, tmp_path / name) for name, folder in folders.items())
    assert len(lowest) > 100
    assert [name for name in lowest.keys() | newest.keys() if lowest.get(name) != newest.get(name)] == []


def compiled(environment: Path, folder: Path) -> Mapping[str, bytes]:
    """Generate a project for each of SOURCES, and return its files outside of the runtime by path, and its report."""
    files: dict[str, bytes] = {}
    for number, source in enumerate(SOURCES):
        name = f"server{number}"
        command = [str(environment / "bin" / "python"), "-m", "mcpgen", "generate", str(source), "-o", name]
        folder.mkdir(exist_ok=True)
        done = subprocess.run(
            [*command, "--name", name], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True
        )
        files[f"{source}: report"] = done.stderr + done.stdout
        for path in (folder / name).rglob("*"):
            if path.is_file() and "runtime" not in path.parts and "__pycache__" not in path.parts:
                files[f"{source}: {path.relative_to(folder / name)}"] = path.read_bytes()
    return files
