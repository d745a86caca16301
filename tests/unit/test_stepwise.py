"""Test writing a project file by file, where no system call can exchange two directories: the result is the same, and
the next run completes what a killed run began.
"""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.base.tree import FileTree
from mcpgen.lock import lockfile as locks
from mcpgen.regenerate.publish import exchange, plan, previous_lock, staging
from tests.unit.filesystem import contents, killed_at, quick
from tests.unit.projects import NEW, OLD, OTHER, after, beside, copied, generate, prepared
from tests.unit.test_publish import USERS, files, published, refusal, tree_of


def refuse(*_: object) -> None:
    raise OSError(errno.ENOSYS, "none here")


@pytest.fixture(autouse=True)
def _no_exchange(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(exchange, "swap", refuse)
    with quick():
        yield


@pytest.mark.parametrize("reason", sorted(exchange.REFUSALS), ids=errno.errorcode.get)
@pytest.mark.parametrize("at", ["stage", "exchange"])
def test_what_cannot_be_exchanged_becomes_the_same_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, reason: int
) -> None:
    make = staging._home

    def swap(one: Path, other: Path) -> None:
        raise OSError(reason, os.strerror(reason))

    def home(place: Path) -> object:
        if at == "stage" and place == target.parent:
            swap(place, place)
        return make(place)

    target = prepared(tmp_path / "target", "old to new")
    around, stays = beside(target), (target / "p_mcp" / "stays").stat()
    monkeypatch.setattr(exchange, "swap", swap)
    monkeypatch.setattr(staging, "_home", home)
    generate(target, NEW)
    found, now = contents(target), (target / "p_mcp" / "stays").stat()
    monkeypatch.undo()
    assert found == after(tmp_path / "new", "old to new", NEW)
    assert (now.st_ino, now.st_mtime_ns, beside(target)) == (stays.st_ino, stays.st_mtime_ns, around)


def test_another_error_of_the_exchange_is_no_reason_to_go_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "gone")

    target = prepared(tmp_path / "target", "old to new")
    old = contents(target)
    monkeypatch.setattr(exchange, "swap", fail)
    assert refusal(target, NEW) == "output-failed"
    assert contents(target) == old


@pytest.mark.parametrize("following", [OLD, NEW, OTHER], ids=["back", "again", "another"])
def test_a_kill_leaves_what_the_next_run_takes_up(tmp_path: Path, following: FileTree) -> None:
    """Kill a run of mcpgen before each of its file system calls, and run mcpgen again.

    No file of the user is lost, edits of generated files are still refused, and no unknown file remains.
    """
    template = prepared(tmp_path / "template", "small")
    last = after(tmp_path / "last", "small", NEW, following)
    for number in itertools.count():
        target = copied(template, tmp_path / str(number))
        more = killed_at(number, lambda target=target: generate(target, NEW))  # type: ignore[misc]
        killed_at(number, lambda target=target: generate(target, NEW))  # type: ignore[misc]
        _refuses_an_edit(target, following)
        generate(target, following)
        assert {**contents(target), "hooks.py": b""} == {**last, "hooks.py": b""}  # type: ignore[dict-item]
        assert staging.stages(target) == []
        if not more:
            break
    assert number > 20


def _refuses_an_edit(target: Path, tree: FileTree) -> None:
    before = (target / "x").read_bytes()
    (target / "x").write_text("edited")
    with pytest.raises(FatalError, match="edited by hand"):
        plan(target, tree, USERS, previous_lock(target))
    (target / "x").write_bytes(before)


@pytest.mark.parametrize("at", range(4))
def test_a_run_that_breaks_off_leaves_whole_files_and_the_next_run_mends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Let the move of one file into place fail, for each file in turn. Each file is then completely old or new.

    The project's lock file is replaced last. After a failure, the stage (a temporary directory) stays: it still has the
    new lock file, by which the next run recognises new files.
    """
    old, new = tree_of(x="1", y="1", z="1"), tree_of(x="2", y="2", z="2")
    published(tmp_path, old)
    replace, calls = Path.replace, iter(range(99))

    def breaks(self: Path, target: Path) -> Path:
        if next(calls) == at:
            raise OSError(errno.EIO, "gone")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", breaks)
    assert refusal(tmp_path, new) == "output-failed"
    monkeypatch.undo()
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".mcpgen-")} == {
        "x", "y", "z", locks.NAME,
    }  # fmt: skip
    assert sorted((tmp_path / name).read_text() for name in "xyz") == ["1"] * (3 - at) + ["2"] * at
    assert (tmp_path / locks.NAME).read_bytes() == old[locks.NAME]
    published(tmp_path, new)
    assert files(tmp_path) == {"x": "2", "y": "2", "z": "2"}


def test_the_table_is_moved_behind_the_python_that_serves_it_and_before_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("p_mcp__bindings.json", "p_mcp__runtime__a.py", "p_mcp__tools.json", "p_mcp__x.py")
    published(tmp_path / "t", tree_of(**dict.fromkeys(names, "before")))
    moved: list[str] = []
    replace = Path.replace

    def noted(path: Path, target: Path) -> Path:
        moved.append(target.relative_to(tmp_path / "t").as_posix())
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", noted)
    published(tmp_path / "t", tree_of(**dict.fromkeys(names, "after")))
    assert moved == ["p_mcp/runtime/a.py", "p_mcp/x.py", "p_mcp/bindings.json", "p_mcp/tools.json", locks.NAME]
