"""Test `install` as a person uses it: a real process writes the configuration of a client, and the command
in the configuration starts a working server.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from package.runtime.install import launch

from tests.command import mcpgen
from tests.install.client_files import PLACES, ROOT, servers
from tests.leaks import SECRET, searched

SOURCE = str(ROOT / "specs" / "petstore.openapi.yaml")
PATIENCE = 60


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a newly generated petstore project."""
    folder = tmp_path_factory.mktemp("project") / "petstore"
    assert mcpgen("generate", SOURCE, "-o", str(folder)).returncode == 0
    return folder


def run(command: list[str], folder: Path, given: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, with the secret in its environment, and return the finished process."""
    base = {"PATH": "/usr/bin:/bin", "PETSTORE_API_KEY": SECRET, "PETSTORE_BEARER": SECRET}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**base, **environ},
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    searched((done.stdout + done.stderr).encode())
    return done


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
ASK = "".join(
    json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    for message in (
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    )
)


def tools(entry: Mapping[str, Any], folder: Path) -> int:
    """Start the server as the client with this configuration entry does, and return the number of its listed tools."""
    environ = entry.get("env") or entry.get("envs") or {}
    command = [entry.get("command") or entry["cmd"], *entry["args"]]
    told = {name: value for name, value in environ.items() if "{" not in value}
    done = run(command, folder, ASK, **told)
    return len(json.loads(done.stdout.splitlines()[1])["result"]["tools"])


SLOWLY = [pytest.param(client, marks=pytest.mark.slow) for client in ("codex", "goose")]


@pytest.mark.parametrize("client", ["cursor", *SLOWLY])
def test_the_entry_starts_the_server_from_any_folder(client: str, project: Path, tmp_path: Path) -> None:
    file = tmp_path / PLACES[client]
    file.parent.mkdir(parents=True)
    command = [sys.executable, "-m", "petstore_mcp"]
    done = run([*command, "install", client], project, HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert SECRET.encode() not in file.read_bytes()
    assert tools(servers(client, file.read_bytes())["petstore"], tmp_path) == 24
    assert run([*command, "uninstall", client], project, HOME=str(tmp_path)).returncode == 0
    assert not file.exists()


@pytest.mark.slow
def test_a_project_that_is_not_installed(tmp_path: Path) -> None:
    """Register a document's server with a client, without installing its package.

    The project is generated below the current folder, and the entry names the project's folder.
    """
    file, work = tmp_path / PLACES["cursor"], tmp_path / "work"
    file.parent.mkdir()
    work.mkdir()
    program = [sys.executable, "-m", "mcpgen"]
    environ = {"HOME": str(tmp_path)}
    shown = run([*program, "install", SOURCE, "cursor", "--dry-run", "--with", "python"], work, **environ)
    assert f'+        "PYTHONPATH": "{work}/generated/petstore",' in shown.stdout.splitlines()
    assert [*work.iterdir(), *file.parent.iterdir()] == []
    done = run([*program, "install", SOURCE, "cursor", "--with", "python"], work, **environ)
    assert done.returncode == 0, done.stderr
    assert tools(servers("cursor", file.read_bytes())["petstore"], tmp_path) == 24
    again = run([*program, "install", "generated/petstore", "cursor", "--with", "python"], work, **environ)
    assert "is already installed" in again.stdout
    (work / "generated" / "petstore" / "README.md").unlink()
    as_it_is = run([*program, "install", SOURCE, "cursor", "--with", "python"], work, **environ)
    assert "exists already, so it is not generated again" in as_it_is.stderr
    assert not (work / "generated" / "petstore" / "README.md").exists()
    assert run([*program, "uninstall", "generated/petstore", "cursor"], work, **environ).returncode == 0
    assert not file.exists()


RUNNERS = {
    "uvx": ["--from", "{}", "petstore-mcp"],
    "pipx": ["run", "--spec", "{}", "petstore-mcp"],
}


@pytest.mark.slow
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_runner_that_is_asked_for_is_taken(runner: str, project: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / runner).symlink_to("/bin/true")
    (tmp_path / ".cursor").mkdir()
    environ = {"HOME": str(tmp_path), "PATH": f"{programs}:/usr/bin:/bin"}
    done = run(
        [sys.executable, "-m", "mcpgen", "install", str(project), "cursor", "--with", runner], tmp_path, **environ
    )
    assert done.returncode == 0, done.stderr
    entry = servers("cursor", (tmp_path / PLACES["cursor"]).read_bytes())["petstore"]
    assert entry["command"] == str(programs / runner)
    assert entry["args"] == [word.format(project) for word in RUNNERS[runner]]


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    done = mcpgen("install", str(tmp_path), "cursor")
    assert done.returncode == 2
    assert "is not a generated project" in done.stderr


ENVIRONMENT = ".mcpgen-venv"
INSTALL = [sys.executable, "-m", "mcpgen", "install"]
KEPT = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
"""Variables that say where packages come from on this machine."""

NO_NETWORK = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}


@pytest.mark.slow
@pytest.mark.world
@pytest.mark.parametrize("maker", ["uv", "pip"])
def test_an_environment_is_made_once_and_serves_without_a_network(maker: str, tmp_path: Path) -> None:
    """Install a document, start the server without a network, install again, regenerate, and change a requirement."""
    file, project = tmp_path / PLACES["cursor"], tmp_path / "work" / "generated" / "petstore"
    work, environment, programs = tmp_path / "work", project / ENVIRONMENT, tmp_path / "bin"
    for folder in (file.parent, work, programs):
        folder.mkdir()
    if maker == "uv":
        (programs / "uv").symlink_to(shutil.which("uv") or pytest.skip("uv is not installed"))
    environ = {**KEPT, "HOME": str(tmp_path), "PATH": f"{programs}:/usr/bin:/bin", "UV_SYSTEM_CERTS": "1"}
    assert run([*INSTALL, SOURCE, "cursor", "--dry-run"], work, **environ).returncode == 0
    assert [*work.iterdir()] == []
    done = run([*INSTALL, SOURCE, "cursor"], work, **environ)
    assert done.returncode == 0, done.stderr
    entry = servers("cursor", file.read_bytes())["petstore"]
    assert entry["command"] == str(environment / "bin" / "python")
    assert ("uv = " in (environment / "pyvenv.cfg").read_text()) == (maker == "uv")
    assert tools({**entry, "env": {**entry["env"], **NO_NETWORK}}, tmp_path) == 24
    assert (environment / ".gitignore").read_text() == "*\n"

    made = environment.stat().st_ino
    assert "is already installed" in run([*INSTALL, str(project), "cursor"], work, **environ, **NO_NETWORK).stdout
    assert environment.stat().st_ino == made

    (project / "mcpgen.yaml").write_text("mcpgen: 1\noverrides:\n  getPet: {hide: true}\n")
    assert run([*INSTALL[:-1], "regenerate", str(project)], work, **environ).returncode == 0
    assert tools({**entry, "env": {**entry["env"], **NO_NETWORK}}, tmp_path) == 23

    pyproject = project / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("dependencies = [\n", 'dependencies = [\n  "toml-sort<0",\n', 1))
    failed = run([*INSTALL, str(project), "cursor"], work, **environ)
    assert failed.returncode == 2
    assert environment.stat().st_ino == made
    pyproject.write_text(pyproject.read_text().replace("toml-sort<0", "packaging"))
    assert run([*INSTALL, str(project), "cursor"], work, **environ).returncode == 0
    assert environment.stat().st_ino != made
    assert [each.name for each in project.glob(".mcpgen-*")] == [ENVIRONMENT]
    assert f"{environment} stays" in run([*INSTALL[:-1], "uninstall", str(project), "cursor"], work, **environ).stderr


@pytest.fixture
def unused(project: Path, tmp_path: Path) -> Path:
    """Return a copy of the project beside which no environment was made. Cursor has its folder in `tmp_path`."""
    (tmp_path / ".cursor").mkdir()
    return Path(shutil.copytree(project, tmp_path / "petstore", ignore=shutil.ignore_patterns("__pycache__")))


def entries_of(project: Path) -> list[str]:
    return sorted(path.name for path in project.iterdir())


@pytest.mark.slow
def test_an_environment_that_cannot_be_made_changes_nothing(unused: Path, tmp_path: Path) -> None:
    before = entries_of(unused)
    environ = {"HOME": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    done = run([*INSTALL, str(unused), "cursor"], tmp_path, **environ)
    [sentence, hint] = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert "could not be made: pip says: " in sentence
    assert "Nothing was changed." in hint
    assert (entries_of(unused), [*(tmp_path / ".cursor").iterdir()]) == (before, [])


def test_a_refused_installation_makes_no_environment(unused: Path, tmp_path: Path) -> None:
    before = entries_of(unused)
    done = run([*INSTALL, str(unused), "zed"], tmp_path, HOME=str(tmp_path))
    assert (done.returncode, "Start it once" in done.stderr) == (1, True)
    assert entries_of(unused) == before


def test_an_environment_of_somebody_else_stays(unused: Path, tmp_path: Path) -> None:
    (unused / ENVIRONMENT).mkdir()
    (unused / ENVIRONMENT / "notes.txt").touch()
    done = run([*INSTALL, str(unused), "cursor"], tmp_path, HOME=str(tmp_path))
    assert (done.returncode, f"mcpgen did not make {unused / ENVIRONMENT}" in done.stderr) == (2, True)
    assert (unused / ENVIRONMENT / "notes.txt").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_creation_leaves_no_environment(number: int, unused: Path, tmp_path: Path) -> None:
    """End mcpgen while its `uv` is at work. What a killed run leaves is removed by the next one.

    What a killed `generate` has left stays: its lock file says which files mcpgen wrote.
    """
    written = unused / ".mcpgen-abcdefgh" / "project" / "mcpgen.lock.json"
    written.parent.mkdir(parents=True)
    written.touch()
    (unused / ".mcpgen-abcdefgh" / "unfinished").write_text("mcpgen was writing here.\n")
    before, began, uv = entries_of(unused), tmp_path / "began", tmp_path / "uv"
    os.mkfifo(began)
    uv.write_text(f"#!/bin/sh\necho > {began}\nexec sleep 600\n")
    uv.chmod(0o755)
    environ = {"HOME": str(tmp_path), "PATH": f"{tmp_path}:/usr/bin:/bin"}
    with subprocess.Popen([*INSTALL, str(unused), "cursor"], cwd=tmp_path, env=environ, start_new_session=True) as made:
        began.read_text()
        made.send_signal(number)
        made.wait(PATIENCE)
        with suppress(ProcessLookupError):
            os.killpg(made.pid, signal.SIGKILL)
    assert ENVIRONMENT not in entries_of(unused)
    uv.write_text("#!/bin/sh\nexit 1\n")
    assert run([*INSTALL, str(unused), "cursor"], tmp_path, **environ).returncode == 2
    assert (entries_of(unused), [*(tmp_path / ".cursor").iterdir()]) == (before, [])


@pytest.mark.parametrize("is_uv", [True, False])
def test_an_environment_made_for_one_run_is_not_named(
    is_uv: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a client's configuration starts the server by uvx or pipx if its environment was made for one run.

    Such an environment lies below a folder marked as a cache, and may be gone when the client starts the server.
    """
    prefix = tmp_path / "cache" / "archive" / "x1"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "petstore-mcp").touch()
    (prefix / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.13.9\n" if is_uv else "home = /usr/bin\n")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "executable", str(prefix / "bin" / "python"))
    assert launch.find("petstore", shared=True) == launch.Launch(str(prefix / "bin" / "petstore-mcp").split(os.sep)[-1])
    (tmp_path / "cache" / "CACHEDIR.TAG").touch()
    expected = launch.Launch("uvx", ["petstore-mcp"]) if is_uv else launch.Launch("pipx", ["run", "petstore-mcp"])
    assert launch.find("petstore", shared=True) == expected
