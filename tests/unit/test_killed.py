"""A run that is killed while it publishes (REL-08): at each step, in a process of its own, with nothing tidied up."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mcpgen import lock as locks
from mcpgen import staging
from mcpgen.errors import CannotGoOn
from mcpgen.publish import plan, previous_lock, publish
from mcpgen.tree import FileTree
from tests.unit.test_publish import USERS, files, tree_of

STEPS = ("mkdir", "open", "replace", "rename", "unlink", "rmdir", "chmod", "fsync")
KILLED = 137
OLD = tree_of(x="1", gone="1", p__gone="1", hooks="mine")
NEW = tree_of(x="2", y="2", p__q__y="2", hooks="mine")
OTHER = tree_of(x="3", z="3", hooks="mine")


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def generate(directory: Path, tree: FileTree) -> None:
    publish(plan(directory, tree, USERS, previous_lock(directory)), tree)


def generate_until(step: int, directory: Path, tree: FileTree) -> bool:
    """Generate in a child that ends without a word before that step. Whether there are so many steps."""
    child = os.fork()
    if child == 0:
        try:
            _end_before(step)
            generate(directory, tree)
            os._exit(0)
        except BaseException:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED)
    return code == KILLED


def _end_before(step: int) -> None:
    """Only for a process that may be lost."""
    left = iter(range(step))

    def counted(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            if next(left, None) is None:
                os._exit(KILLED)
            return function(*arguments, **options)

        return call

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


def contents(tree: FileTree) -> dict[str, str]:
    return {path: data.decode() for path, data in tree.items() if path != locks.NAME}


def foreign(directory: Path) -> None:
    """What others left, called as we call our own."""
    (directory / ".mcpgen-notes").mkdir(parents=True)
    (directory / ".mcpgen-notes" / "project").write_text("mine")
    (directory / ".mcpgen-file").write_text("mine")


FOREIGN = {".mcpgen-notes/project": "mine", ".mcpgen-file": "mine"}


@pytest.mark.parametrize("after", [NEW, OTHER], ids=["again", "another"])
@pytest.mark.parametrize("exists", [False, True], ids=["new", "empty"])
def test_into_a_directory_that_held_nothing(tmp_path: Path, exists: bool, after: FileTree) -> None:
    step, more = 0, True
    while more:
        beside = tmp_path / str(step)
        target = beside / "out"
        foreign(beside)
        if exists:
            target.mkdir()
        more = generate_until(step, target, NEW)
        assert exists or not more or not target.exists() or files(target) == contents(NEW)
        generate(target, after)
        assert files(target) == contents(after)
        assert files(beside) == {**FOREIGN, **{f"out/{path}": text for path, text in contents(after).items()}}
        step += 1
    assert step > 20


@pytest.mark.parametrize("after", [OLD, NEW, OTHER], ids=["back", "again", "another"])
def test_over_a_project(tmp_path: Path, after: FileTree) -> None:
    """Nothing of the user's is lost, edits are still refused, and no file stays that nobody knows."""
    step, more = 0, True
    while more:
        target = tmp_path / str(step) / "out"
        generate(target, OLD)
        foreign(target)
        (target / "hooks.py").write_text("edited")
        (target / "z").write_text("3")
        more = generate_until(step, target, NEW)
        generate_until(step, target, NEW)
        _refuses_an_edit(target, after)
        generate(target, after)
        assert files(target) == {**FOREIGN, "z": "3", **contents(after), "hooks.py": "edited"}
        assert staging.stages(target) == []
        step += 1
    assert step > 20


def _refuses_an_edit(target: Path, tree: FileTree) -> None:
    before = (target / "x").read_bytes()
    (target / "x").write_text("edited")
    with pytest.raises(CannotGoOn, match="edited by hand"):
        plan(target, tree, USERS, previous_lock(target))
    (target / "x").write_bytes(before)


def test_the_stage_of_a_run_that_lives_is_left_alone(tmp_path: Path) -> None:
    with staging.staged(tmp_path, {"x": b"1"}) as stage:
        generate(tmp_path / "out", OLD)
        assert staging.read(stage, "x") == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_stage_that_holds_links_lends_no_digests(tmp_path: Path) -> None:
    """A project comes with a repository, and so may a stage."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / locks.NAME).write_bytes(NEW[locks.NAME])
    with staging.staged(tmp_path, {locks.NAME: b""}) as stage:
        (stage.files / locks.NAME).unlink()
        (stage.files / locks.NAME).symlink_to(elsewhere / locks.NAME)
        assert staging.read(stage, locks.NAME) is None
        (stage.files / locks.NAME).unlink()
        stage.files.rmdir()
        stage.files.symlink_to(elsewhere)
        assert staging.read(stage, locks.NAME) is None
    assert (elsewhere / locks.NAME).exists()
