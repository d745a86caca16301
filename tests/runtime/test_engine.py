"""Test the event loop that runs calls, without network and protocol: results, limits and cancellations."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from package.runtime.core.effects import Call, Dialogue, Fetch, GetPrompt, TaskRequest
from package.runtime.core.wire_formats import Contents, Failure, OtherOutcome, PromptMessages, Question, Result, Task
from package.runtime.serve import engine, scheduler
from package.runtime.serve.engine import Engine

if TYPE_CHECKING:
    from package.runtime.core.wire_formats import Outcome

#: Timeout in seconds for an event that must happen. It is long, and no test measures time with it.
PATIENCE = 120
#: Number of calls that are submitted before the tool executor is replaced.
SEVERAL = 10


class Upstream:
    """Fake tool executor. Its calls wait until the test releases them."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Event] = {}
        self.running: set[str] = set()
        self.cancelled: list[str] = []
        self.changed = threading.Condition()
        self.loop = asyncio.get_running_loop()

    async def get_prompt(self, wanted: GetPrompt, ask: Callable[[Any], Awaitable[object]]) -> PromptMessages:
        raise NotImplementedError

    async def fetch(self, wanted: Fetch) -> Contents | Result:
        raise NotImplementedError

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        report: Callable[[str], None],
        dialogue: Dialogue,
        ask: Callable[[str], Awaitable[object]],
    ) -> Result:
        if "question" in arguments:
            return Result.text(json.dumps(await ask(arguments["question"])))
        if "problem" in arguments:
            raise arguments["problem"]
        gate = self.gates.setdefault(name, asyncio.Event())
        with self.changed:
            self.running.add(name)
            self.changed.notify_all()
        try:
            for message in arguments.get("report", ()):
                report(message)
            await gate.wait()
            return Result.text(name)
        except asyncio.CancelledError:
            self.cancelled.append(name)
            raise
        finally:
            with self.changed:
                self.running.discard(name)
                self.changed.notify_all()

    async def task(self, wanted: TaskRequest) -> Task:
        raise NotImplementedError

    def let_go(self, name: str) -> None:
        self.loop.call_soon_threadsafe(lambda: self.gates.setdefault(name, asyncio.Event()).set())

    def until(self, condition: Callable[[Upstream], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self), PATIENCE)


class Bench:
    """The event loop that runs calls, with an Upstream as tool executor. It records the loop's reports."""

    def __init__(self, load: Callable[[], Any] | None = None) -> None:
        self.loading = threading.Event()
        self._made: list[Upstream] = []
        self.reports: list[tuple[int, Outcome]] = []
        self.phases: list[tuple[int, float, str]] = []
        self.asked: list[tuple[int, object]] = []
        self.reachable = True
        self._reported = threading.Condition()
        self.engine = Engine(load or self._load)

    @property
    def upstream(self) -> Upstream:
        self.loading.set()
        with self._reported:
            assert self._reported.wait_for(lambda: bool(self._made), PATIENCE)
        return self._made[0]

    def submit(self, key: int, name: str = "", **arguments: object) -> None:
        call = Call(key, name or str(key), arguments, key, Dialogue("request", "2025-11-25"))
        self.engine.submit(call, self, 0)

    def attended(self) -> bool:
        return True

    def ask(self, key: int, question: object) -> bool:
        with self._reported:
            self.asked.append((key, question))
            self._reported.notify_all()
        return self.reachable

    def until_asked(self, count: int) -> None:
        with self._reported:
            assert self._reported.wait_for(lambda: len(self.asked) >= count, PATIENCE)

    def outcomes(self, count: int) -> dict[int, Outcome]:
        """Wait until the engine has reported the outcomes of `count` calls, and return them by the calls' keys."""
        with self._reported:
            assert self._reported.wait_for(lambda: len(self.reports) >= count, PATIENCE)
            assert len(self.reports) == count
            return dict(self.reports)

    def _load(self) -> Upstream:
        assert self.loading.wait(PATIENCE)
        upstream = Upstream()
        with self._reported:
            self._made.append(upstream)
            self._reported.notify_all()
        return upstream

    def progress(self, key: int, done: float, message: str, total: float | None = None) -> None:
        with self._reported:
            self.phases.append((key, done, message))
            self._reported.notify_all()

    def log(self, key: int, level: str, content: object) -> None:
        raise NotImplementedError

    def until_told(self, count: int) -> None:
        with self._reported:
            assert self._reported.wait_for(lambda: len(self.phases) >= count, PATIENCE)

    def done(self, key: int, outcome: Outcome) -> None:
        with self._reported:
            self.reports.append((key, outcome))
            self._reported.notify_all()


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.loading.set()


