"""Test which thread reads stdin: the event loop while calls run and the loop is not blocked, otherwise the main thread.

Each line is processed once and in order, even if the loop is blocked. The pipe and the event loop are real; the lines
are commands of this test.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.effects import Call, Dialogue
from package.runtime.core.stdio import Inbox, Wire
from package.runtime.core.wire_formats import Result
from package.runtime.serve import engine
from package.runtime.serve.engine import Engine, StdinHandoff

#: Timeout in seconds for an event that must happen. It is long, and no test measures time with it.
PATIENCE = 120


class Calls:
    """Fake tool executor. Its calls end on command, and the call `hold` blocks the event loop."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Event] = {}
        self.held = threading.Event()
        self.let_go = threading.Event()

    async def call(self, name: str, *given: Any) -> Result:
        if name == "hold":
            self.held.set()
            assert self.let_go.wait(PATIENCE)
        else:
            await self.gates.setdefault(name, asyncio.Event()).wait()
        return Result.text(name)

    def end(self, name: str) -> None:
        self.gates.setdefault(name, asyncio.Event()).set()


class _Told(Wire):
    """Standard input and output (`Wire`) that records when the loop starts and stops reading."""

    note: Callable[[str], None]

    def tell_loop(self, ready: Callable[[], None] | None) -> bool:
        done = super().tell_loop(ready)
        self.note("returned" if ready is None else "lent")
        return done


class Heard:
    """Listener that runs a function when a call ends. It accepts no progress, log messages or questions to the user."""

    def __init__(self, at_end: Callable[[], None]) -> None:
        self._at_end = at_end

    def attended(self) -> bool:
        return True

    def progress(self, key: int, done: float, message: str, total: float | None = None) -> None:
        raise NotImplementedError

    def log(self, key: int, level: str, content: object) -> None:
        raise NotImplementedError

    def ask(self, key: int, question: object) -> bool:
        raise NotImplementedError

    def done(self, key: int, outcome: object) -> None:
        self._at_end()


class Bench:
    """Set-up that reads lines as server.py does: in the thread `reader`, which stands for the main thread, or in the
    thread `engine`, which runs the event loop.

    A line `call NAME` starts a call, and `end NAME` ends it. `fail` raises an error if `engine` reads it. Other lines
    are only recorded.
    """

    def __init__(self, stdin: int) -> None:
        self.calls = Calls()
        self.engine = Engine(lambda: self.calls)  # type: ignore[arg-type, return-value]
        self.heard, self._out = os.pipe()
        self._wire = object.__new__(_Told)
        self._wire.note = self._note
        self._wire._in, self._wire._out, self._wire._poll, self._wire._left_at = stdin, self._out, None, 0.0
        self._inbox = Inbox()
        self._lending = StdinHandoff(self.engine, self._wire, self._inbox, self._take)
        self.taken: list[tuple[str, str]] = []
        self.lent: set[tuple[str, bool]] = set()
        self._changed = threading.Condition()
        self._numbers = iter(range(1, 1 << 30))
        self.reader = threading.Thread(target=self._serve, name="reader", daemon=True)

    def _serve(self) -> None:
        while True:
            while self._inbox.first is not None:
                self._take(self._inbox.pop())
            if self._inbox.ended:
                break
            if not self._lending.lend():
                self._inbox.feed(self._wire.read())

    def _take(self, line: object) -> None:
        assert isinstance(line, bytes)
        self.lent.add((threading.current_thread().name, self._lending.lent))
        word, _, name = line.decode().partition(" ")
        if word == "call":
            call = Call(next(self._numbers), name, {}, None, Dialogue("", ""))
            self.engine.submit(call, Heard(lambda: self._note(f"ended {name}")), len(line))
        elif word == "fail" and threading.current_thread().name == "engine":
            raise RuntimeError
        elif word == "end":
            self.engine.tell(lambda: self.calls.end(name))
        self._note(line.decode())

    def _note(self, word: str) -> None:
        with self._changed:
            self.taken.append((word, threading.current_thread().name))
            self._changed.notify_all()

    def until(self, word: str, since: int = 0) -> str:
        """Wait until `word` is recorded after the first `since` records.

        Return the name of the thread that recorded it.
        """
        with self._changed:
            assert self._changed.wait_for(lambda: word in (each for each, _ in self.taken[since:]), PATIENCE), word
            return next(thread for each, thread in self.taken[since:] if each == word)

    @property
    def lines(self) -> list[str]:
        return [word for word, _ in self.taken if not word.startswith(("ended ", "lent", "returned"))]


class Piped(Bench):
    """Set-up with two reading threads (`Bench`), whose stdin is a pipe. The test writes lines into the pipe (`say`)."""

    def __init__(self) -> None:
        read, self._stdin = os.pipe()
        super().__init__(read)
        self.reader.start()

    def say(self, *lines: str) -> None:
        os.write(self._stdin, "".join(f"{line}\n" for line in lines).encode())

    def taken_by(self, line: str) -> str:
        self.say(line)
        return self.until(line)

    def end(self) -> None:
        os.close(self._stdin)
        self.reader.join(PATIENCE)
        assert not self.reader.is_alive()


