"""Test the last line of `generate` and `regenerate`: how to run what was written. Also test the starter file that
`generate` writes for settings.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.regeneration import GET, LIST, OUT, run, write

INSTALL = "python -m pip install ./out"
RESTART = f"Restart the server. Unless it runs from this folder, as after `pip install --editable`, first: {INSTALL}"


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    write(LIST, GET)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    assert capsys.readouterr().out.splitlines()[1:] == [f"Try it: {INSTALL} && zoo-mcp --list"]


def test_what_is_added_below_the_starter_file_applies(capsys: pytest.CaptureFixture[str]) -> None:
    with (OUT / "mcpgen.yaml").open("a", encoding="utf-8") as settings:
        settings.write("overrides:\n  listPets: {description: Lists them all.}\n")
    assert run("regenerate", "out") == 0
    assert "Lists them all." in (OUT / "zoo_mcp" / "tools.json").read_text(encoding="utf-8")
    *_, done, advice = capsys.readouterr().out.splitlines()
    assert done.startswith("Pets 0.1.0 → 0.1.1: 2 tools; wrote ")
    assert advice == RESTART


def test_the_starter_file_alone_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("regenerate", "out") == 0
    assert capsys.readouterr().out == "Pets: 2 tools; the project in out is up to date.\n"


def test_a_restart_is_advised_only_if_the_server_changed(capsys: pytest.CaptureFixture[str]) -> None:
    (OUT / "README.md").write_text("Mine.")
    assert run("regenerate", "out", "--overwrite") == 0
    assert capsys.readouterr().out == "Pets: 2 tools; wrote 1 file to out.\n"


@pytest.mark.parametrize("flag", ["--dry-run", "--check"])
def test_what_is_not_written_needs_no_restart(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(LIST)
    run("regenerate", "out", flag)
    assert "Restart" not in capsys.readouterr().out


def test_a_folder_whose_name_a_shell_would_split_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("generate", "api.json", "-o", "my pets", "--name", "zoo") == 0
    assert "python -m pip install './my pets' && zoo-mcp --list\n" in capsys.readouterr().out
