"""A tree becomes a directory that is ours: what is written, kept, removed and refused (OUT-05, OUT-06)."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mcpgen import lock as locks
from mcpgen.errors import CannotGoOn
from mcpgen.lock import Lock
from mcpgen.options import Options
from mcpgen.publish import Plan, plan, previous_lock, publish
from mcpgen.tree import FileTree

USERS = frozenset({"hooks.py", "p/hooks.py"})


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def tree_of(**files: str) -> FileTree:
    """A project with a lock that knows its files; `__` in a name is a slash."""
    plain = {name.replace("__", "/"): text.encode() for name, text in files.items()}
    known = locks.digests({path: data for path, data in plain.items() if path not in USERS})
    return FileTree({**plain, locks.NAME: locks.dump(Lock("s", "d", "0.1.0", Options(name="t"), files=known))})


def published(directory: Path, tree: FileTree, *, overwrite: bool = False) -> Plan:
    made = plan(directory, tree, USERS, previous_lock(directory), overwrite=overwrite)
    publish(made, tree)
    return made


def files(directory: Path) -> dict[str, str]:
    return {
        path.relative_to(directory).as_posix(): path.read_text()
        for path in directory.rglob("*")
        if path.is_file() and path.name != locks.NAME
    }


def refusal(directory: Path, tree: FileTree) -> str:
    with pytest.raises(CannotGoOn) as refused:
        published(directory, tree)
    return refused.value.diagnostic.code


def test_a_new_directory_holds_the_tree(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b"
    made = published(target, tree_of(x="1", p__y="2"))
    assert made.write == (locks.NAME, "p/y", "x")
    assert files(target) == {"x": "1", "p/y": "2"}
    assert {path.stat().st_mode & 0o777 for path in target.rglob("*") if path.is_file()} == {0o644}


def test_the_same_again_writes_nothing(tmp_path: Path) -> None:
    tree = tree_of(x="1", hooks="mine")
    published(tmp_path, tree)
    made = published(tmp_path, tree)
    assert (made.write, made.remove) == ((), ())


def test_what_is_gone_from_the_tree_is_removed_with_its_empty_folders(tmp_path: Path) -> None:
    published(tmp_path, tree_of(x="1", p__q__y="2", p__z="3"))
    (tmp_path / "p" / "notes.txt").write_text("mine")
    made = published(tmp_path, tree_of(x="1"))
    assert made.remove == ("p/q/y", "p/z")
    assert files(tmp_path) == {"x": "1", "p/notes.txt": "mine"}
    assert not (tmp_path / "p" / "q").exists()


def test_what_is_the_users_is_written_once_and_never_again(tmp_path: Path) -> None:
    def project(version: str) -> FileTree:
        return FileTree({**tree_of(x=version), "hooks.py": version.encode()})

    published(tmp_path, project("1"))
    (tmp_path / "hooks.py").write_text("edited")
    made = published(tmp_path, project("2"), overwrite=True)
    assert made.kept == ("hooks.py",)
    assert files(tmp_path) == {"x": "2", "hooks.py": "edited"}
    assert published(tmp_path, tree_of(x="2")).remove == ()


@pytest.mark.parametrize("after", [{"x": "2"}, {}], ids=["changed", "gone"])
def test_an_edit_of_a_generated_file_is_only_lost_where_that_is_said(tmp_path: Path, after: dict[str, str]) -> None:
    published(tmp_path, tree_of(x="1"))
    (tmp_path / "x").write_text("edited")
    assert refusal(tmp_path, tree_of(**after)) == "edited-file"
    assert files(tmp_path) == {"x": "edited"}
    published(tmp_path, tree_of(**after), overwrite=True)
    assert files(tmp_path) == after


def test_a_deleted_generated_file_is_written_again(tmp_path: Path) -> None:
    published(tmp_path, tree_of(x="1"))
    (tmp_path / "x").unlink()
    assert published(tmp_path, tree_of(x="1")).write == ("x",)


def test_a_directory_with_files_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert refusal(tmp_path, tree_of(x="1")) == "output-refused"
    assert files(tmp_path) == {"notes.txt": "mine"}


@pytest.mark.parametrize("place", ["/", "/usr", "/etc"])
def test_out_06_the_system_is_refused(place: str) -> None:
    with pytest.raises(CannotGoOn) as refused:
        plan(Path(place), tree_of(x="1"), USERS, None)
    assert refused.value.diagnostic.code in {"output-refused", "output-failed"}


def test_a_file_or_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert refusal(tmp_path / "file", tree_of(x="1")) == "output-refused"
    assert refusal(tmp_path / "link", tree_of(x="1")) == "output-refused"
    assert not list((tmp_path / "real").iterdir())


@pytest.mark.parametrize("place", ["x", "p", "p/y", locks.NAME])
def test_out_05_a_link_in_the_way_is_refused_and_its_target_untouched(tmp_path: Path, place: str) -> None:
    directory, victim = tmp_path / "out", tmp_path / "victim"
    victim.mkdir()
    (victim / "y").write_text("mine")
    published(directory, tree_of(x="1", p__y="2"))
    taken = directory / place
    target = victim if place == "p" else victim / "y"
    if place == locks.NAME:
        target.write_bytes(taken.read_bytes())
    for path in sorted(taken.rglob("*"), reverse=True):
        path.unlink()
    taken.rmdir() if taken.is_dir() else taken.unlink()
    taken.symlink_to(target)
    before = (victim / "y").read_bytes()
    assert refusal(directory, tree_of(x="3", p__y="4")) == "output-refused"
    assert (victim / "y").read_bytes() == before
    assert [path.name for path in victim.iterdir()] == ["y"]


@pytest.mark.parametrize("make", ["folder", "pipe", "file"])
def test_something_else_in_the_way_is_refused_at_once(tmp_path: Path, make: str) -> None:
    published(tmp_path, tree_of(x="1", p__y="2"))
    (tmp_path / "x").unlink()
    if make == "folder":
        (tmp_path / "x").mkdir()
    elif make == "pipe":
        os.mkfifo(tmp_path / "x")
    else:
        (tmp_path / "p" / "y").unlink()
        (tmp_path / "p").rmdir()
        (tmp_path / "p").write_text("in the way")
    assert refusal(tmp_path, tree_of(x="3", p__y="4")) == "output-refused"


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EIO])
def test_what_the_file_system_refuses_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(reason, os.strerror(reason))

    made = plan(tmp_path / "out", tree_of(x="1"), USERS, None)
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(CannotGoOn) as refused:
        publish(made, tree_of(x="1"))
    assert refused.value.diagnostic.code == "output-failed"
    assert os.strerror(reason) in refused.value.diagnostic.message
    assert files(tmp_path) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        assert refusal(tmp_path / "out", tree_of(x="1")) == "output-failed"
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("at", range(4))
def test_a_run_that_breaks_off_leaves_whole_files_and_the_next_run_mends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Each file is old or new, and the lock is the last to change. The stage stays, for it knows the new files."""
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
    names = ("p__bindings.json", "p__runtime__a.py", "p__tools.json", "p__x.py")
    published(tmp_path / "t", tree_of(**dict.fromkeys(names, "before")))
    moved: list[str] = []
    replace = Path.replace

    def noted(path: Path, target: Path) -> Path:
        moved.append(target.relative_to(tmp_path / "t").as_posix())
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", noted)
    published(tmp_path / "t", tree_of(**dict.fromkeys(names, "after")))
    assert moved == ["p/runtime/a.py", "p/x.py", "p/bindings.json", "p/tools.json", locks.NAME]