@pytest.fixture
def bench() -> Iterator[Piped]:
    made = Piped()
    made.say("call first", "end first")
    made.until("ended first")  # wait until a call has ended: then the event loop is running
    yield made
    made.calls.let_go.set()
    if made.reader.is_alive():
        made.end()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SECONDS_BLOCKED", 0.005)


def lent(bench: Piped) -> None:
    """Write lines until the event loop reads one. The main thread may read lines before that: it hands stdin over only
    after a line.
    """
    numbers = count(len(bench.taken))
    while bench.taken_by(f"line {next(numbers)}") != "engine":
        continue


def test_while_a_call_runs_the_loop_reads_and_behind_the_last_the_reader(bench: Piped, quick: None) -> None:
    bench.say("call a")
    lent(bench)
    bench.say("end a")
    bench.until("ended a")
    bench.until("returned", since=len(bench.taken))
    assert bench.taken_by("behind") == "reader"
    assert bench.lent == {("reader", False), ("engine", True)}


def test_a_loop_that_is_held_up_is_not_waited_for(bench: Piped, quick: None) -> None:
    bench.say("call a")
    lent(bench)
    bench.say("call hold")
    assert bench.calls.held.wait(PATIENCE)
    assert bench.taken_by("ping") == "reader"
    assert bench.taken_by("again") == "reader"
    bench.calls.let_go.set()
    bench.until("ended hold")
    lent(bench)


def test_what_would_wait_for_room_waits_in_the_reader(
    bench: Piped, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "MOST_CALLS", 2)
    bench.say("call a")
    lent(bench)
    bench.say("call b", "call c", "end a", "end b")
    bench.until("call b")
    assert "call c" not in bench.lines
    bench.engine.tell(lambda: bench.calls.end("a"))
    assert bench.until("call c") == "reader"
    bench.say("end c")
    bench.until("ended c")


def test_the_end_of_stdin_is_the_end(bench: Piped) -> None:
    bench.say("call a")
    lent(bench)
    bench.say("last")
    bench.end()
    assert bench.lines[-1] == "last"


def test_a_file_is_read_by_the_reader_alone(tmp_path: Path) -> None:
    (tmp_path / "said").write_text("call a\n" + "".join(f"line {number}\n" for number in range(2000)) + "end a\n")
    with open(tmp_path / "said", "rb") as said:
        bench = Bench(said.fileno())
        bench.engine.tell(lambda: bench._note("ended nothing"))
        bench.until("ended nothing")  # wait until the event loop is running: it runs the lambda above
        bench.reader.start()
        bench.until("ended a")
        bench.reader.join(PATIENCE)
    lines = set(bench.lines)
    assert {thread for word, thread in bench.taken if word in lines} == {"reader"}
    assert bench.lines == ["call a", *(f"line {number}" for number in range(2000)), "end a"]


@pytest.mark.parametrize("seed", range(6))
def test_each_line_is_taken_once_and_in_its_turn(bench: Piped, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Read every line once and in order.

    Threads take turns as often as possible, while calls start and end and lines arrive in pieces.
    """
    monkeypatch.setattr(engine, "SECONDS_BLOCKED", 0.0001)
    chance = random.Random(seed)
    before, said, running = ["call first", "end first"], list[str](), list[str]()
    for number in range(1500):
        kind = chance.random()
        if kind < 0.1 and len(running) < 50:
            running.append(str(number))
            said.append(f"call {number}")
        elif kind < 0.2 and running:
            said.append(f"end {running.pop(chance.randrange(len(running)))}")
        else:
            said.append(f"line {number}")
    said += [f"end {name}" for name in running]
    rest = "".join(f"{line}\n" for line in said).encode()
    while rest:
        size = chance.choice((1, 10, 100, 1000))
        os.write(bench._stdin, rest[:size])
        rest = rest[size:]
    bench.end()
    said = before + said
    assert bench.lines == said
    threads = {thread for _, thread in bench.taken}
    assert threads == {"reader", "engine"}
    assert bench.lent <= {("reader", False), ("engine", True)}
    bench.engine.drain(PATIENCE)
    ended = sorted(word for word, _ in bench.taken if word.startswith("ended "))
    assert ended == sorted(f"ended {word.removeprefix('call ')}" for word in said if word.startswith("call "))


def test_what_the_loop_failed_on_keeps_nothing_from_being_taken(bench: Piped, quick: None) -> None:
    bench.say("call a")
    lent(bench)
    bench.say("call a", "fail", "behind")
    bench.until("behind")


class _Stuck:
    """Engine whose loop does not respond. The test also uses it as stdin: it fails if anybody reads."""

    loaded = busy = True

    def tell(self, action: Callable[[], None]) -> None:
        """Do not run `action`, as if the event loop were blocked."""

    def attended(self) -> bool:
        return True

    def read_ready(self) -> bytes:
        raise AssertionError("two threads read")


def test_a_loop_that_comes_back_late_reads_nothing(quick: None) -> None:
    """Check that the loop reads nothing after the main thread has taken over reading.

    The loop's queue may still hold the event that stdin is readable.
    """
    stuck: Any = _Stuck()
    lent_by = StdinHandoff(stuck, stuck, Inbox(), lambda line: None)
    loan = engine._ReadingPeriod(lent_by, stuck, stuck, Inbox(), lambda line: None)
    loan.run()
    loan._read()
    assert lent_by.lend()
    assert not lent_by.lend()  # False: the event loop must not read again, since it has not yet responded
