"""Test the pre-commit hook `mcpgen-check` as users have it: installed by pre-commit from a repository, and run by `git
commit`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.interop import environments

ROOT = Path(__file__).parents[2]
SHIPPED = (
    "mcpgen",
    "templates",
    "specs",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    ".pre-commit-hooks.yaml",
)
UNREACHABLE = re.compile(r"No matching distribution|Could not find a version|Connection|Temporary failure|timed out")
#: Timeout in seconds of one command. It is long, and no test measures time with it.
PATIENCE = 300
API = """\
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
servers: [{url: https://api.example.com}]
paths:
  /pets: {get: {operationId: listPets, summary: Lists all pets.}}
"""
TOYS = "  /toys: {get: {operationId: listToys}}\n"
CONFIGURATION = """\
repos:
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: mcpgen-check
        args: [servers/pets]
"""


def run(folder: Path, *command: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment without the user's settings of git, pip and pre-commit."""
    home = tmp_path_factory.mktemp("home")
    settings = home / "gitconfig"
    settings.write_text("[user]\nname = Ann\nemail = ann@example.com\n[init]\ndefaultBranch = main\n")
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    own = {"GIT_CONFIG_GLOBAL": str(settings), "GIT_CONFIG_NOSYSTEM": "1", "PRE_COMMIT_HOME": str(home / "cache")}
    inherited.pop("PYTHONPATH", None)
    return {**inherited, **own}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, environ: dict[str, str]) -> tuple[Path, str]:
    """Make a git repository of mcpgen's current files. Return its path and the hash of its only commit."""
    folder = tmp_path_factory.mktemp("mcpgen")
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    for command in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "All of it")):
        done = run(folder, "git", *command, environ=environ)
        assert done.returncode == 0, done.stdout
    return folder, run(folder, "git", "rev-parse", "HEAD", environ=environ).stdout.strip()


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, environ: dict[str, str], repository: tuple[Path, str]) -> Path:
    """Make a repository with an API and its server, in which the pre-commit hook is installed."""
    try:
        program = environments.python("pre-commit", "pre-commit==4.7.0") / "bin" / "pre-commit"
    except RuntimeError as problem:
        pytest.skip(f"pre-commit cannot be installed: {str(problem).splitlines()[-1]}")
    folder = tmp_path_factory.mktemp("work")
    (folder / "api.yaml").write_text(API)
    configuration = CONFIGURATION.format(repository=repository[0], revision=repository[1])
    (folder / ".pre-commit-config.yaml").write_text(configuration)
    generate = (sys.executable, "-m", "mcpgen", "generate", "api.yaml", "-o", "servers/pets")
    here = {**environ, "PYTHONPATH": str(ROOT)}
    for command in (generate, ("git", "init", "--quiet"), ("git", "add", "--all"), ("git", "commit", "-qm", "First")):
        done = run(folder, *command, environ=here)
        assert done.returncode == 0, done.stdout
    installed = run(folder, str(program), "install", "--install-hooks", environ=environ)
    if installed.returncode and (reason := UNREACHABLE.search(installed.stdout)):
        pytest.skip(f"pre-commit cannot install mcpgen: {reason[0]}")
    assert installed.returncode == 0, installed.stdout
    return folder


def committed(
    work: Path, environ: Mapping[str, str], name: str, text: str, *, regenerated: bool = False
) -> tuple[bool, str]:
    """Try to commit a change of one file, then undo everything. Return True if the commit succeeded, and the output."""
    first = run(work, "git", "rev-parse", "HEAD", environ=environ).stdout.strip()
    (work / name).write_text(text)
    if regenerated:
        command = (sys.executable, "-m", "mcpgen", "regenerate", "servers/pets")
        run(work, *command, environ={**environ, "PYTHONPATH": str(ROOT)})
    run(work, "git", "add", "--all", environ=environ)
    done = run(work, "git", "commit", "--message", "Changed", environ=environ)
    run(work, "git", "reset", "--quiet", "--hard", first, environ=environ)
    return done.returncode == 0, done.stdout


def test_a_stale_project_fails_the_commit_and_says_what_to_run(work: Path, environ: dict[str, str]) -> None:
    passed, told = committed(work, environ, "api.yaml", API + TOYS)
    assert not passed
    assert re.search(r"mcpgen regenerate --check\.+Failed", told), told
    assert "Run `mcpgen regenerate servers/pets`" in told
    assert re.search(r"list.?_toys is new", told), told


@pytest.mark.parametrize("name", ["pets_mcp/tools.json", "pets_mcp/runtime/server.py", "README.md", "pyproject.toml"])
def test_a_generated_file_that_was_edited_fails_it(work: Path, environ: dict[str, str], name: str) -> None:
    passed, told = committed(work, environ, f"servers/pets/{name}", "[]\n")
    assert not passed
    assert "edited by hand" in told


def test_a_current_project_passes(work: Path, environ: dict[str, str]) -> None:
    passed, told = committed(work, environ, "api.yaml", API + TOYS, regenerated=True)
    assert passed, told
    assert re.search(r"mcpgen regenerate --check\.+Passed", told), told


@pytest.mark.parametrize("name", ["pets_mcp/hooks.py", "CHANGELOG.md"])
def test_what_is_the_owners_is_no_reason_to_fail(work: Path, environ: dict[str, str], name: str) -> None:
    passed, told = committed(work, environ, f"servers/pets/{name}", "'''Mine.'''\n")
    assert passed
    assert re.search(r"mcpgen regenerate --check\.+Passed", told), told


def test_it_waits_for_files_that_matter(work: Path, environ: dict[str, str]) -> None:
    passed, told = committed(work, environ, "notes.txt", "mine")
    assert passed
    assert re.search(r"mcpgen regenerate --check\.*\(no files to check\)Skipped", told), told