def text(outcome: Outcome) -> object:
    assert isinstance(outcome, Result)
    return outcome.content[0]["text"]


class Named:
    """Fake tool executor whose results hold its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def call(self, *_: object) -> Result:
        return Result.text(self.name)

    async def get_prompt(self, wanted: GetPrompt, ask: Callable[[Any], Awaitable[object]]) -> PromptMessages:
        raise NotImplementedError

    async def fetch(self, wanted: Fetch) -> Contents | Result:
        return Contents(wanted.uri, [{"uri": wanted.uri, "text": self.name}])

    async def task(self, wanted: TaskRequest) -> Task:
        raise NotImplementedError


@pytest.mark.parametrize("early", [True, False])
def test_a_call_runs_with_the_caller_that_was_there_when_it_was_submitted(bench: Bench, early: bool) -> None:
    """Replace the executor after calls were submitted. They run with the first one, even if that is not loaded yet."""
    upstream = None if early else bench.upstream
    for key in range(SEVERAL):
        bench.submit(key)
    bench.engine.renew(lambda: Named("second"))
    bench.submit(100)
    bench.engine.renew(lambda: Named("third"))
    bench.submit(101)
    upstream = upstream or bench.upstream
    for key in range(SEVERAL):
        upstream.let_go(str(key))
    outcomes = bench.outcomes(SEVERAL + 2)
    assert [text(outcomes[key]) for key in range(SEVERAL)] == [str(key) for key in range(SEVERAL)]
    assert (text(outcomes[100]), text(outcomes[101])) == ("second", "third")


def test_a_call_that_the_loop_takes_itself_runs_with_what_another_thread_brought_before(bench: Bench) -> None:
    """Load another executor in a thread before the loop reads a call, as --reload does. The call must run with it."""

    def read() -> None:
        for key, name in ((1, "second"), (2, "third")):
            brings = threading.Thread(target=bench.engine.renew, args=(lambda name=name: Named(name),))
            brings.start()
            brings.join()
            bench.submit(key)

    assert bench.upstream
    bench.engine.tell(read)
    outcomes = bench.outcomes(2)
    assert [text(outcomes[key]) for key in (1, 2)] == ["second", "third"]


def test_what_is_told_is_done_whatever_was_told_before(bench: Bench) -> None:
    def fail() -> None:
        raise RuntimeError

    assert bench.upstream
    bench.engine.tell(lambda: bench.engine._told.extend([fail, lambda: bench.submit(1)]))
    bench.engine.tell(lambda: None)
    bench.upstream.let_go("1")
    assert text(bench.outcomes(1)[1]) == "1"


def test_a_caller_that_cannot_be_made_makes_no_calls_and_ends_nothing(bench: Bench) -> None:
    bench.submit(1)
    bench.engine.renew(lambda: 1 / 0)  # type: ignore[arg-type,return-value]
    bench.submit(2)
    bench.upstream.let_go("1")
    outcomes = bench.outcomes(2)
    assert text(outcomes[1]) == "1"
    assert isinstance(outcomes[2], Failure)


def test_a_call_hears_what_is_answered_to_its_question(bench: Bench) -> None:
    bench.submit(1, question="One?")
    bench.submit(2, question="Two?")
    bench.submit(3)
    bench.upstream.until(lambda upstream: upstream.running == {"3"})
    bench.until_asked(2)
    bench.engine.answer(2, {"two": 2})
    bench.engine.answer(3, "it asked nothing")
    bench.engine.answer(4, "there is none")
    bench.outcomes(1)
    bench.engine.answer(1, None)
    bench.engine.answer(1, "too late")
    bench.upstream.let_go("3")
    outcomes = bench.outcomes(3)
    assert [text(outcomes[key]) for key in (1, 2, 3)] == ["null", '{"two": 2}', "3"]
    assert bench.asked == [(1, "One?"), (2, "Two?"), (2, None), (1, None)]


def test_a_question_that_cannot_be_put_is_answered_at_once(bench: Bench) -> None:
    bench.reachable = False
    bench.submit(1, question="One?")
    assert bench.upstream
    assert text(bench.outcomes(1)[1]) == "null"


def test_a_call_that_is_cancelled_takes_its_question_back(bench: Bench) -> None:
    bench.submit(1, question="One?")
    assert bench.upstream
    bench.until_asked(1)
    bench.engine.cancel(1)
    bench.until_asked(2)
    assert bench.asked[1] == (1, None)
    assert bench.reports == []


def test_a_call_may_end_with_something_else_than_a_result(bench: Bench) -> None:
    question = Question("Go on?", "state")
    bench.submit(1, problem=OtherOutcome(question))
    assert bench.upstream
    assert bench.outcomes(1)[1] is question


def test_calls_that_come_before_it_is_loaded_are_kept(bench: Bench) -> None:
    for key in range(5):
        bench.submit(key)
    bench.engine.cancel(3)
    assert bench.reports == []
    for key in range(5):
        bench.upstream.let_go(str(key))
    assert sorted(bench.outcomes(4)) == [0, 1, 2, 4]


@pytest.mark.parametrize(
    "problem",
    [
        RuntimeError("secret"),
        SystemExit(3),
        KeyboardInterrupt(),
        MemoryError(),
        RecursionError(),
        asyncio.CancelledError(),
    ],
    ids=lambda problem: type(problem).__name__,
)
def test_life_10_whatever_is_raised_is_a_report(bench: Bench, problem: BaseException, capfd: Any) -> None:
    bench.submit(1, problem=problem)
    bench.submit(2)
    bench.upstream.let_go("2")
    outcomes = bench.outcomes(2)
    failure = outcomes[1]
    assert isinstance(failure, Failure)
    assert "secret" not in failure.sentence
    assert text(outcomes[2]) == "2"
    for event in map(json.loads, capfd.readouterr().err.splitlines()):
        assert event["error"] == type(problem).__name__
        assert event["call"] in failure.sentence
        assert "secret" not in json.dumps(event)


def test_what_cannot_be_loaded_is_reported_at_each_call(capfd: Any) -> None:
    def load() -> Any:
        raise SystemExit("hooks.py has gone home")

    broken = Bench(load)
    broken.submit(1)
    broken.submit(2)
    assert all(isinstance(outcome, Failure) for outcome in broken.outcomes(2).values())
    assert "gone home" in json.loads(capfd.readouterr().err)["reason"]


class TestCancel:
    """Test IO-17: in no phase is a result reported after a cancellation. The cancelled call's slot becomes free."""

    def test_while_it_runs(self, bench: Bench) -> None:
        bench.submit(1)
        bench.submit(2)
        bench.upstream.until(lambda upstream: len(upstream.running) == 2)
        bench.engine.cancel(1)
        bench.engine.cancel(1)
        bench.upstream.until(lambda upstream: upstream.running == {"2"})
        bench.upstream.let_go("2")
        assert sorted(bench.outcomes(1)) == [2]
        assert bench.upstream.cancelled == ["1"]
        bench.engine.drain(PATIENCE)
        assert bench.engine._backlog._calls == 0

    def test_before_it_is_begun(self, bench: Bench) -> None:
        bench.submit(1)
        bench.engine.cancel(1)
        bench.submit(2)
        bench.upstream.let_go("2")
        assert sorted(bench.outcomes(1)) == [2]
        bench.engine.drain(PATIENCE)
        assert bench.engine._backlog._calls == 0

    def test_after_it_finished(self, bench: Bench) -> None:
        bench.submit(1)
        bench.upstream.let_go("1")
        bench.outcomes(1)
        bench.engine.cancel(1)
        bench.engine.cancel(99)
        bench.submit(2)
        bench.upstream.let_go("2")
        assert sorted(bench.outcomes(2)) == [1, 2]


