"""Test CHANGELOG.md over many generations of a project: no entry is lost, and the lock file has its digest."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mcpgen.base.jsonvalue import digest
from mcpgen.cli import main
from mcpgen.lock import lockfile as locks
from mcpgen.regenerate import changelog

TITLE = "# Changelog\n"
SECTION = "\n## {}\n\n"
OLDEST = SECTION.format("0.1.0") + "- First generated: 2 tools.\n"
FIRST = TITLE + OLDEST
UNTOLD = "- The tools changed. The changes cannot be listed, because the earlier tools.json could not be read.\n"
GONE = "- Breaking: The tool get\\_b was removed.\n"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def generate(operations: dict[str, str], *flags: str, title: str = "Pets") -> object:
    """Generate a project with these operations, each with its summary."""
    paths = {
        f"/{name}": {"get": {"operationId": name, "summary": summary, "responses": {"200": {"description": "ok"}}}}
        for name, summary in operations.items()
    }
    document = {"openapi": "3.1.0", "info": {"title": title, "version": "1"}, "paths": paths}
    Path("api.json").write_text(json.dumps({**document, "servers": [{"url": "https://api.example.com"}]}))
    with pytest.raises(SystemExit) as ended:
        main(["generate", "api.json", "-o", "out", *flags])
    return ended.value.code


def history(edited: str = "") -> str:
    """Return the changelog. Check that the lock file has its digest, unless a person has `edited` the changelog."""
    data = (Path("out") / changelog.NAME).read_bytes()
    known = locks.load((Path("out") / locks.NAME).read_bytes(), "").files[changelog.NAME]
    assert known == digest(data) or data == edited.encode()
    return data.decode()


def test_the_newest_entry_stands_first_and_older_ones_stay() -> None:
    assert generate({"a": "A", "b": "B"}) == 0
    assert history() == FIRST
    assert generate({"a": "A", "b": "B"}) == 0
    assert history() == FIRST
    assert generate({"a": "Changed", "c": "C", "d": "D"}) == 0
    second = SECTION.format("0.2.0") + "- Breaking: The tool get\\_b was removed.\n"
    second += "- Additive: The tool get\\_c is new.\n- Additive: The tool get\\_d is new.\n"
    second += "- Cosmetic: `get_a`: The description of the tool has new wording.\n"
    second += "- Cosmetic: `get_a`: The title of the tool is now Changed; it was A.\n"
    assert history() == TITLE + second + OLDEST
    assert generate({"a": "Changed", "c": "C", "d": "D"}) == 0
    assert history() == TITLE + second + OLDEST
    assert generate({"a": "Changed", "d": "D"}) == 0
    third = SECTION.format("0.3.0") + "- Breaking: The tool get\\_c was removed.\n"
    assert history() == TITLE + third + second + OLDEST


def test_a_new_version_has_a_heading_of_its_own() -> None:
    generate({"a": "A", "b": "B"})
    Path("out/mcpgen.yaml").write_text("mcpgen: 1\nserver: {name: pets, version: 0.2.0}\n")
    assert generate({"a": "A"}) == 0
    second = SECTION.format("0.2.0") + GONE
    assert history() == TITLE + second + OLDEST
    assert generate({"a": "A", "c": "C"}) == 0
    assert history() == TITLE + second + "- Additive: The tool get\\_c is new.\n" + OLDEST


ENTRY = SECTION.format("0.2.0") + GONE


@pytest.mark.parametrize(
    ("edited", "continued"),
    [
        (FIRST + "- Mine.\n", TITLE + ENTRY + OLDEST + "- Mine.\n"),
        (FIRST + "- No newline", TITLE + ENTRY + OLDEST + "- No newline"),
        ("", ENTRY.lstrip()),
        ("\ufeff\r\nMine", "\ufeff\r\nMine\n" + ENTRY),
        (TITLE + "\nMine.\n\n## Unreleased\n\n- Mine.\n" + OLDEST, None),
        (TITLE + "\nMine.\n\n## [v0.0.9] - 2026\n\n- Mine.\n" + OLDEST, None),
        ("## 0.0.9\n- Nine.\n" + OLDEST + "\n## 0.0.2\n- Two.\n", ENTRY.lstrip()
         + OLDEST + "\n## 0.0.9\n- Nine.\n\n## 0.0.2\n- Two.\n"),
        ("# Oldest first\n" + SECTION.format("0.0.1") + "- Old.\n" + OLDEST, None),
        ("## 0.1.0\r\n\r\n- Mine.\r\n", ENTRY.lstrip() + "\n## 0.1.0\r\n\r\n- Mine.\r\n"),
        (TITLE + SECTION.format("0.2.0") + "Mine.\n\n## Notes\n\nMine.\n" + OLDEST, TITLE
         + SECTION.format("0.2.0") + "Mine.\n" + GONE + "\n## Notes\n\nMine.\n" + OLDEST),
    ],
)  # fmt: skip
@pytest.mark.parametrize("flags", [[], ["--overwrite"]], ids=["plain", "overwrite"])
def test_what_was_edited_is_kept(edited: str, continued: str | None, flags: list[str]) -> None:
    """Insert an entry into an edited changelog: before the first heading of a version (`continued` is None), or as
    `continued` shows.
    """
    generate({"a": "A", "b": "B"})
    (Path("out") / changelog.NAME).write_text(edited, newline="")
    assert generate({"a": "A", "b": "B"}, *flags) == 0
    assert history(edited) == edited
    with pytest.raises(SystemExit) as ended:
        main(["regenerate", "out", "--check"])
    assert ended.value.code == 0
    assert generate({"a": "A"}, *flags) == 0
    if continued is None:
        at = min(edited.index(start) for start in ("\n## 0", "\n## [") if start in edited)
        continued = edited[:at] + ENTRY + edited[at:]
    assert (Path("out") / changelog.NAME).read_bytes().decode() == continued


@pytest.mark.parametrize("flags", [["--overwrite"], ["--overwrite", "--name", "zoo"]], ids=["", "renamed"])
def test_tables_that_cannot_be_read_never_raise_the_version(
    flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    generate({"a": "A", "b": "B"})
    next(Path("out").glob("*/tools.json")).write_text("[")
    capsys.readouterr()
    assert generate({"a": "A"}, *flags) == 0
    assert history() == FIRST + UNTOLD
    said = capsys.readouterr().err
    assert "[tables-unreadable]" in said
    assert "the version stays 0.1.0" in said
    assert "`git -C out checkout HEAD -- pets_mcp/bindings.json pets_mcp/tools.json`" in said
    next(Path("out").glob("*/tools.json")).unlink()
    assert generate({"a": "A", "b": "B"}) == 0
    assert history() == FIRST + UNTOLD
    next(Path("out").glob("*/tools.json")).unlink()
    Path("out/README.md").unlink()
    assert generate({"a": "A", "b": "B"}) == 0
    assert history() == FIRST + UNTOLD
    assert locks.load((Path("out") / locks.NAME).read_bytes(), "").version == "0.1.0"


def test_changes_that_are_unknown_reach_every_gate() -> None:
    generate({"a": "A", "b": "B"})
    next(Path("out").glob("*/tools.json")).unlink()
    generate({"a": "A"}, "--dry-run")
    with pytest.raises(SystemExit) as ended:
        main(["regenerate", "out", "--fail-on", "breaking"])
    assert ended.value.code == 1
    assert not [*Path("out").glob("*/tools.json")]


def test_a_deleted_one_begins_anew() -> None:
    generate({"a": "A", "b": "B"})
    (Path("out") / changelog.NAME).unlink()
    assert generate({"a": "A"}) == 0
    assert history() == FIRST.replace("2 tools", "1 tool").replace("0.1.0", "0.2.0")


def test_the_entry_of_a_run_that_was_killed_is_not_repeated() -> None:
    """Run again after a kill between the write of the changelog and the write of the other files.

    The entry must not be repeated.
    """
    generate({"a": "A", "b": "B"})
    before = {path: path.read_bytes() for path in Path("out").rglob("*.json")}
    generate({"a": "A"})
    after = history()
    for path, data in before.items():
        path.write_bytes(data)
    assert generate({"a": "A"}) == 0
    assert history() == after


def test_a_link_or_a_pipe_in_its_place_is_refused_at_once() -> None:
    generate({"a": "A", "b": "B"})
    (Path("out") / changelog.NAME).unlink()
    os.mkfifo(Path("out") / changelog.NAME)
    assert generate({"a": "A"}) == 2
