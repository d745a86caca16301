"""Test which temporary directories (stages) are removed and which are left alone, and which unfinished writes are
completed.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.lock import lockfile as locks
from mcpgen.regenerate.publish import staging
from mcpgen.regenerate.publish.staging import Record
from tests.unit.filesystem import contents, killed_at, quick
from tests.unit.projects import NEW, OLD, OTHER, generate, prepared, stopped_between


@pytest.fixture(autouse=True)
def _quick_disk() -> Iterator[None]:
    with quick():
        yield


def test_the_stage_of_a_run_that_lives_is_left_alone(tmp_path: Path) -> None:
    with staging.staged(tmp_path, {"x": b"1"}) as stage:
        generate(tmp_path / "out", OLD)
        assert staging.read(stage, "x") == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_stage_that_holds_links_lends_nothing(tmp_path: Path) -> None:
    """Follow no links in a temporary directory (stage) of mcpgen, because a cloned repository may contain such a
    directory with links to anywhere.
    """
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / locks.NAME).write_bytes(NEW[locks.NAME])
    (elsewhere / "record").write_text(json.dumps({"old": 1, "new": 2, "known": {}}))
    with staging.staged(tmp_path, {locks.NAME: b""}) as stage:
        (stage.files / locks.NAME).unlink()
        (stage.files / locks.NAME).symlink_to(elsewhere / locks.NAME)
        assert staging.read(stage, locks.NAME) is None
        (stage.files / locks.NAME).unlink()
        stage.files.rmdir()
        stage.files.symlink_to(elsewhere)
        assert staging.read(stage, locks.NAME) is None
        (stage.home / "exchange").symlink_to(elsewhere / "record")
        assert staging.recorded(stage) is None
    assert (elsewhere / locks.NAME).exists()


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", "[" * 100_000, '{"old": 1, "new": 2}', '{"old": 1, "new": 2, "known": []}'),
        '{"old": null, "new": 2, "known": {}}',
    ],
)
def test_a_record_that_is_none_is_none(tmp_path: Path, text: str) -> None:
    with staging.staged(tmp_path, {}) as stage:
        (stage.home / "exchange").write_text(text)
        assert staging.recorded(stage) is None
        assert staging.is_expendable(stage)


def test_what_a_killed_run_leaves_says_what_it_holds(tmp_path: Path) -> None:
    """Kill a run of mcpgen. A file in its temporary directory must say whether the directory may be deleted, or holds
    folders of the user.
    """
    target = prepared(tmp_path / "it's", "small")
    killed_at(30, lambda: generate(target, NEW), {os: ("mkdir", "open", "write")})
    [stage] = staging.stages(target.parent)
    assert b"removes this directory" in (stage.home / "unfinished").read_bytes()
    assert stopped_between(target, NEW)
    [stage] = staging.stages(target.parent)
    assert (stage.files / ".git" / "HEAD").read_text() == "mine"
    said = (stage.home / "unfinished").read_text()
    for words in ("Do not delete", f"project {target} lie here", f"mcpgen regenerate {shlex.quote(str(target))}\n"):
        assert words in said


OTHERS: dict[str, tuple[int, dict[str, str]]] = {
    ".mcpgen-notes": (0o700, {}),
    ".mcpgen-my_notes": (0o755, {}),
    ".mcpgen-my_files": (0o700, {"project": "mine"}),
    ".mcpgen-my_lists": (0o700, {"unfinished": "to do"}),
    ".mcpgen-my_plans": (0o700, {"unfinished": "to do", "next": "more"}),
    ".mcpgen-unfinished": (0o700, {"unfinished": "mcpgen was writing here.\n"}),
}
"""Foreign directories with names like stages: their mode and files."""


@pytest.mark.parametrize("name", OTHERS)
def test_a_directory_of_somebody_else_is_no_stage(tmp_path: Path, name: str) -> None:
    mode, files = OTHERS[name]
    (tmp_path / name).mkdir()
    for path, text in files.items():
        (tmp_path / name / path).write_text(text)
    (tmp_path / name).chmod(mode)
    generate(tmp_path / "out", OLD)
    generate(tmp_path / "out", NEW)
    assert contents(tmp_path / name) == {path: text.encode() for path, text in files.items()}
    assert staging.stages(tmp_path) == []


def test_a_record_leads_nowhere_else(tmp_path: Path) -> None:
    known = {"x": 1, "/etc/passwd": 2, "../x": 3, "p/../../x": 4, "": 5, "y": "6"}
    with staging.staged(tmp_path, {}) as stage:
        staging.note(stage, Record(1, 2, known), tmp_path)  # type: ignore[arg-type]
        assert staging.recorded(stage) == Record(1, 2, {"x": 1})


def test_the_project_of_another_directory_is_left_alone(tmp_path: Path) -> None:
    """Generate another project beside a project that a killed run left unfinished. The unfinished project must not
    change.
    """
    target = prepared(tmp_path / "home", "old to new")
    assert stopped_between(target, NEW)
    new = contents(target)
    generate(target.parent / "other", OLD)
    assert contents(target) == new
    assert len(staging.stages(target.parent)) == 1
    generate(target, OTHER)
    assert staging.stages(target.parent) == []


def test_a_directory_that_took_the_inode_of_the_new_one_is_not_taken_for_it(tmp_path: Path) -> None:
    target = prepared(tmp_path / "home", "small")
    assert stopped_between(target, NEW)
    for path in target.iterdir():
        path.unlink() if not path.is_dir() or path.is_symlink() else shutil.rmtree(path)
    [stage] = staging.stages(target.parent)
    before = contents(stage.files)
    generate(target, OTHER)
    assert contents(stage.files) == before
    assert (target / "x").read_text() == "3"
