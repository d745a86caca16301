"""Test writing a file tree to a directory: which files are written, kept, removed and refused (OUT-05, OUT-06)."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.base.tree import FileTree
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.model.options import Options
from mcpgen.regenerate.publish import Plan, plan, present, previous_lock, publish
from mcpgen.regenerate.publish.emitted import is_emitted
from mcpgen.regenerate.publish.present import LARGEST
from tests.unit.filesystem import unprivileged

GENERATED = Path(__file__).parents[2] / "generated"

USERS = frozenset({"hooks.py", "p_mcp/hooks.py"})


def tree_of(**files: str) -> FileTree:
    """Return a file tree with a lock file that lists its files. `__` in a name stands for a slash."""
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
    with pytest.raises(FatalError) as refused:
        published(directory, tree)
    return refused.value.diagnostic.code


def test_a_new_directory_holds_the_tree(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b"
    made = published(target, tree_of(x="1", p_mcp__y="2"))
    assert made.write == (locks.NAME, "p_mcp/y", "x")
    assert files(target) == {"x": "1", "p_mcp/y": "2"}
    assert {path.stat().st_mode & 0o777 for path in target.rglob("*") if path.is_file()} == {0o644}


def test_the_same_again_writes_nothing(tmp_path: Path) -> None:
    tree = tree_of(x="1", hooks="mine")
    published(tmp_path, tree)
    made = published(tmp_path, tree)
    assert (made.write, made.remove) == ((), ())


def test_what_is_gone_from_the_tree_is_removed_with_its_empty_folders(tmp_path: Path) -> None:
    published(tmp_path, tree_of(x="1", p_mcp__q__y="2", p_mcp__z="3"))
    (tmp_path / "p_mcp" / "notes.txt").write_text("mine")
    made = published(tmp_path, tree_of(x="1"))
    assert made.remove == ("p_mcp/q/y", "p_mcp/z")
    assert files(tmp_path) == {"x": "1", "p_mcp/notes.txt": "mine"}
    assert not (tmp_path / "p_mcp" / "q").exists()


def test_what_is_the_users_is_written_once_and_never_again(tmp_path: Path) -> None:
    def project(version: str) -> FileTree:
        return FileTree({**tree_of(x=version), "hooks.py": version.encode()})

    published(tmp_path, project("1"))
    (tmp_path / "hooks.py").write_text("edited")
    made = published(tmp_path, project("2"), overwrite=True)
    assert made.kept == ("hooks.py",)
    assert files(tmp_path) == {"x": "2", "hooks.py": "edited"}
    assert published(tmp_path, tree_of(x="2")).remove == ()


@pytest.mark.parametrize("after", [{"p_mcp/x": "2"}, {}], ids=["changed", "gone"])
def test_an_edit_of_a_generated_file_is_only_lost_where_that_is_said(tmp_path: Path, after: dict[str, str]) -> None:
    published(tmp_path, tree_of(p_mcp__x="1"))
    (tmp_path / "p_mcp" / "x").write_text("edited")
    assert refusal(tmp_path, tree_of(**after)) == "edited-file"
    assert files(tmp_path) == {"p_mcp/x": "edited"}
    published(tmp_path, tree_of(**after), overwrite=True)
    assert files(tmp_path) == after


@pytest.mark.parametrize("path", ["notes", ".github/ci", "src/a.py", "p_mcp", ".venv/bin/python"])
def test_what_a_lock_calls_generated_is_only_removed_where_mcpgen_writes(tmp_path: Path, path: str) -> None:
    """Remove no file outside of the places where mcpgen writes, even if the lock file lists it.

    A lock file comes with a repository, and may list any file.
    """
    published(tmp_path, tree_of(x="1", **{path: "mine"}))
    assert published(tmp_path, tree_of(x="1")).remove == ()
    assert files(tmp_path) == {"x": "1", path: "mine"}


@pytest.mark.parametrize("lock", sorted(GENERATED.glob("*/mcpgen.lock.json")), ids=lambda path: path.parent.name)
def test_all_that_is_generated_may_be_removed(lock: Path) -> None:
    assert [path for path in locks.load(lock.read_bytes(), "").files if not is_emitted(path)] == []


@pytest.mark.parametrize("kind", ["repository", "worktree"])
def test_a_repository_that_was_just_begun_is_written_to(tmp_path: Path, kind: str) -> None:
    if kind == "repository":
        (tmp_path / ".git").mkdir()
        (tmp_path / ".git" / "HEAD").write_text("mine")
    else:
        (tmp_path / ".git").write_text("mine")
    published(tmp_path, tree_of(x="1"))
    assert files(tmp_path) == {"x": "1", ".git/HEAD" if kind == "repository" else ".git": "mine"}


@pytest.mark.parametrize("name", ["x", locks.NAME])
def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, name: str) -> None:
    published(tmp_path, tree_of(x="1"))
    os.truncate(tmp_path / name, LARGEST + 1)
    with pytest.raises(FatalError, match=f"{name} is larger than any file"):
        published(tmp_path, tree_of(x="2"))


def test_of_what_is_the_users_no_more_is_read_than_is_looked_at(tmp_path: Path) -> None:
    published(tmp_path, tree_of(x="1", hooks="mine"))
    os.truncate(tmp_path / "hooks", LARGEST + 1)
    assert present(tmp_path, "hooks", first=10) == b"mine" + b"\0" * 6
    os.truncate(tmp_path / "hooks", 0)
    (tmp_path / "hooks.py").touch()
    os.truncate(tmp_path / "hooks.py", 1 << 40)
    assert published(tmp_path, FileTree({**tree_of(x="2"), "hooks.py": b""})).kept == ("hooks.py",)


@pytest.mark.parametrize("name", ["x", locks.NAME])
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    def told() -> None:
        with pytest.raises(FatalError) as end:
            published(tmp_path, tree_of(x="2"))
        os.write(1, end.value.diagnostic.message.encode())

    published(tmp_path, tree_of(x="1"))
    (tmp_path / name).chmod(0)
    assert unprivileged(told) == 0
    assert capfd.readouterr().out == f"{tmp_path / name} cannot be read: Permission denied."


ENDS = "Only the line ends differ from what mcpgen wrote: x in {}."


@pytest.mark.parametrize(
    ("x", "more", "says", "hint"),
    [
        ("1\r\n2\r\n", {}, ENDS, "commit the .gitattributes that mcpgen writes"),
        ("1\r\n2\n", {}, ENDS, "commit the .gitattributes that mcpgen writes"),
        ("1\r\n2\r\n", {".gitattributes": "mine"}, ENDS, "Write `-text` for these files in .gitattributes"),
        ("1\r\n3\r\n", {}, "x in {} was edited by hand.", "Move the edit"),
        ("1\r\n2\r\n", {"y": "edited"}, "y in {} was edited by hand. " + ENDS, "with --overwrite. Git on Windows"),
        ("1\n2\n", {"new": "mine\r\n"}, "new in {} was edited by hand.", "Move the edit"),
    ],
    ids=["all", "some", "own attributes", "an edit too", "an edit elsewhere", "a file that was never written"],
)
def test_where_only_the_line_ends_differ_that_is_said(
    tmp_path: Path, x: str, more: dict[str, str], says: str, hint: str
) -> None:
    published(tmp_path, tree_of(x="1\n2\n", y="1\n"))
    for name, text in {"x": x, **more}.items():
        (tmp_path / name).write_bytes(text.encode())
    users = {*USERS, ".gitattributes"}
    tree = tree_of(x="1\n2\n", y="1\n", new="ours\n", **{".gitattributes": "ours"})
    with pytest.raises(FatalError) as refused:
        plan(tmp_path, tree, users, previous_lock(tmp_path))
    assert refused.value.diagnostic.message == says.replace("{}", str(tmp_path))
    assert hint in refused.value.diagnostic.hint


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
    with pytest.raises(FatalError) as refused:
        plan(Path(place), tree_of(x="1"), USERS, None)
    assert refused.value.diagnostic.code in {"output-refused", "output-failed"}


def test_a_file_or_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert refusal(tmp_path / "file", tree_of(x="1")) == "output-refused"
    assert refusal(tmp_path / "link", tree_of(x="1")) == "output-refused"
    assert not list((tmp_path / "real").iterdir())


@pytest.mark.parametrize("place", ["x", "p_mcp", "p_mcp/y", locks.NAME])
def test_out_05_a_link_in_the_way_is_refused_and_its_target_untouched(tmp_path: Path, place: str) -> None:
    directory, victim = tmp_path / "out", tmp_path / "victim"
    victim.mkdir()
    (victim / "y").write_text("mine")
    published(directory, tree_of(x="1", p_mcp__y="2"))
    taken = directory / place
    target = victim if place == "p_mcp" else victim / "y"
    if place == locks.NAME:
        target.write_bytes(taken.read_bytes())
    for path in sorted(taken.rglob("*"), reverse=True):
        path.unlink()
    taken.rmdir() if taken.is_dir() else taken.unlink()
    taken.symlink_to(target)
    before = (victim / "y").read_bytes()
    assert refusal(directory, tree_of(x="3", p_mcp__y="4")) == "output-refused"
    assert (victim / "y").read_bytes() == before
    assert [path.name for path in victim.iterdir()] == ["y"]


@pytest.mark.parametrize(
    ("make", "words"),
    [("folder", "x is not a regular file."), ("pipe", "x is not a regular file."), ("file", "a directory at")],
)
def test_something_else_in_the_way_is_refused_at_once(tmp_path: Path, make: str, words: str) -> None:
    published(tmp_path, tree_of(x="1", p_mcp__y="2"))
    (tmp_path / "x").unlink()
    if make == "folder":
        (tmp_path / "x").mkdir()
    elif make == "pipe":
        os.mkfifo(tmp_path / "x")
    else:
        (tmp_path / "p_mcp" / "y").unlink()
        (tmp_path / "p_mcp").rmdir()
        (tmp_path / "p_mcp").write_text("in the way")
    with pytest.raises(FatalError) as refused:
        published(tmp_path, tree_of(x="3", p_mcp__y="4"))
    assert refused.value.diagnostic.code == "output-refused"
    assert words in refused.value.diagnostic.message


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EIO])
def test_what_the_file_system_refuses_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(reason, os.strerror(reason))

    made = plan(tmp_path / "out", tree_of(x="1"), USERS, None)
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(FatalError) as refused:
        publish(made, tree_of(x="1"))
    assert refused.value.diagnostic.code == "output-failed"
    assert os.strerror(reason) in refused.value.diagnostic.message
    assert ("Free some disk space" in refused.value.diagnostic.hint) == (reason == errno.ENOSPC)
    assert files(tmp_path) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        assert refusal(tmp_path / "out", tree_of(x="1")) == "output-failed"
    finally:
        tmp_path.chmod(0o755)
