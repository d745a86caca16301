"""Test the environments of the interoperability tests: the server's environment has only its dependencies, and each
environment is made once and completely.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mcpgen.demo import petstore
from tests.interop import environments

#: Time limit in seconds on each program that a test runs. It is long, because no test here measures time.
PATIENCE = 120


def _printed(*command: str, cwd: Path) -> str:
    environment = {"PETSTORE_API_KEY": petstore.API_KEY}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_server_has_its_own_dependencies_and_nothing_else(server: Path, tmp_path: Path) -> None:
    """Check that the server's environment has only its direct and indirect dependencies and pip, but neither mcpgen nor
    an MCP SDK.
    """
    installed = "import importlib.metadata as m; print(*sorted(d.name.lower() for d in m.distributions()))"
    names = set(_printed(str(server.with_name("python")), "-I", "-c", installed, cwd=tmp_path).split())
    assert {"petstore-mcp", "aiohttp"} <= names
    assert not [name for name in names if "mcp" in name and name != "petstore-mcp"]
    assert not names & {"pydantic", "anyio", "httpx", "openapi-spec-validator", "jinja2", "click", "pyyaml"}


def test_the_console_script_runs_from_anywhere(server: Path, tmp_path: Path) -> None:
    listed = _printed(str(server), "--list", cwd=tmp_path)
    assert all(name in listed for name in ("list_pets", "upload_photo"))
    assert "petstore" in _printed(str(server), "--version", cwd=tmp_path)


def test_a_script_is_replaced_in_one_step(tmp_path: Path) -> None:
    """Check that node, started with the earlier copy of a script, never reads a part of the next copy."""
    (script := tmp_path / "driver.mjs").write_text("first")
    (packages := tmp_path / "packages").mkdir()
    with environments.put_beside(packages, script).open() as earlier:
        script.write_text("second")
        later = environments.put_beside(packages, script)
        assert (earlier.read(), later.read_text()) == ("first", "second")
    assert environments.put_beside(packages, script, "other.mjs").name == "other.mjs"
    assert sorted(path.name for path in packages.iterdir()) == ["driver.mjs", "other.mjs"]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(environments, "CLIENTS", tmp_path / "clients")
    return tmp_path


def _maker(made: list[str], what: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        folder.mkdir()
        (folder / what).touch()
        made.append(what)

    return make


def test_an_environment_is_made_once(home: Path) -> None:
    made: list[str] = []
    first = environments.made("some", {"wants": "a"}, _maker(made, "a"))
    again = environments.made("some", {"wants": "a"}, _maker(made, "a"))
    assert first == again == home / "clients" / "some"
    assert made == ["a"]


def test_an_environment_for_something_else_is_made_anew(home: Path) -> None:
    made: list[str] = []
    environments.made("some", {"wants": "a"}, _maker(made, "a"))
    folder = environments.made("some", {"wants": "b"}, _maker(made, "b"))
    assert made == ["a", "b"]
    assert not (folder / "a").exists()


def test_an_environment_that_was_interrupted_is_made_anew(home: Path) -> None:
    def interrupted(folder: Path) -> None:
        folder.mkdir()
        (folder / "half").touch()
        raise KeyboardInterrupt

    made: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        environments.made("some", {"wants": "a"}, interrupted)
    folder = environments.made("some", {"wants": "a"}, _maker(made, "a"))
    assert made == ["a"]
    assert not (folder / "half").exists()


@pytest.mark.parametrize(("programs", "lacking"), [((), "node and npm"), (("node",), "npm")])
def test_a_machine_without_node_is_told_what_it_lacks(
    home: Path, monkeypatch: pytest.MonkeyPatch, programs: tuple[str, ...], lacking: str
) -> None:
    for program in programs:
        (home / program).write_text("#!/bin/sh\n")
        (home / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(environments.Missing, match=rf"client needs {lacking}, which cannot be found"):
        environments.node("typescript", {})


def test_a_machine_with_an_old_node_is_told_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("node", "npm"):
        (home / program).write_text("#!/bin/sh\necho v18.19.1\n")
        (home / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(environments.Missing, match=r"needs node 20 or newer, and this is v18\.19\.1"):
        environments.node("typescript", {})
