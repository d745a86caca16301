"""Test changes that people and programs make to a project while it is written: none is lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.regenerate.publish import exchange
from mcpgen.regenerate.publish.staging import inode
from tests.unit.filesystem import contents, quick, unprivileged
from tests.unit.projects import NEW, OTHER, after, beside, generate, prepared, stopped_between
from tests.unit.test_publish import tree_of


@pytest.fixture(autouse=True)
def _quick_disk() -> Iterator[None]:
    with quick():
        yield


def save(path: Path, text: str) -> None:
    """Save a file as editors do: write a new file, and move it over the old one."""
    path.with_name("~").write_text(text)
    path.with_name("~").replace(path)


def at_exchange(monkeypatch: pytest.MonkeyPatch, number: int, action: Callable[[], None]) -> None:
    """Call a function directly before exchange number `number` of two directories."""
    swap, numbers = exchange.swap, iter(range(9))

    def told(one: Path, other: Path) -> None:
        if next(numbers) == number:
            action()
        swap(one, other)

    monkeypatch.setattr(exchange, "swap", told)


def test_what_does_not_change_is_not_touched(tmp_path: Path) -> None:
    target = prepared(tmp_path / "home", "old to new")
    stay = ("p_mcp/stays", "hooks.py", "notes", "p_mcp/notes", ".git", ".git/HEAD", "p_mcp/own", "p_mcp", "")
    before = {path: ((target / path).lstat().st_ino, (target / path).lstat().st_mode) for path in stay}
    times = {path: (target / path).stat().st_mtime_ns for path in stay if path not in ("", "p_mcp")}
    generate(target, NEW)
    assert {path: ((target / path).lstat().st_ino, (target / path).lstat().st_mode) for path in stay} == before
    assert {path: (target / path).stat().st_mtime_ns for path in times} == times
    assert {(target / path).stat().st_mode & 0o7777 for path in NEW if path != "hooks.py"} == {0o644}
    assert {path.name for path in target.rglob("*") if path.is_symlink()} == {"link", "folder"}
    assert {(target / path).stat().st_nlink for path in (*NEW, "notes")} == {1}


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_saved_just_before_an_exchange_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    target = prepared(tmp_path / "home", "old to new")

    def edit() -> None:
        save(target / "hooks.py", "saved meanwhile")
        save(target / "p_mcp" / "more", "saved meanwhile")
        (target / "notes").unlink()
        (target / ".git" / "index").write_text("saved meanwhile")

    at_exchange(monkeypatch, number, edit)
    generate(target, NEW)
    assert (target / "x").read_text() == "2"
    for path in ("hooks.py", "p_mcp/more", ".git/index"):
        assert (target / path).read_text() == "saved meanwhile"
    assert not (target / "notes").exists() or number == 0


def test_what_is_done_to_a_project_that_is_unfinished_is_kept(tmp_path: Path) -> None:
    target = prepared(tmp_path / "home", "old to new")
    before = inode(target)
    assert stopped_between(target, NEW)
    save(target / "hooks.py", "saved meanwhile")
    (target / "later" / "deeper").mkdir(parents=True)
    (target / "later" / "deeper" / "file").write_text("saved meanwhile")
    (target / "later" / "link").symlink_to("deeper")
    (target / "tests" / "more").write_text("saved meanwhile")
    (target / "notes").unlink()
    # the killed run has put a link in place of the user's folder `own`: removing the link must not lose the folder
    (target / "p_mcp" / "own").unlink()
    (target / "p_mcp" / "__pycache__").mkdir()
    (target / "p_mcp" / "__pycache__" / "x.pyc").write_bytes(b"")
    generate(target, NEW)
    assert inode(target) == before
    for path in ("hooks.py", "later/deeper/file", "later/link/file", "tests/more"):
        assert (target / path).read_text() == "saved meanwhile"
    assert not (target / "notes").exists()
    assert (target / "p_mcp" / "own" / "notes").exists()
    assert not (target / "p_mcp" / "__pycache__").exists()
    assert (target / ".git" / "HEAD").read_text() == "mine: .git/HEAD"


def test_folders_that_are_made_or_closed_meanwhile_stay_so(tmp_path: Path) -> None:
    target = prepared(tmp_path / "home", "old to new")
    assert stopped_between(target, NEW)
    (target / "empty" / "deeper").mkdir(parents=True)
    (target / "p_mcp" / "own").unlink()
    (target / "p_mcp" / "other").mkdir(mode=0o750)
    (target / "notes").unlink()
    (target / "notes").mkdir()
    for folder in (target, target / "p_mcp", target / "empty"):
        folder.chmod(0o700)
    generate(target, NEW)
    assert [path.name for path in (target / "empty").iterdir()] == ["deeper"]
    modes = {path: (target / path).stat().st_mode & 0o777 for path in ("", "p_mcp", "empty", "p_mcp/other")}
    assert modes == {"": 0o700, "p_mcp": 0o700, "empty": 0o700, "p_mcp/other": 0o750}
    assert (target / "notes").is_dir()


def test_a_folder_that_nobody_may_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """Write a project with a read-only folder.

    Its copy in the temporary directory has the same mode, and must be removed, too.
    """
    target = prepared(tmp_path / "home", "old to new")
    generate(target, tree_of(x="2", p_mcp__runtime__y="1", p_mcp__z="1"))
    (target / "p_mcp" / "runtime").chmod(0o555)
    following = tree_of(x="3", p_mcp__runtime__y="1", p_mcp__z="2")
    assert unprivileged(lambda: generate(target, following)) == 0
    assert (target / "x").read_text() == "3"
    assert (target / "p_mcp" / "runtime").stat().st_mode & 0o777 == 0o555
    assert beside(target) == [".mcpgen-file", ".mcpgen-notes"]


def test_others_who_may_read_a_project_may_read_an_unfinished_one(tmp_path: Path) -> None:
    """Check that other users may enter the temporary directory if they may read the project.

    Links in an unfinished project lead into that directory.
    """
    target = prepared(tmp_path / "home", "old to new")
    target.chmod(0o755)
    assert stopped_between(target, NEW)
    way = [target, *(target / ".git").resolve().parents[:3]]
    assert {folder.stat().st_mode & 0o055 for folder in way} == {0o055}


def test_an_edit_of_an_unfinished_project_is_refused_like_any_other(tmp_path: Path) -> None:
    target = prepared(tmp_path / "home", "old to new")
    assert stopped_between(target, NEW)
    save(target / "x", "edited")
    with pytest.raises(FatalError, match="edited by hand"):
        generate(target, OTHER)
    assert (target / "x").read_text() == "edited"


def test_whoever_stands_in_an_unfinished_project_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = prepared(tmp_path / "home", "old to new")
    assert stopped_between(target, NEW)
    monkeypatch.chdir(target)
    generate(Path(), OTHER)
    assert contents(Path()) == contents(target) == after(tmp_path / "new", "old to new", NEW, OTHER)


def test_a_shell_that_stands_in_a_project_stays_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = prepared(tmp_path / "home", "old to new")
    monkeypatch.chdir(target)
    generate(Path(), NEW)
    assert os.path.samefile(Path(), target)
    assert contents(Path()) == after(tmp_path / "new", "old to new", NEW)


@pytest.mark.parametrize("which", ["files of others", "all"])
def test_where_files_can_have_no_second_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str) -> None:
    target = prepared(tmp_path / "home", "old to new")
    link, notes = os.link, inode(target / "notes")

    def refuse(source: Path, place: Path, **how: bool) -> None:
        if which == "all" or source.name in ("notes", "hooks.py", "link"):
            raise PermissionError(errno.EPERM, "not yours")
        link(source, place, **how)

    monkeypatch.setattr(os, "link", refuse)
    generate(target, NEW)
    assert contents(target) == after(tmp_path / "new", "old to new", NEW)
    assert inode(target / "notes") == notes
    assert beside(target) == [".mcpgen-file", ".mcpgen-notes"]


def test_where_another_directory_was_put_there_meanwhile_that_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = prepared(tmp_path / "home", "old to new")
    old = contents(target)

    def move() -> None:
        target.rename(target.parent / "moved")
        target.mkdir()
        (target / "file").write_text("mine")

    at_exchange(monkeypatch, 0, move)
    with pytest.raises(FatalError, match="cannot be written"):
        generate(target, NEW)
    assert contents(target) == {"file": b"mine"}
    assert contents(target.parent / "moved") == old
    assert beside(target) == [".mcpgen-file", ".mcpgen-notes", "moved"]


def test_a_folder_that_cannot_be_written_is_found_before_the_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = prepared(tmp_path / "home", "old to new")
    old = contents(target)
    # a fake of `access`, because root may write anywhere
    monkeypatch.setattr(os, "access", lambda path, mode: path != target / "p_mcp" / "q")
    with pytest.raises(FatalError, match="cannot be written: Permission denied"):
        generate(target, NEW)
    assert contents(target) == old
    assert beside(target) == [".mcpgen-file", ".mcpgen-notes"]
