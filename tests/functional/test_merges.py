"""Test that the advice for a merge conflict in generated files is true: git really merges two branches, and the
command that mcpgen names is carried out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.functional.regeneration import DELETE, GET, LIST, OUT, files, lock, operation, run, write

WORDED = {"GET /pets": operation("listPets", "List all pets")}
LIMIT: dict[str, Any] = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
LIMITED = {"GET /pets/{id}": operation("getPet", parameters=[*GET["GET /pets/{id}"]["parameters"], LIMIT])}
HOOK = "def before_{}(call):\n    return call\n"
MARKS = ("<<<<<<< ", "\n=======\n", "\n>>>>>>> ")


def git(*arguments: str, fails: bool = False) -> None:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr


def commit(name: str) -> None:
    git("add", "-A")
    git("commit", "-q", "-m", name)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


def merge_branches(style: str, *, union: bool) -> None:
    """Make a project at version 2.0.0, two branches that regenerate it, and merge one branch into the other.

    Ours adds an argument (2.1.0), theirs changes a text (2.0.1). Both add own code to the package. `union`: False if
    .gitattributes does not say how the changelog is merged, as in projects of earlier versions.
    """
    git("init", "-q", "-b", "main")
    git("config", "user.name", "tester")
    git("config", "user.email", "tester@example.com")
    git("config", "merge.conflictStyle", style)
    write(LIST, GET, DELETE)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    settings = OUT / "mcpgen.yaml"
    unpinned = settings.read_text()
    settings.write_text("mcpgen: 1\nserver: {name: zoo, version: 2.0.0}\n")
    assert run("regenerate", "out") == 0
    settings.write_text(unpinned)
    attributes = OUT / ".gitattributes"
    if not union:
        attributes.write_text(attributes.read_text().replace(" merge=union", ""))
    _pretty()
    commit("base")
    git("checkout", "-q", "-b", "theirs")
    write(WORDED, GET, DELETE)
    _regenerated("2.0.1")
    (OUT / "zoo_mcp" / "theirs.py").write_text("")
    (OUT / "zoo_mcp" / "hooks.py").write_text((OUT / "zoo_mcp" / "hooks.py").read_text() + HOOK.format("list_pets"))
    commit("theirs")
    git("checkout", "-q", "main")
    write(LIST, LIMITED, DELETE)
    _regenerated("2.1.0")
    (OUT / "zoo_mcp" / "ours.py").write_text("")
    settings.write_text(settings.read_text() + "# Ours.\n")
    commit("ours")
    git("merge", "theirs", fails=True)


def _pretty() -> None:
    """Write the document with one value a line, so that git merges the document without a conflict."""
    Path("api.json").write_text(json.dumps(json.loads(Path("api.json").read_bytes()), indent=1))


def _regenerated(version: str) -> None:
    _pretty()
    assert run("regenerate", "out") == 0
    assert lock().version == version


def _advice(said: str) -> str:
    (command,) = re.findall(r"`(git .+?)`", said)
    return str(command)


@pytest.mark.parametrize("style", ["merge", "diff3"])
@pytest.mark.parametrize(
    ("side", "version", "change"),
    [("HEAD", "2.1.0 → 2.1.1", "0 breaking, 0 additive, 2 cosmetic"),
     ("MERGE_HEAD", "2.0.1 → 2.1.0", "0 breaking, 1 additive, 0 cosmetic")],
)  # fmt: skip
def test_the_advice_brings_both_sides_together(
    side: str, version: str, change: str, style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    merge_branches(style, union=False)
    assert all(mark in (OUT / "mcpgen.lock.json").read_text() for mark in MARKS)
    for arguments in (["regenerate", "out", "--overwrite"], ["generate", "api.json", "-o", "out"], ["bundle", "out"]):
        before = files()
        capsys.readouterr()
        assert run(*arguments) == 2
        assert files() == before
    said = capsys.readouterr().err
    assert "mcpgen.lock.json, CHANGELOG.md, pyproject.toml and 2 more in out contain conflict marks of a merge." in said
    command = _advice(said)
    assert "hooks.py" not in command
    assert "mcpgen.yaml" not in command
    subprocess.run(command.replace("=HEAD", f"={side}"), shell=True, check=True)
    assert run("regenerate", "out") == 0
    told = capsys.readouterr().out
    assert change in told
    assert f"Pets {version}: 3 tools" in told
    assert run("regenerate", "out", "--check") == 0
    commit("merged")
    now = files()
    assert HOOK.format("list_pets").encode() in now["zoo_mcp/hooks.py"]
    assert now["mcpgen.yaml"].endswith(b"# Ours.\n")
    assert {"zoo_mcp/ours.py", "zoo_mcp/theirs.py"} < now.keys()
    assert not any(mark.strip().encode() in now["CHANGELOG.md"] for mark in MARKS)


@pytest.mark.parametrize("path", ["CHANGELOG.md", "README.md", "zoo_mcp/tools.json", "zoo_mcp/runtime/server.py"])
def test_marks_in_any_generated_file_are_recognised(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(LIST)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    text = (OUT / path).read_bytes()
    (OUT / path).write_bytes(text + b"<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> theirs\r\n")
    for arguments in (["regenerate", "out", "--overwrite"], ["diff", "out", "api.json"], ["inspect", "out"]):
        capsys.readouterr()
        assert run(*arguments) == 2
        said = capsys.readouterr().err
        assert f"{path} in out contains conflict marks of a merge." in said
        assert ("CHANGELOG.md" in _advice(said)) == (path == "CHANGELOG.md")
    (OUT / path).write_bytes(text)
    assert run("regenerate", "out", "--check") == 0


def test_marks_in_files_of_the_user_are_the_user_s_affair() -> None:
    write(LIST)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    for path in ("NOTES.md", "zoo_mcp/notes.md"):
        (OUT / path).write_text("\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\n")
    assert run("regenerate", "out") == 0


def test_the_changelog_of_a_new_project_keeps_the_entries_of_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    merge_branches("merge", union=True)
    capsys.readouterr()
    assert run("regenerate", "out") == 2
    command = _advice(capsys.readouterr().err)
    assert "CHANGELOG.md" not in command
    subprocess.run(command, shell=True, check=True)
    assert run("regenerate", "out") == 0
    headings = re.findall(r"^## (.+)$", (OUT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings == ["2.1.1", "2.1.0", "2.0.1", "2.0.0", "0.1.0"]
