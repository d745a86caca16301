"""Test that `generated/` is byte for byte what the compiler makes of `specs/`, and that the petstore's Python passes
mypy and ruff.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.projects import DATA, GENERATED, NAMES, ROOT, WHOLE, files, project, rebuild


def test_every_document_of_specs_has_its_server() -> None:
    documents = {path.name.split(".")[0] for path in (ROOT / "specs").rglob("*.yaml")}
    assert documents == {*NAMES} >= {"petstore", "station"}


@pytest.mark.parametrize("name", NAMES)
def test_rebuilt_it_comes_out_byte_for_byte(name: str, tmp_path: Path) -> None:
    assert files(rebuild(name, tmp_path)) == files(project(name))


@pytest.mark.parametrize("name", [name for name in NAMES if name != WHOLE])
def test_of_all_but_one_the_data_alone_is_kept(name: str) -> None:
    assert [path for path in files(GENERATED / name) if not path.endswith(DATA)] == []


@pytest.mark.slow
def test_the_python_passes_strict_types_and_lint() -> None:
    package = f"{WHOLE}_mcp"
    lint = ["ruff", "check", "--no-cache", "--config", str(ROOT / "pyproject.toml"), package]
    types = ["mypy", "--strict", "--config-file=", "--cache-dir", os.devnull, "-p", package]
    for check in lint, types:
        command = [sys.executable, "-m", *check]
        assert subprocess.run(command, cwd=GENERATED / WHOLE, check=False, timeout=120).returncode == 0
