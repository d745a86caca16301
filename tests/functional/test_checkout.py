"""Test a project that git for Windows has cloned, with CRLF for LF: it is not reported as changed, and its
server runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.leaks import SECRET, searched

ROOT = Path(__file__).parents[2]
#: Timeout of a command in seconds. It is long, and no test measures time with it.
PATIENCE = 120
API = """\
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
servers: [{url: https://api.example.com}]
paths:
  /pets: {get: {operationId: listPets, summary: Lists all pets.}}
"""
NOTES = "pets_mcp/notes.py"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder`, without git's settings of the user and of the system."""
    settings = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPATH": str(ROOT),
        "PETS_TOKEN": SECRET,
    }
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    environ = {**inherited, **settings, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def git(folder: Path, *arguments: str) -> str:
    done = run(folder, "git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed(project: Path) -> str:
    """Return the tools that the server of `project` lists.

    The server refuses JSON files that differ from the generated ones.
    """
    done = run(project, sys.executable, "-m", "pets_mcp", "--list")
    assert done.returncode == 0, done.stderr
    searched((done.stdout + done.stderr).encode())
    return done.stdout


def mcpgen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, "-m", "mcpgen", *arguments)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """Make a git repository with an API, a project generated from it in `pets`, and a file of the owner.

    Commit nothing.
    """
    folder = tmp_path / "original"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "api.yaml").write_text(API)
    done = mcpgen(folder, "generate", "api.yaml", "-o", "pets")
    assert done.returncode == 0, done.stderr
    (folder / "pets" / NOTES).write_bytes(b"# Mine.\n")
    return folder


def cloned(original: Path) -> Path:
    """Clone `original` as git for Windows does by default, with CRLF for LF.

    The API's document gets LF again, so that only files of the project can have other line ends than in `original`.
    """
    git(original, "add", "--all")
    git(original, "commit", "--quiet", "--message", "All of it")
    folder = original.parent / "clone"
    git(original.parent, "clone", "--quiet", "-c", "core.autocrlf=true", str(original), str(folder))
    assert b"\r\n" in (folder / "api.yaml").read_bytes(), "this git changes no line ends"
    (folder / "api.yaml").write_text(API)
    return folder


def test_a_clone_is_current_and_its_server_runs(original: Path) -> None:
    clone = cloned(original)
    checked = mcpgen(clone, "regenerate", "pets", "--check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "list_pets" in listed(clone / "pets")
    ours = {path for path in git(clone, "ls-files", "pets").split() if not path.endswith((NOTES, "/.gitattributes"))}
    assert {path for path in ours if (clone / path).read_bytes() != (original / path).read_bytes()} == set()


def test_files_of_its_owner_are_left_to_git(original: Path) -> None:
    assert (cloned(original) / "pets" / NOTES).read_bytes() == b"# Mine.\r\n"


def test_without_attributes_one_command_mends_it(original: Path) -> None:
    (original / "pets" / ".gitattributes").unlink()
    clone = cloned(original)
    checked = mcpgen(clone, "regenerate", "pets", "--check")
    assert checked.returncode == 1
    assert "Only the line ends differ from what mcpgen wrote: " in checked.stderr
    assert "edited by hand" not in checked.stderr
    assert mcpgen(clone, "regenerate", "pets").returncode == 2
    mended = mcpgen(clone, "regenerate", "pets", "--overwrite")
    assert mended.returncode == 0, mended.stderr
    assert mcpgen(clone, "regenerate", "pets", "--check").returncode == 0
    assert "list_pets" in listed(clone / "pets")
    git(clone, "add", "--all")
    assert git(clone, "diff", "--cached", "--name-only").split() == ["pets/.gitattributes"]


def test_attributes_that_are_there_stay(original: Path) -> None:
    own = original / "pets" / ".gitattributes"
    own.write_text("* text=auto\n")
    assert mcpgen(original, "regenerate", "pets", "--check").returncode == 0
    assert mcpgen(original, "regenerate", "pets", "--overwrite").returncode == 0
    assert own.read_text() == "* text=auto\n"
    checked = mcpgen(cloned(original), "regenerate", "pets", "--check")
    assert "Write `-text` for these files in .gitattributes" in checked.stderr


def test_reviews_fold_what_nobody_reads(original: Path) -> None:
    git(original, "add", "--all")
    told = git(original, "check-attr", "linguist-generated", *git(original, "ls-files").split())
    folded = {line.split(": ")[0] for line in told.splitlines() if line.endswith(": set")}
    plain = {line.split(": ")[0] for line in told.splitlines()} - folded
    assert {"pets/pets_mcp/tools.json", "pets/mcpgen.schema.json", "pets/pets_mcp/runtime/server.py"} <= folded
    assert plain == {
        "api.yaml",
        *(f"pets/{name}" for name in (".gitattributes", ".gitignore", "CHANGELOG.md", "README.md", "mcpgen.lock.json")),
        *(f"pets/{name}" for name in ("mcpgen.yaml", "pyproject.toml", "tests/test_server.py", NOTES)),
        *(f"pets/pets_mcp/{name}.py" for name in ("__init__", "__main__", "hooks")),
    }
