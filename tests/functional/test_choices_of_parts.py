"""Test servers with usual choices of parts: each is generated, started, called, killed and doctored."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from mcpgen.lock import lockfile
from tests.command import mcpgen
from tests.functional.test_plain_core import CLIENT, DOCUMENT, environment, generated, run
from tests.leaks import searched
from tests.streamable.messages import request
from tests.streamable.upstream import PATIENCE, Upstream

PLAIN_FILES, PLAIN_LINES, PLAIN_README, PLAIN_WHEEL = 96, 20_000, 120, 350_000
"""Limits for a plain server: its files, the lines of Python among them, those of its README, bytes of its wheel. They
may only fall.
"""

LOGIN = """\
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    user:
      type: oauth2
      flows:
        authorizationCode:
          authorizationUrl: https://a.example.com/a
          tokenUrl: https://a.example.com/t
          scopes: {}
"""
WITH_LOGIN = DOCUMENT.replace(
    "components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}\n", LOGIN
).replace("security: [{key: []}]", "security: [{key: []}, {user: []}]")

CHOICES: dict[str, tuple[str, tuple[str, ...], set[str]]] = {
    "plain": (DOCUMENT, (), {"server.py"}),
    "login": (WITH_LOGIN, (), {"login/__init__.py", "oauth/tokens.py"}),
    "http": (DOCUMENT, ("--http",), {"http_server/__init__.py", "identity/__init__.py", "delegation/__init__.py"}),
    "search": (DOCUMENT, ("--tools=search", "--programs=reads"), {"search/__init__.py", "programs/sandbox.py"}),
    "all": (DOCUMENT, ("--parts=all",), {"telemetry/__init__.py", "login/__init__.py", "tables/table.py"}),
}
"""Name → document, flags of `generate`, and files of the runtime that this choice adds."""


def project(name: str, folder: Path) -> Path:
    """Generate the server of a choice, and return its project."""
    document, flags, _ = CHOICES[name]
    (folder / "things.yaml").write_text(document, encoding="utf-8")
    return generated(folder / "things.yaml", folder, *flags, *(["--parts=none"] if "--parts=all" not in flags else []))


def asked(server: subprocess.Popen[str], message: dict[str, Any]) -> Any:
    """Return the server's answer to a message."""
    streams: list[IO[str] | None] = [server.stdin, server.stdout]
    given, found = (each for each in streams if each is not None)
    given.write(json.dumps(message) + "\n")
    given.flush()
    while (answer := json.loads(found.readline())).get("id") != message["id"]:
        pass
    return answer["result"]


@pytest.fixture(scope="module")
def upstream() -> Any:
    found = Upstream()
    yield found
    found.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOICES)
def test_a_server_is_called_killed_and_doctored(name: str, upstream: Upstream, tmp_path: Path) -> None:
    made = project(name, tmp_path)
    runtime = made / "things_mcp" / "runtime"
    added = {other: files for other, (_, _, files) in CHOICES.items()}
    assert all((runtime / file).is_file() for file in added[name])
    if name == "plain":
        assert not any((runtime / file).exists() for other, files in added.items() if other != name for file in files)
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "things_mcp"]
    with subprocess.Popen(
        command, cwd=made, env=environment(upstream), text=True, stdin=pipe, stdout=pipe, stderr=pipe
    ) as server:
        try:
            asked(server, request("initialize", 1, **CLIENT))
            tools = [tool["name"] for tool in asked(server, request("tools/list", 2))["tools"]]
            called = asked(server, request("tools/call", 3, name="echo", arguments={"text": "a"}))
        finally:
            server.kill()
        searched((server.stderr.read() if server.stderr else "").encode())
        assert server.wait(PATIENCE) == -9
    assert "call_tool" in tools if name == "search" else "echo" in tools
    assert called["content"][0]["text"] == "/echo/a"
    doctored = run(made, upstream, "--doctor")
    assert "runtime: no accidental edits" in doctored.stdout
    assert "missing" not in doctored.stderr
    if name == "search":
        assert run(made, upstream, "--search", "echo").returncode == 0


