"""Test requirement REL-09: if any file system call fails, the run ends with one sentence, and the project is entirely
old or entirely new.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.base.tree import FileTree
from mcpgen.regenerate.publish.staging import inode
from tests.unit.filesystem import contents, failing_at, quick
from tests.unit.projects import SITUATIONS, after, beside, copied, generate, prepared, stopped_between


@pytest.fixture(autouse=True)
def _quick_disk() -> Iterator[None]:
    with quick():
        yield


class Refused:
    """A run of mcpgen that writes the project `target`, and whose file system call `number` fails.

    `code`, `sentence`: code and message of the run's error, "" without an error. `more`: True if the run got as far as
    that call.
    """

    def __init__(self, target: Path, tree: FileTree, number: int, reason: int, *, from_then_on: bool) -> None:
        self.code, self.sentence = "", ""
        with failing_at(number, reason, from_then_on=from_then_on) as calls:
            try:
                generate(target, tree)
            except FatalError as end:
                self.code, self.sentence = end.diagnostic.code, end.diagnostic.message
        self.more = calls[-1] >= number


CASES = [
    *itertools.product(["old to new", "empty to new", "nothing to new"], [errno.ENOSPC, errno.EACCES]),
    *itertools.product(["small"], [errno.EIO, errno.EMFILE, errno.EROFS, errno.EDQUOT]),
]
NAMES = [f"{situation}: {errno.errorcode[reason]}" for situation, reason in CASES]


@pytest.mark.parametrize(("situation", "reason"), CASES, ids=NAMES)
def test_one_call_that_fails(tmp_path: Path, situation: str, reason: int) -> None:
    """Let each file system call fail in turn.

    Then either mcpgen reports an error and the old project is there, or the new project is there.

    No file is left beside the project.
    """
    tree = SITUATIONS[situation][1]
    old, new = after(tmp_path / "old", situation), after(tmp_path / "new", situation, tree)
    template = prepared(tmp_path / "template", situation)
    for number in itertools.count():
        target = copied(template, tmp_path / str(number))
        before = inode(target)
        end = Refused(target, tree, number, reason, from_then_on=False)
        found = contents(target)
        assert (found, end.code) in ((new, ""), (old, "output-failed"))
        refused = rf".*/{target.name} cannot be (written|read): {re.escape(os.strerror(reason))}\."
        assert not end.code or re.fullmatch(refused, end.sentence)
        assert (before in (None, inode(target)), beside(target)) == (True, beside(template))
        if not end.more:
            break
    assert number > 30


@pytest.mark.parametrize(("situation", "reason"), CASES, ids=NAMES)
def test_every_call_fails_from_one_on(tmp_path: Path, situation: str, reason: int) -> None:
    """Let all file system calls from number N on fail, for each N. The run of mcpgen then cannot remove the
    temporary files that it made beside the project, but the next run removes them.
    """
    tree = SITUATIONS[situation][1]
    old, new = after(tmp_path / "old", situation), after(tmp_path / "new", situation, tree)
    template, codes = prepared(tmp_path / "template", situation), set()
    for number in itertools.count():
        target = copied(template, tmp_path / str(number))
        before = inode(target)
        end = Refused(target, tree, number, reason, from_then_on=True)
        assert (contents(target), end.code) in ((old, "output-failed"), (new, "output-unfinished"), (new, ""))
        codes.add(end.code)
        generate(target, tree)
        assert contents(target) == new
        assert (before in (None, inode(target)), beside(target)) == (True, beside(template))
        if not end.more:
            break
    assert codes == {"output-failed", ""} | ({"output-unfinished"} if situation != "nothing to new" else set())


@pytest.mark.parametrize("from_then_on", [False, True], ids=["once", "on"])
def test_a_call_that_fails_while_a_killed_run_is_finished(tmp_path: Path, from_then_on: bool) -> None:
    tree = SITUATIONS["small"][1]
    new = after(tmp_path / "new", "small", tree)
    template = prepared(tmp_path / "template", "small")
    for number in itertools.count():
        target = copied(template, tmp_path / str(number))
        before = inode(target)
        assert stopped_between(target, tree)
        end = Refused(target, tree, number, errno.EIO, from_then_on=from_then_on)
        assert (contents(target), end.code in ("", "output-failed", "output-unfinished")) == (new, True)
        generate(target, tree)
        assert (contents(target), inode(target), beside(target)) == (new, before, beside(template))
        if not end.more:
            break
    assert number > 20
