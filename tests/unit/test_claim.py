"""Test requirement REL-10: a project is locked for one run at a time, from before it is read until it is written."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.base.errors import FatalError, ProjectBusy
from mcpgen.cli import main
from mcpgen.regenerate.publish import claimed, exchange, plan, publish, replica
from tests.unit.filesystem import contents, killed_at, quick
from tests.unit.projects import NEW, OLD, OTHER, after, beside, generate, prepared, stopped_between
from tests.unit.test_publish import USERS

TOOLS = (
    "mcpgen: 1\nserver: {name: t}\nbase_url: https://t.example\ntools: [{name: a, description: A., request: GET /a}]\n"
)


@pytest.fixture(autouse=True)
def _quick_disk() -> Iterator[None]:
    with quick():
        yield


def is_taken(directory: Path) -> bool:
    try:
        with claimed(directory):
            return False
    except ProjectBusy:
        return True


def test_a_second_run_is_turned_away_until_the_first_has_ended(tmp_path: Path) -> None:
    target = prepared(tmp_path / "home", "old to new")
    with claimed(target):
        assert is_taken(target)
        assert is_taken(target / ".." / "out")
        assert not is_taken(tmp_path)
    assert not is_taken(target)
    assert beside(target) == [".mcpgen-file", ".mcpgen-notes"]


def test_it_is_taken_whichever_directory_lies_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = prepared(tmp_path / "home", "old to new")
    swap, settle, taken = exchange.swap, replica.settle, []

    def looked(function: object) -> object:
        def call(*arguments: object) -> object:
            taken.append(is_taken(target))
            answer = function(*arguments)  # type: ignore[operator]
            taken.append(is_taken(target))
            return answer

        return call

    monkeypatch.setattr(exchange, "swap", looked(swap))
    monkeypatch.setattr(replica, "settle", looked(settle))
    generate(target, NEW)
    assert taken == [True] * 8


def test_a_directory_that_was_exchanged_before_it_could_be_locked_is_not_the_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replace the directory by a new one after mcpgen has opened the directory, and before mcpgen locks it.

    mcpgen must lock the new directory.
    """
    target = prepared(tmp_path / "home", "old to new")
    lock, times = fcntl.flock, iter(range(9))

    def late(descriptor: int, operation: int) -> None:
        if next(times) == 0:
            target.rename(tmp_path / "moved")
            target.mkdir()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with claimed(target):
        assert is_taken(target)
        assert not is_taken(tmp_path / "moved")


def test_so_it_is_while_a_killed_run_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = prepared(tmp_path / "home", "old to new")
    assert stopped_between(target, NEW)
    settle, taken = replica.settle, []

    def looked(*arguments: object) -> object:
        taken.append(is_taken(target))
        return settle(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(replica, "settle", looked)
    with claimed(target):
        assert is_taken(target)
    assert taken == [True] * 2


def test_the_command_ends_with_3_and_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOOLS)
    Path("out").mkdir()
    with claimed(Path("out")):
        for more in ([], ["--dry-run"]):
            assert code_of("generate", "t.yaml", "-o", "out", *more) == 3
            printed = capsys.readouterr()
            assert printed.out == ""
            assert printed.err == (
                "error: Another run of mcpgen is changing out. [project-locked]\n"
                "    Wait until it has ended, and try again.\n"
            )
        assert code_of("generate", "t.yaml", "-o", "out", "--format", "json") == 3
        [found] = json.loads(capsys.readouterr().out)["diagnostics"]
        assert (found["code"], found["severity"]) == ("project-locked", "error")
    assert list(Path("out").iterdir()) == []
    assert code_of("generate", "t.yaml", "-o", "out") == 0


def code_of(*arguments: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return end.value.code


def test_of_two_runs_that_make_a_directory_the_second_is_turned_away(tmp_path: Path) -> None:
    """Let another run make the directory: first before this run plans its write, then between the plan and the write.

    In both cases this run must fail, because the project is in use.
    """
    target = tmp_path / "out"
    early = plan(target, NEW, USERS, None)
    for goes_on in (lambda: plan(target, NEW, USERS, None), lambda: publish(early, NEW)):
        with pytest.raises(ProjectBusy), claimed(target):  # noqa: PT012
            # the other run: `killed_at` runs `generate` in a child process, and does not kill it before call 1,000,000
            assert not killed_at(10**6, lambda: generate(target, OLD))
            goes_on()
        assert contents(target) == dict(OLD)
        shutil.rmtree(target)


def test_a_run_that_has_made_a_directory_is_not_in_its_own_way(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with pytest.raises(FatalError) as end, claimed(target):  # noqa: PT012
        publish(plan(target, OLD, USERS, None), OLD)
        plan(target, NEW, USERS, None)
    assert end.value.diagnostic.code == "output-refused"


def test_nothing_is_ever_put_over_a_directory_that_was_made_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = exchange.place

    def late(source: Path, target: Path) -> None:
        target.mkdir()
        place(source, target)

    monkeypatch.setattr(exchange, "place", late)
    with pytest.raises(ProjectBusy):
        generate(tmp_path / "out", NEW)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("reason", [errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP], ids=errno.errorcode.get)
def test_without_such_locks_runs_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int) -> None:
    def refuse(*_: object) -> None:
        raise OSError(reason, os.strerror(reason))

    target = prepared(tmp_path / "home", "old to new")
    new = after(tmp_path / "new", "old to new", NEW)
    monkeypatch.setattr(fcntl, "flock", refuse)
    generate(target, NEW)
    assert contents(target) == new
    assert beside(target) == [".mcpgen-file", ".mcpgen-notes"]


@pytest.mark.parametrize("make", ["file", "link", "under a file"])
def test_what_is_no_directory_is_refused_as_such(tmp_path: Path, make: str) -> None:
    target = tmp_path / "out"
    if make == "link":
        (tmp_path / "real").mkdir()
        target.symlink_to("real")
    else:
        target.write_text("mine")
    with pytest.raises(FatalError) as end:
        generate(target / "deeper" if make == "under a file" else target, OTHER)
    assert end.value.diagnostic.code == "output-refused"
