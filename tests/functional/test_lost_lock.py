"""Test what happens to a project whose lock file is missing: it is recognised, and rebuilt without losing names."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mcpgen.lock import lockfile as locks
from tests.cases.test_cases import CASES, command_lines, prepared
from tests.functional.regeneration import DELETE, GET, LIST, OUT, PET, files, lock, names, operation, run, write

LOCK = OUT / locks.NAME
BRING_BACK = (
    'git -C out checkout "$(git -C out log -1 --first-parent -m --diff-filter=AM --format=%H -- mcpgen.lock.json)"'
    " -- mcpgen.lock.json"
)
RENAMED = {"GET /pets": operation("showPets", "About listPets")}
"""The operation of `LIST` with another operationId: without a pin, its tool would be called show_pets."""

EXACT = [case for case in CASES if case.parent.name in ("documents", "overrides", "parameters", "bodies", "prompts")]
INEXACT = ("toolsfile/get_with_body", "toolsfile/input_schema", "toolsfile/omitted", "toolsfile/request_query")
"""Cases of handwritten schemas, in which the rebuilt lock file also lists former argument names."""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def project() -> None:
    write(LIST, GET, DELETE)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0


def check_same_lock(case: Path) -> None:
    """Generate the project of a case twice, and delete the lock file in between. Both lock files must be equal."""
    settings = tomllib.loads((case / "case.toml").read_text("utf-8"))
    first, *others = command_lines(case, settings)
    if first[0] != "generate" or "-o" not in first or others or settings.get("exit"):
        return
    prepared(case, settings, Path("work"))
    os.chdir("work")
    found = Path(first[first.index("-o") + 1]) / locks.NAME
    if run(*first) == 0 and found.exists():
        before = found.read_bytes()
        found.unlink()
        assert run(*first) == 0
        assert found.read_bytes() == before


@pytest.mark.parametrize("case", EXACT[::8], ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_rebuilt_lock_file_is_the_lost_one(case: Path) -> None:
    check_same_lock(case)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [case for case in CASES if f"{case.parent.name}/{case.name}" not in INEXACT],
    ids=lambda case: f"{case.parent.name}/{case.name}",
)
def test_every_rebuilt_lock_file_is_the_lost_one(case: Path) -> None:
    check_same_lock(case)


PLACES = ("path", "query", "header", "cookie", "body")


@pytest.mark.parametrize(("rival", "place"), [*itertools.pairwise(PLACES)])
def test_names_of_arguments_that_no_compile_would_derive_stay(rival: str, place: str) -> None:
    """Give the name `id` to a parameter before another one appears, which would get the plain name otherwise."""
    _write_parameters(place)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    _write_parameters(place, rival)
    assert run("regenerate", "out") == 0
    before = lock().promises.tools
    (known,) = before.values()
    assert known.arguments[place, "id"] == "id"
    LOCK.unlink()
    assert run("generate", "api.json", "-o", "out") == 0
    assert lock().promises.tools == before


def _write_parameters(*places: str) -> None:
    schema = {"type": "string"}
    body = {"content": {"application/json": {"schema": {"type": "object", "properties": {"id": schema}}}}}
    parameters = [
        {"name": "id", "in": place, "schema": schema, "required": place == "path"}
        for place in places
        if place != "body"
    ]
    more: dict[str, Any] = {"requestBody": body} if "body" in places else {}
    path = "/pets/{id}" if "path" in places else "/pets/x"
    write({f"POST {path}": operation("find", parameters=parameters, **more)})


@pytest.mark.parametrize(
    "arguments",
    [["regenerate", "out"], ["regenerate", "out", "--source", "api.json"], ["bundle", "out"], ["inspect", "out"],
     ["diff", "out", "api.json"], ["install", "out", "cursor"]],
    ids=lambda arguments: " ".join(arguments),
)  # fmt: skip
def test_a_missing_lock_file_is_named_with_two_ways_back(
    project: None, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    LOCK.unlink()
    before = files()
    capsys.readouterr()
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert "The lock file mcpgen.lock.json of the project in out is missing. [lock-missing]" in said
    assert f"`{BRING_BACK}`" in said
    assert "`mcpgen generate SOURCE -o out` and the flags of the first run" in said
    assert files() == before


@pytest.mark.parametrize("is_committed", [False, True], ids=["deleted", "committed"])
def test_git_brings_it_back_as_the_sentence_says(
    project: None, is_committed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    as_tester = ["-c", "user.name=tester", "-c", "user.email=tester@example.com"]
    for arguments in (["init", "-q"], ["add", "-A"], [*as_tester, "commit", "-qm", "base"]):
        subprocess.run(["git", *arguments], check=True)
    before = files()
    LOCK.unlink()
    if is_committed:
        subprocess.run(["git", *as_tester, "commit", "-qam", "lost"], check=True)
    capsys.readouterr()
    assert run("regenerate", "out") == 2
    (command,) = re.findall(r"`(git .+?)`", capsys.readouterr().err)
    subprocess.run(command, shell=True, check=True)
    assert files() == before


def test_without_changes_only_the_lock_file_is_written(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    before = files()
    LOCK.unlink()
    (OUT / ".gitignore").unlink()  # the user may delete this file for good
    capsys.readouterr()
    assert run("generate", "api.json", "-o", "out") == 0
    said = capsys.readouterr()
    assert "[lock-rebuilt]" in said.err
    assert said.out == "Pets: 3 tools; wrote 1 file to out.\n"
    del before[".gitignore"]
    assert files() == before


def test_names_and_own_files_stay_and_the_version_moves_by_what_changed(
    project: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (OUT / "zoo_mcp" / "hooks.py").write_text("# Mine.\n")
    (OUT / "zoo_mcp" / "own.py").write_text("# Mine.\n")
    (OUT / "mcpgen.yaml").write_text("mcpgen: 1\nserver: {name: zoo}\n# Mine.\n")
    (OUT / "CHANGELOG.md").write_text((OUT / "CHANGELOG.md").read_text() + "- Mine.\n")
    (OUT / "zoo_mcp" / "prompts.json").write_text("[]")  # of an earlier version of the project
    own = {path: data for path, data in files().items() if b"Mine." in data and path != "CHANGELOG.md"}
    LOCK.unlink()
    write(RENAMED, {"GET /pets/{key}": operation("getPet", parameters=[{**PET, "name": "key"}])}, DELETE)
    before = files()
    assert run("generate", "api.json", "-o", "out") == 2
    said = capsys.readouterr().err
    assert "Without mcpgen.lock.json, mcpgen cannot know whether these files were edited by hand: " in said
    assert BRING_BACK in said
    assert run("generate", "api.json", "-o", "out", "--overwrite", "--dry-run") == 0
    assert files() == before
    assert run("generate", "api.json", "-o", "out", "--overwrite") == 0
    assert sorted(names().values()) == ["delete_pet", "get_pet", "list_pets"]
    assert lock().version == "0.2.0"
    assert (OUT / "CHANGELOG.md").read_text().endswith("- Mine.\n")
    assert "- Breaking: `get_pet`" in (OUT / "CHANGELOG.md").read_text()
    now = files()
    assert {path: now[path] for path in own} == own
    assert "zoo_mcp/prompts.json" not in now
    assert run("regenerate", "out", "--check") == 0


def test_accepted_origins_stay_and_others_are_not_accepted(project: None) -> None:
    before = lock().origins
    LOCK.unlink()
    document = json.loads(Path("api.json").read_bytes())
    document["servers"] = [{"url": "https://evil.example"}]
    Path("api.json").write_text(json.dumps(document))
    assert run("generate", "api.json", "-o", "out", "--overwrite") == 0
    assert before == {"https://api.example.com": True}
    assert lock().origins == {**before, "https://evil.example": False}


@pytest.mark.parametrize("broken", ["[", "{}", '{"server": {"name": "../x"}}', '{"server": {"name": "other"}}'])
def test_tables_that_cannot_be_trusted_rebuild_nothing(
    project: None, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    LOCK.unlink()
    (OUT / "zoo_mcp" / "bindings.json").write_text(broken)
    before = files()
    capsys.readouterr()
    assert run("generate", "api.json", "-o", "out", "--overwrite") == 2
    said = capsys.readouterr().err
    assert "is missing, and cannot be rebuilt from bindings.json and tools.json. [lock-missing]" in said
    assert files() == before


def test_two_packages_rebuild_nothing(project: None) -> None:
    LOCK.unlink()
    shutil.copytree(OUT / "zoo_mcp", OUT / "other_mcp")
    assert run("generate", "api.json", "-o", "out") == 2