def test_so_many_are_at_work_and_the_others_wait_in_their_order(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "MOST", 2)
    for key in range(6):
        bench.submit(key)
    bench.upstream.until(lambda upstream: upstream.running == {"0", "1"})
    bench.engine.cancel(2)
    bench.upstream.let_go("1")
    bench.upstream.until(lambda upstream: upstream.running == {"0", "3"})
    bench.engine.cancel(3)
    bench.upstream.until(lambda upstream: upstream.running == {"0", "4"})
    for name in ("0", "4", "5"):
        bench.upstream.let_go(name)
    assert sorted(bench.outcomes(4)) == [0, 1, 4, 5]
    assert bench.upstream.cancelled == ["3"]
    bench.engine.drain(PATIENCE)
    assert bench.engine._backlog._calls == 0


def test_drain_waits_for_what_runs_and_no_longer(bench: Bench) -> None:
    bench.engine.drain(PATIENCE)  # no call is running, so this returns at once
    bench.submit(1)
    bench.engine.drain(0)
    assert bench.reports == []
    bench.upstream.let_go("1")
    bench.engine.drain(PATIENCE)
    assert sorted(dict(bench.reports)) == [1]


def test_a_task_of_a_hook_that_fails_alone_is_one_line_of_the_log(capfd: Any) -> None:
    with closing(asyncio.new_event_loop()) as loop:
        engine.unhandled(loop, {"message": "secret", "exception": ValueError("secret")})
    event = json.loads(capfd.readouterr().err)
    assert event["event"] == "background_task"
    assert event["error"] == "ValueError"
    assert "secret" not in json.dumps(event)
