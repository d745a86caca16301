"""Test the selector that polls before it sleeps. The tests advance its clock themselves."""

from __future__ import annotations

import asyncio
import selectors
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from package.runtime.http_server.doors import busy_polling
from package.runtime.http_server.doors.busy_polling import PROMPT, WINDOW, PollingSelector

BRIEFLY = 0.001
"""Timeout in seconds for waits in which no data arrives."""


class Clock:
    """A clock that advances by `step` seconds whenever it is read, and counts how often it was read.

    `reads`: how often it was read. `then(reads)` is called at each reading.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.step = 0.0
        self.reads = 0
        self.then: Callable[[int], object] = int

    def __call__(self) -> float:
        self.reads += 1
        self.now += self.step
        self.then(self.reads)
        return self.now


class Bench:
    """A selector that watches one socket, with the other end of the socket and the selector's clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.selector = PollingSelector(self.clock)
        self.own, self.other = socket.socketpair()
        self.selector.register(self.own, selectors.EVENT_READ)

    def close(self) -> None:
        self.selector.close()
        self.own.close()
        self.other.close()

    def wait(self, with_data: bool, step: float = 0.0, timeout: float | None = BRIEFLY) -> tuple[int, bool]:
        """Wait once. Return how often the selector read its clock, and True if it reported the socket.

        `with_data`: True if data is there already. `step`: seconds that pass between two readings of the clock.
        """
        if with_data:
            self.other.send(b"x")
        self.clock.reads, self.clock.step = 0, step
        ready = self.selector.select(timeout)
        if ready:
            assert [key.fileobj for key, _ in ready] == [self.own]
            self.own.recv(1)
        return self.clock.reads, bool(ready)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


SLEPT = 2
"""Readings of the clock in a wait without polling: at its begin and at its end."""


def test_it_polls_after_short_waits_and_sleeps_after_a_long_one(bench: Bench) -> None:
    for _ in range(PROMPT):
        assert bench.wait(with_data=True) == (SLEPT, True)
    reads, found = bench.wait(with_data=False, step=WINDOW / 4)
    assert reads > SLEPT, "it polls until the window is over"
    assert not found
    assert bench.wait(with_data=False, step=WINDOW / 4) == (SLEPT, False), "then it sleeps again"


def test_a_long_wait_begins_the_count_again(bench: Bench) -> None:
    for _ in range(PROMPT - 1):
        bench.wait(with_data=True)
    bench.wait(with_data=True, step=2 * WINDOW)
    bench.wait(with_data=True)
    assert bench.wait(with_data=False, step=WINDOW / 4) == (SLEPT, False)


def test_data_that_arrives_while_it_polls_is_reported(bench: Bench) -> None:
    for _ in range(PROMPT):
        bench.wait(with_data=True)
    bench.clock.then = lambda reads: bench.other.send(b"x") if reads == 3 else None
    assert bench.wait(with_data=False, step=WINDOW / 8, timeout=None) == (3, True)
    bench.clock.then = int
    assert bench.wait(with_data=False, step=WINDOW / 8)[0] > SLEPT, "it still polls"


@pytest.mark.parametrize("timeout", [0, WINDOW])
def test_a_very_short_timeout_neither_polls_nor_counts(bench: Bench, timeout: float) -> None:
    for _ in range(PROMPT):
        assert bench.wait(with_data=True, timeout=timeout) == (0, True)
    assert bench.wait(with_data=False, step=WINDOW / 4) == (SLEPT, False)


@pytest.mark.parametrize(
    ("cores", "limit", "polls"),
    [
        (1, None, False),
        (2, None, True),
        (64, "max 100000", True),
        (64, "100000 100000", False),
        (64, "199000 100000", False),
        (64, "200000 100000", True),
        (1, "400000 100000", False),
        (64, "nonsense", True),
    ],
)
def test_a_process_with_less_than_two_cores_never_polls(
    cores: int, limit: str | None, polls: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit is not None:
        (tmp_path / "cpu.max").write_text(f"{limit}\n", encoding="ascii")
    monkeypatch.setattr(busy_polling, "_LIMIT", str(tmp_path / "cpu.max"))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(cores), raising=False)
    assert (busy_polling.loop_factory() is not None) == polls


def test_an_event_loop_works_with_it() -> None:
    async def exchange() -> bytes:
        own, other = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=own)
        _, echo = await asyncio.open_connection(sock=other)
        heard = b""
        for number in range(3 * PROMPT):
            echo.write(b"%d" % (number % 10))
            heard += await reader.readexactly(1)
            await asyncio.sleep(0.0001 if number % 5 else 0)
        writer.close()
        echo.close()
        return heard

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(PollingSelector())) as runner:
        assert runner.run(exchange()) == b"0123456789" * 2 + b"0123"
