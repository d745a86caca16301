"""`generated/` is the golden record: rebuilt from `specs/` it comes out byte for byte, and it is clean Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.cli import main
from mcpgen.lock import NAME, load

ROOT = Path(__file__).parents[2]
PROJECTS = sorted(path for path in (ROOT / "generated").iterdir() if path.is_dir())

HISTORY = (NAME, "CHANGELOG.md", "/tools.json", "/bindings.json", "/resources.json", "/prompts.json")
"""What the next generation reads, so that the changelog goes on."""


def _files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_every_document_of_specs_has_its_server() -> None:
    documents = {path.name.split(".")[0] for path in (ROOT / "specs").rglob("*.yaml")}
    assert documents == {path.name for path in PROJECTS} >= {"petstore", "station"}


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_rebuilt_it_comes_out_byte_for_byte(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = load((project / NAME).read_bytes(), NAME)
    (tmp_path / "specs").symlink_to(ROOT / "specs")
    for path, data in _files(project).items():
        if path.endswith(HISTORY):
            (tmp_path / "generated" / project.name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "generated" / project.name / path).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["generate", lock.source.removeprefix("../../"), "-o", f"generated/{project.name}"])
    assert ended.value.code == 0
    assert _files(tmp_path / "generated" / project.name) == _files(project)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_it_passes_strict_types_and_lint(project: Path) -> None:
    """One project is enough for the types: the Python of all is the same, which another test holds."""
    package = next(project.glob("*_mcp"))
    lint = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", str(ROOT / "pyproject.toml"), str(package)]
    assert subprocess.run(lint, check=False, timeout=60).returncode == 0
    if project.name == "petstore":
        types = [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            "--cache-dir",
            os.devnull,
            "-p",
            package.name,
        ]
        assert subprocess.run(types, cwd=project, check=False, timeout=120).returncode == 0
