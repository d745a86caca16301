"""Test work that runs in a child process whose CPU time and memory are limited."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Callable

import pytest

from mcpgen.base.confined import Stopped, Tell, run_confined


def test_what_is_told_comes_in_order_and_from_another_process() -> None:
    def work(tell: Tell) -> None:
        for number in range(3):
            tell([number, "\u00e9\n"])
        tell(os.getpid())

    *told, child = run_confined(work, 10, 100)
    assert told == [[0, "\u00e9\n"], [1, "\u00e9\n"], [2, "\u00e9\n"]]
    assert child != os.getpid()


def spin(_tell: Tell) -> None:
    while True:
        pass


def grow(tell: Tell) -> None:
    tell("begun")
    tell(len(bytearray(1 << 30)))


def abort(_tell: Tell) -> None:
    faulthandler.disable()  # pytest enables faulthandler, whose dump would mix with the output
    os.abort()


def fail(_tell: Tell) -> None:
    raise ValueError


def end(_tell: Tell) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (spin, "takes more than 1 seconds of work"),
        (grow, "takes more than 200 MiB of memory"),
        (abort, "takes more than 200 MiB of memory"),
        (fail, "crashes the process that does the work"),
        (end, "crashes the process that does the work"),
    ],
)
def test_hard_16_work_without_end_is_stopped(work: Callable[[Tell], None], sentence: str) -> None:
    with pytest.raises(Stopped, match=sentence):
        list(run_confined(work, 1, 200))


def test_what_was_told_before_the_end_is_heard() -> None:
    told = run_confined(grow, 1, 200)
    assert next(told) == "begun"
    with pytest.raises(Stopped):
        next(told)


def test_whoever_has_heard_enough_leaves_no_child() -> None:
    def work(tell: Tell) -> None:
        tell(os.getpid())
        signal.pause()

    told = run_confined(work, 10, 200)
    child = next(told)
    told.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(child)), 0)


def test_without_a_fork_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert list(run_confined(lambda tell: tell(os.getpid()), 10, 100)) == [os.getpid()]
