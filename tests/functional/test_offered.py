"""Test that a project's test and .gitignore are written once, never overwritten, and not restored once deleted."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mcpgen.cli import main
from mcpgen.emit import OFFERED
from mcpgen.lock import lockfile as locks
from tests.functional.regeneration import GET, LIST, OUT, api


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def generate() -> None:
    Path("api.json").write_bytes(api(**LIST))
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0


def change() -> None:
    """Change the API, so that the project is written again."""
    Path("api.json").write_bytes(api(**LIST, **GET))
    assert run("regenerate", "out") == 0
    assert "get_pet" in (OUT / "zoo_mcp" / "tools.json").read_text()


@pytest.mark.parametrize("path", OFFERED)
def test_what_its_owner_wrote_stays(path: str) -> None:
    generate()
    (OUT / path).write_text("mine")
    assert run("regenerate", "out", "--check") == 0
    change()
    assert run("regenerate", "out", "--overwrite") == 0
    assert (OUT / path).read_text() == "mine"


@pytest.mark.parametrize("path", OFFERED)
def test_what_its_owner_deleted_stays_away(path: str) -> None:
    generate()
    (OUT / path).unlink()
    assert run("regenerate", "out", "--check") == 0, "nothing is stale"
    change()
    assert run("regenerate", "out", "--overwrite") == 0
    assert run("generate", "api.json", "-o", "out") == 0
    assert not (OUT / path).exists()


def test_hooks_are_written_again_since_no_server_starts_without_them() -> None:
    generate()
    (OUT / "zoo_mcp" / "hooks.py").unlink()
    assert run("regenerate", "out") == 0
    assert (OUT / "zoo_mcp" / "hooks.py").is_file()


def forget() -> None:
    """Rewrite the lock as if the project had been generated before mcpgen offered these files."""
    lock = json.loads((OUT / locks.NAME).read_text())
    assert lock.pop("offered") == [*OFFERED]
    (OUT / locks.NAME).write_text(json.dumps(lock, indent=1) + "\n")


def test_an_older_project_is_offered_both_beside_its_own_tests() -> None:
    generate()
    for path in OFFERED:
        (OUT / path).unlink()
    (OUT / "tests" / "test_mine.py").write_text("mine")
    forget()
    change()
    assert all((OUT / path).is_file() for path in OFFERED)
    assert (OUT / "tests" / "test_mine.py").read_text() == "mine"


@pytest.mark.parametrize("way", ["link to a folder", "file", "dangling link", "own test"])
def test_what_is_in_the_way_is_left_and_stops_nothing(way: str) -> None:
    generate()
    (OUT / OFFERED[1]).unlink()
    (OUT / "tests").rmdir()
    forget()
    Path("elsewhere").mkdir()
    if way == "link to a folder":
        (OUT / "tests").symlink_to(Path("elsewhere").resolve())
    elif way == "file":
        (OUT / "tests").write_text("mine")
    else:
        (OUT / "tests").mkdir()
        (OUT / OFFERED[1]).symlink_to("nowhere" if way == "dangling link" else "../../elsewhere")
    change()
    assert not [*Path("elsewhere").iterdir()]
    assert (OUT / "tests").is_symlink() is (way == "link to a folder")
    assert (OUT / "tests").is_file() is (way == "file")
    if way == "dangling link":
        assert (OUT / OFFERED[1]).is_symlink()
    change()


def test_taken_out_of_the_lock_they_come_back() -> None:
    generate()
    (OUT / OFFERED[0]).unlink()
    forget()
    assert run("regenerate", "out") == 0
    assert (OUT / OFFERED[0]).is_file()


def test_git_leaves_out_what_python_leaves_and_nothing_of_the_project() -> None:
    generate()
    subprocess.run(["git", "init", "--quiet", "out"], check=True)
    left = (
        "zoo_mcp/__pycache__/a.pyc",
        ".venv/bin/python",
        "dist/a.whl",
        ".env",
        ".pytest_cache/x",
        ".mcpgen-abcdefgh/a",
    )
    for path in left:
        (OUT / path).parent.mkdir(parents=True, exist_ok=True)
        (OUT / path).write_text("x")
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    told = subprocess.run(command, cwd=OUT, capture_output=True, text=True, check=True).stdout
    untracked = {line.removeprefix("?? ") for line in told.splitlines()}
    assert not untracked & {*left}
    lock = locks.load((OUT / locks.NAME).read_bytes(), locks.NAME)
    assert {*lock.files, *OFFERED, "mcpgen.yaml", "zoo_mcp/hooks.py"} <= untracked
