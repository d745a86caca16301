"""Test requirement REL-08: mcpgen, killed at any file system call, leaves the entire old or new project, and the next
run of mcpgen removes its leftovers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.base.tree import FileTree
from mcpgen.regenerate.publish.staging import inode
from tests.unit.filesystem import contents, killed_at, quick
from tests.unit.projects import NEW, OLD, OTHER, SITUATIONS, after, beside, copied, generate, prepared


@pytest.fixture(autouse=True)
def _quick_disk() -> Iterator[None]:
    with quick():
        yield


@pytest.mark.parametrize(
    ("situation", "following"),
    [
        *(("old to new", NEW), ("old to new", OTHER), ("old to new", OLD)),
        *(("new to other", OTHER), ("empty to new", OTHER), ("nothing to new", NEW), ("nothing to new", OTHER)),
    ],
    ids=["old new new", "old new other", "old new old", "new other", "empty new", "nothing new", "nothing new other"],
)
def test_a_kill_at_any_call_leaves_the_old_or_the_new(tmp_path: Path, situation: str, following: FileTree) -> None:
    """Kill a run of `generate` before each of its file system calls.

    The next run must then succeed in the same directory, and leave no file beside it.
    """
    tree = SITUATIONS[situation][1]
    old, new = after(tmp_path / "old", situation), after(tmp_path / "new", situation, tree)
    from_old = after(tmp_path / "from old", situation, following)
    from_new = after(tmp_path / "from new", situation, tree, following)
    template, seen = prepared(tmp_path / "template", situation), []
    for number in itertools.count():
        target = copied(template, tmp_path / str(number))
        before = inode(target)
        more = killed_at(number, lambda target=target: generate(target, tree))  # type: ignore[misc]
        seen.append(contents(target))
        assert seen[-1] in (old, new)
        generate(target, following)
        assert contents(target) == (from_new if seen[-1] == new else from_old)
        assert before in (None, inode(target))
        assert beside(target) == beside(template)
        if not more:
            break
    assert [found for found, _ in itertools.groupby(seen)] == [old, new]
    assert number > 20


def test_a_second_kill_at_any_call_of_the_next_run(tmp_path: Path) -> None:
    """Kill a run of `generate` between its two exchanges of directories, and kill the next run before each of its file
    system calls.

    A first kill at other times leaves only a temporary directory to be removed.
    """
    tree = SITUATIONS["small"][1]
    new = after(tmp_path / "new", "small", tree)
    template = prepared(tmp_path / "template", "small")
    firsts = _between(template, tmp_path / "between", tree)
    assert len(firsts) > 5
    for first in firsts:
        for second in itertools.count():
            target = copied(template, tmp_path / f"{first} {second}")
            before = inode(target)
            assert killed_at(first, lambda target=target: generate(target, tree))  # type: ignore[misc]
            more = killed_at(second, lambda target=target: generate(target, tree))  # type: ignore[misc]
            assert contents(target) == new
            generate(target, tree)
            assert (contents(target), inode(target), beside(target)) == (new, before, beside(template))
            if not more:
                break


def _between(template: Path, home: Path, tree: FileTree) -> list[int]:
    """Kill one run of `generate` just before its first file system call, the next run before its second call, and so
    on. Return the numbers of the calls at which the kill left the new directory at the path of the old one.
    """
    found: list[int] = []
    for number in itertools.count():
        target = copied(template, home / str(number))
        before = inode(target)
        if not killed_at(number, lambda target=target: generate(target, tree)):  # type: ignore[misc]
            break
        if inode(target) != before:
            found.append(number)
    return found