def size(made: Path) -> tuple[int, int]:
    """Return the number of files of a project, and the lines of Python among them."""
    paths = [path for path in made.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return len(paths), sum(path.read_bytes().count(b"\n") for path in paths if path.suffix == ".py")


def test_a_plain_server_is_small(tmp_path: Path) -> None:
    made = project("plain", tmp_path)
    files, lines = size(made)
    readme = (made / "README.md").read_bytes()
    assert (files <= PLAIN_FILES, lines <= PLAIN_LINES) == (True, True), (files, lines)
    assert readme.count(b"\n") <= PLAIN_README
    assert readme.rstrip().endswith(b"`telemetry`: metrics and traces")
    lock = lockfile.load((made / lockfile.NAME).read_bytes(), lockfile.NAME)
    assert lock.parts == ()


@pytest.mark.slow
def test_the_wheel_of_a_plain_server_is_small(tmp_path: Path) -> None:
    made = project("plain", tmp_path)
    done = mcpgen("bundle", str(made), "-o", str(tmp_path / "released"))
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.joinpath("released").glob("*.whl")
    assert wheel.stat().st_size <= PLAIN_WHEEL, wheel.stat().st_size


def test_an_older_project_keeps_its_parts_until_its_owner_chooses(tmp_path: Path) -> None:
    made = project("all", tmp_path)
    lock = json.loads((made / lockfile.NAME).read_text(encoding="ascii"))
    del lock["parts"], lock["options"]["parts"]
    (made / lockfile.NAME).write_text(json.dumps(lock), encoding="ascii")
    before = size(made)
    kept = mcpgen("regenerate", str(made))
    assert (kept.returncode, size(made)) == (0, before)
    assert "lines belong to parts that its tools do not need" in kept.stderr
    assert "parts" not in json.loads((made / lockfile.NAME).read_text(encoding="ascii"))
    reload = made / "things_mcp" / "runtime" / "replicas" / "store.py"
    reload.write_text(text := reload.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    refused = mcpgen("regenerate", str(made), "--parts", "audit")
    assert (refused.returncode, reload.read_text(encoding="utf-8")) == (2, text)
    assert "replicas/store.py" in refused.stderr
    done = mcpgen("regenerate", str(made), "--parts", "audit", "--overwrite")
    assert done.returncode == 0
    assert not reload.exists()
    assert "The server no longer has the part http." in done.stderr + done.stdout
    assert "no longer has the part http" in (made / "CHANGELOG.md").read_text(encoding="utf-8")
    assert size(made) < before
    assert json.loads((made / lockfile.NAME).read_text(encoding="ascii"))["parts"] == ["audit"]
    assert "belong to parts" not in mcpgen("regenerate", str(made)).stderr


def test_the_lost_lock_of_a_small_project_brings_no_parts(tmp_path: Path) -> None:
    made = project("plain", tmp_path)
    (made / lockfile.NAME).unlink()
    before = size(made)
    assert mcpgen("generate", str(tmp_path / "things.yaml"), "-o", str(made), "--parts=none").returncode == 0
    assert size(made)[1] == before[1]


@pytest.mark.parametrize("flags", [("--project", "--with", "python")], ids=" ".join)
def test_mcpgen_installs_a_server_without_the_part_install(
    flags: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = project("plain", tmp_path)
    entries = []
    monkeypatch.chdir(tmp_path)
    for parts in ((), ("--parts=install",)):
        assert mcpgen("regenerate", str(made), *parts).returncode == 0
        done = subprocess.run(
            [sys.executable, "-m", "mcpgen", "install", str(made), "cursor", *flags], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        entries.append((tmp_path / ".cursor" / "mcp.json").read_text(encoding="utf-8"))
        undo = [sys.executable, "-m", "mcpgen", "uninstall", str(made), "cursor", "--project"]
        assert subprocess.run(undo, capture_output=True, check=False).returncode == 0
    assert entries[0] == entries[1]
    assert not (tmp_path / ".cursor" / "mcp.json").exists()
