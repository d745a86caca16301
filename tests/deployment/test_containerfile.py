"""Test the image: its steps run in a new environment, and its process starts as the Containerfile says.

Most tests need no image builder. They cover the wheel, its environment, the unprivileged user, the read-only folder,
the health check, a request, and the signal that ends the process. If a builder is installed, the image is built with
it, too.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.containerfile import Build, context
from tests.deployment.projects import deployed, write

TEXT = deployed()["Containerfile"].decode()
TOKEN = "a-token-of-alice"
META = "io.modelcontextprotocol/"
NOBODY = 65534
PRESENT = "import sys, ensurepip, pip, venv; sys.exit(sys.version_info < (3, 11))"
BUILDERS = ("docker", "podman", "buildah")


def user() -> dict[str, Any]:
    """Return the arguments of subprocess that drop root's rights, or {} if the tests do not run as root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def python_for_everybody() -> str | None:
    """Return a Python interpreter that an unprivileged user can start, or None.

    The interpreter of the tests may lie in a home directory.
    """
    for path in dict.fromkeys((sys._base_executable, "/usr/local/bin/python3", "/usr/bin/python3")):  # type: ignore[attr-defined]
        with contextlib.suppress(OSError):
            if (
                subprocess.run([path, "-c", PRESENT], cwd="/", capture_output=True, check=False, **user()).returncode
                == 0
            ):
                return str(path)
    return None


