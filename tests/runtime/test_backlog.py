"""Test the backlog of calls, which limits their number and size.

A thread that waits for room continues when calls end.
"""

from __future__ import annotations

import threading

import pytest
from package.runtime.serve import engine
from package.runtime.serve.engine import Backlog

#: Timeout in seconds for an event that must happen. It is long, and no test measures time with it.
PATIENCE = 120


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MOST_CALLS": 3, "MOST_BYTES": 100, "SECONDS_FULL": 0.001}.items():
        monkeypatch.setattr(engine, name, value)


def nobody() -> bool:
    return False


@pytest.mark.parametrize(
    ("sizes", "taken"),
    [
        ((1, 1, 1), (True, True, True)),
        ((1, 1, 1, 1), (True, True, True, False)),
        ((60, 40), (True, True)),
        ((60, 41), (True, False)),
        ((60, 41, 40), (True, False, True)),
        ((1000, 1), (True, False)),
    ],
)
def test_room_is_by_number_and_by_size(sizes: tuple[int, ...], taken: tuple[bool, ...]) -> None:
    held = Backlog()
    assert tuple(held.enter(size, nobody) for size in sizes) == taken


def test_who_leaves_makes_room() -> None:
    held = Backlog()
    assert held.enter(100, nobody)
    held.leave(100)
    assert held.enter(100, nobody)
    held.leave(100)
    held.drain(PATIENCE)


def test_who_waits_goes_on_when_there_is_room() -> None:
    held, asked, entered = Backlog(), threading.Event(), threading.Event()
    assert held.enter(100, nobody)

    def attended() -> bool:
        asked.set()
        return True

    def wait() -> None:
        assert held.enter(1, attended)
        entered.set()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    assert asked.wait(PATIENCE)
    assert not entered.is_set()
    held.leave(100)
    assert entered.wait(PATIENCE)