@pytest.fixture(scope="module")
def built() -> Iterator[Build]:
    """Execute the steps of the Containerfile, and yield the build. Nobody can write to its image."""
    if (python := python_for_everybody()) is None:
        pytest.skip("no Python that the user nobody can start")
    home = Path(tempfile.mkdtemp(prefix="image-"))  # other users cannot enter pytest's own folders
    home.chmod(0o755)
    build = Build(TEXT, write(deployed(), home / "project"), home, python)
    build.run()
    for path in [build.root, *build.root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)
    yield build
    for path in [build.root, *build.root.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(home)


@dataclass
class Started:
    """Server process, started without a container by the image's command. `healthcheck`: the image's health check."""

    process: subprocess.Popen[str]
    port: int
    healthcheck: list[str]
    environment: dict[str, str]

    def is_healthy(self) -> bool:
        """Run the image's health check, and return True if it succeeds."""
        done = subprocess.run(
            self.healthcheck, cwd="/", env=self.environment, capture_output=True, timeout=30, check=False, **user()
        )
        return done.returncode == 0

    def ask(self, method: str, path: str, **arguments: Any) -> tuple[int, bytes]:
        """Send a request, and return the status and body of its response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            connection.request(method, path, **arguments)
            answer = connection.getresponse()
            return answer.status, answer.read()


@pytest.fixture
def started(built: Build) -> Iterator[Started]:
    """Start the image's process with its secrets as files, as compose.yaml does, and yield it."""
    image, secrets = built.image, built.root.parent / "secrets"
    secrets.mkdir()
    callers = f"alice {hashlib.sha256(TOKEN.encode()).hexdigest()}\n"
    key = hashlib.sha256(b"key").hexdigest()
    files = {
        "callers": callers,
        "state_key": key,
        "PETSTORE_API_KEY": "key-of-the-api",
        "PETSTORE_BEARER": "token",
    }
    for name, value in files.items():
        (secrets / name).write_text(value)
    of_secrets = {f"{name}_FILE": str(secrets / name) for name in files if name.startswith("PETSTORE_")}
    of_http = {"PETSTORE_HTTP_TOKENS": str(secrets / "callers"), "PETSTORE_STATE_KEY_FILE": str(secrets / "state_key")}
    environment = {**image.environment, **of_secrets, **of_http}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command, healthcheck = (
        [word.replace(str(image.port), str(port)) for word in words]
        for words in (image.entrypoint + image.command, image.healthcheck)
    )
    with subprocess.Popen(
        command, cwd=built.root, env=environment, stderr=subprocess.PIPE, text=True, **user()
    ) as process:
        try:
            wait_until_it_listens(process)
            yield Started(process, port, healthcheck, environment)
        finally:
            process.kill()
            shutil.rmtree(secrets)


def wait_until_it_listens(process: subprocess.Popen[str]) -> None:
    """Read the log of the process until it says that the server listens."""
    told = ""
    for line in process.stderr or ():
        told += line
        if '"event":"listening"' in line.replace(" ", ""):
            return
    raise AssertionError(told)


def contents(folder: Path) -> list[tuple[str, int]]:
    """Return pairs of the path and modification time of the files below a folder."""
    return sorted((str(path), path.lstat().st_mtime_ns) for path in folder.rglob("*"))


def test_it_serves_without_rights_from_a_folder_that_nobody_writes_to(built: Build, started: Started) -> None:
    before = contents(built.root)
    assert started.is_healthy()
    assert started.ask("GET", "/readyz") == (200, b"ok\n")
    params = {"_meta": {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/list",
    }
    assert started.ask("POST", "/mcp", body=body, headers=headers)[0] == 401, "callers prove who they are"
    allowed = headers | {"Authorization": f"Bearer {TOKEN}"}
    status, answer = started.ask("POST", "/mcp", body=body, headers=allowed)
    listed = [tool["name"] for tool in json.loads(answer)["result"]["tools"]]
    assert (status, listed) == (200, [tool["name"] for tool in json.loads(deployed()["petstore_mcp/tools.json"])])
    assert contents(built.root) == before
    started.process.send_signal(signal.Signals[built.image.signal])
    assert started.process.wait(timeout=60) == 0
    assert not started.is_healthy(), "the check fails where nothing answers"


def test_the_image_says_who_runs_it_and_how(built: Build) -> None:
    image = built.image
    assert min(image.user) > 1000, "a user without rights, as numbers"
    assert (image.port, image.signal) == (8000, "SIGTERM")
    assert image.command == ["--http", "0.0.0.0:8000"]
    assert image.entrypoint == [f"{built.root}/server/bin/petstore-mcp"]


def test_the_image_holds_the_environment_alone(built: Build) -> None:
    assert [path.name for path in built.root.iterdir()] == ["server"]
    packages = {path.name.partition("-")[0] for path in built.root.rglob("*.dist-info")}
    assert {"petstore_mcp", "aiohttp", "cryptography", "redis"} <= packages
    assert not packages & {"pip", "hatchling", "mcpgen"}


def test_all_stages_begin_with_one_base_that_is_slim_and_has_a_version(built: Build) -> None:
    assert len(built.bases) == 3
    [base] = {*built.bases}
    assert base.startswith("docker.io/library/python:3.")
    assert "-slim-" in base


def test_no_secret_comes_into_a_layer(tmp_path: Path) -> None:
    project = write(deployed(), tmp_path / "project")
    for path in (".env", "deploy/secrets/state_key", "petstore_mcp/__pycache__/a.pyc", "key.pem", ".git/config"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("secret")
    found = context(project, tmp_path / "context")
    assert sorted(path.name for path in found.iterdir()) == ["README.md", "petstore_mcp", "pyproject.toml"]
    assert not [path for path in found.rglob("*") if path.is_file() and path.read_bytes() == b"secret"]
    assert "SECRET" not in TEXT.upper().replace("NO SECRET", "")


def builder() -> str | None:
    """Return the name of a program that can build images here (with a running daemon if needed), or None."""
    for name in BUILDERS:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if subprocess.run([name, "info"], capture_output=True, timeout=30, check=False).returncode == 0:
                return name
    return None


@pytest.mark.world
def test_a_builder_builds_it(tmp_path: Path) -> None:
    if (program := builder()) is None:
        pytest.skip(f"no builder that works: {', '.join(BUILDERS)}")
    project = write(deployed(), tmp_path / "project")
    command = [program, "build", "-f", "Containerfile", "-t", "mcpgen-test-petstore", "."]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
