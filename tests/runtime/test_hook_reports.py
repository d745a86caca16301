"""Test progress and log messages of hooks: what reaches the client, and from which threads and asyncio tasks."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any

import pytest
from package.runtime.core import log, spans
from package.runtime.core.effects import LOG_LEVELS
from package.runtime.core.limits import Budget
from package.runtime.core.wire_formats import Result
from package.runtime.hooks import context, hook_reports
from package.runtime.hooks.hook_runner import Hooks
from package.runtime.request.argument_errors import CannotReport, HookFailed
from package.runtime.request.request import Request
from package.runtime.serve.call_progress import CallLog

SECRET = "sk-0123456789abcdef"
LOG: Any = context.log
Step = tuple[float, float | None, str]


class Heard:
    """The progress and log messages that hooks send to the client of one call."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.messages: list[tuple[str, Any]] = []
        self.left = 0
        self.runs: set[object] = set()

    def advance(self, hook: object, done: float, total: float | None, message: str) -> None:
        self.runs.add(hook)
        self.steps.append((done, total, message))

    def leave(self, hook: object) -> None:
        self.left += 1

    def listen(self) -> spans.Span:
        """Begin a call whose client wants progress and all log messages."""
        span = spans.Span()
        span.progress = self
        span.client_log = CallLog(0, lambda level, content: self.messages.append((level, content)), lambda: 0.0)
        spans.enter(span)
        return span


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the lines of the log. Its redaction knows one secret."""
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(log, "_write", lambda line: lines.append(json.loads(line)))
    log.set_level("debug")
    log.redact_with(lambda text: text.replace(SECRET, "[removed]").replace("424242", "[removed]"))
    return lines


def waiting(function: Callable[..., Any]) -> Callable[..., Any]:
    async def hook(*given: Any) -> Any:
        await asyncio.sleep(0)
        return function(*given)

    return hook


def budget(seconds: float = 60) -> Budget:
    return Budget(seconds, lambda: 0.0)


def reported(function: Callable[..., Any], seconds: float = 60) -> Heard:
    """Run a function as the hook of a call, and return what the client gets."""
    heard = Heard()

    async def main() -> None:
        heard.listen()
        await Hooks({"before_get_pet": function}, ["get-pet"]).before("get-pet", {}, budget(seconds))

    asyncio.run(main())
    return heard


KINDS = pytest.mark.parametrize("kind", [lambda function: function, waiting], ids=["def", "async def"])
RUNS: dict[str, Callable[[Hooks], Any]] = {
    "before_all": lambda hooks: hooks.before("get-pet", {}, budget()),
    "before_get_pet": lambda hooks: hooks.before("get-pet", {}, budget()),
    "request_get_pet": lambda hooks: hooks.request("get-pet", Request("GET", "/pets"), budget()),
    "request_all": lambda hooks: hooks.request("get-pet", Request("GET", "/pets"), budget()),
    "instead_of_get_pet": lambda hooks: hooks.instead("get-pet", {}, budget()),
    "after_get_pet": lambda hooks: hooks.after("get-pet", Result.text("x"), budget()),
    "after_all": lambda hooks: hooks.after("get-pet", Result.text("x"), budget()),
}


@KINDS
@pytest.mark.parametrize("name", RUNS)
def test_every_hook_reports(name: str, kind: Any, logged: list[dict[str, Any]]) -> None:
    def hook(*given: Any) -> None:
        context.progress(1, 2, "half")
        context.log("notice", "Stale.", {"age": 7})

    async def main() -> None:
        span = heard.listen()
        await RUNS[name](Hooks({name: kind(hook)}, ["get-pet"]))
        assert span.said == "half"

    heard = Heard()
    asyncio.run(main())
    assert heard.steps == [(1, 2, "half")]
    assert heard.left == 1
    assert heard.messages == [("notice", {"tool": "get-pet", "message": "Stale.", "data": {"age": 7}})]
    [line] = logged
    assert line["level"] == "info"
    told = {"event": "hook_log", "tool": "get-pet", "hook": name, "message": "Stale.", "data": '{"age":7}'}
    assert told.items() <= line.items()
    assert "call" in line


def test_reports_of_a_thread_come_in_order_and_before_the_hook_ends() -> None:
    def hook(arguments: Any) -> None:
        for number in range(5):
            context.log("info", str(number))
        context.progress(5)

    heard = reported(hook)
    assert [content["message"] for _, content in heard.messages] == ["0", "1", "2", "3", "4"]
    assert heard.steps[-1] == (5, None, "")


def test_functions_in_threads_of_an_async_hook_report() -> None:
    async def hook(arguments: Any) -> None:
        await asyncio.to_thread(context.progress, 1, 2)
        await asyncio.gather(*(asyncio.to_thread(context.log, "info", "x") for _ in range(3)))

    heard = reported(hook)
    assert heard.steps == [(1, 2, "")]
    assert len(heard.messages) == 3


def test_a_thread_that_reports_without_end_is_bounded(
    logged: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report 1000 times while the hook blocks the event loop.

    Only the latest progress is sent. Messages beyond the limit are only counted.
    """
    monkeypatch.setattr(hook_reports, "MOST_WAITING", 10)

    async def hook(arguments: Any) -> None:
        def flood() -> None:
            for number in range(1000):
                context.progress(number)
                context.log("info", str(number))

        thread = threading.Thread(target=copy_context().run, args=(flood,))
        thread.start()
        thread.join()

    heard = reported(hook)
    assert heard.steps == [(999, None, "")]
    assert [line["message"] for line in logged] == [
        *map(str, range(10)),
        "Left out, because there were too many: 990 log messages of this hook.",
    ]


def test_a_progress_that_falls_is_ignored_and_one_that_stays_is_not() -> None:
    def hook(arguments: Any) -> None:
        for done in (3, 2, 3, 4.5):
            context.progress(done, 10)

    async def on_the_loop(arguments: Any) -> None:
        hook(arguments)

    assert [done for done, _, _ in reported(on_the_loop).steps] == [3, 3, 4.5]


@KINDS
@pytest.mark.parametrize(
    ("report", "told"),
    [
        *(
            (partial(context.progress, *given), "context.progress takes numbers from 0 to 2**53 and a text")
            for given in ((-1,), (float("nan"),), (float("inf"),), (2**53 + 1,), ("3",), (True,), (1, -2), (1, 2, 3))
        ),
        (partial(LOG, "warn", "x"), f"context.log takes a level ({', '.join(LOG_LEVELS)}) and a text"),
        (partial(LOG, ["info"], "x"), "context.log takes a level"),
        (partial(LOG, "info", 3), "context.log takes a level"),
        (partial(context.log, "info", "x", {1, 2}), "context.log takes data that JSON can hold"),
        (partial(context.log, "info", "x", float("nan")), "context.log takes data that JSON can hold"),
        (partial(context.log, "info", "x", b"bytes"), "context.log takes data that JSON can hold"),
    ],
)
def test_a_wrong_report_fails_the_call(report: Any, told: str, kind: Any, logged: list[dict[str, Any]]) -> None:
    def hook(arguments: Any) -> None:
        report()

    with pytest.raises(HookFailed) as failed:
        reported(kind(hook))
    assert f"The hook before_get_pet of this server cannot report: {told}" in str(failed.value)
    [line] = logged
    assert (line["event"], line["error"], line["at"].partition(":")[0]) == ("hook_failed", "CannotReport", "hook")
    assert line["reason"].startswith(told)


@pytest.mark.parametrize("report", [partial(context.progress, 1), partial(context.log, "info", "x")])
def test_outside_of_a_hook_nothing_is_reported(report: Any) -> None:
    with pytest.raises(CannotReport, match="work only while a hook of a call runs"):
        report()


@pytest.mark.parametrize("report", [partial(context.progress, 1), partial(context.log, "info", "x")])
def test_what_a_hook_leaves_behind_reports_nothing(report: Any) -> None:
    """Raise CannotReport for reports from an asyncio task of an ended hook, or a thread of a hook past its deadline."""
    problems: list[BaseException] = []
    ended = threading.Event()
    heard = Heard()

    def late() -> None:
        try:
            report()
        except CannotReport as problem:
            problems.append(problem)

    async def main() -> None:
        tasks = []

        async def left() -> None:
            late()

        async def before_get_pet(arguments: Any) -> None:
            tasks.append(asyncio.create_task(left()))

        def before_list_pets(arguments: Any) -> None:
            ended.wait()
            late()
            done.set()

        heard.listen()
        done = threading.Event()
        hooks = Hooks(
            {"before_get_pet": before_get_pet, "before_list_pets": before_list_pets}, ["get-pet", "list_pets"]
        )
        await hooks.before("get-pet", {}, budget())
        await asyncio.gather(*tasks)
        with pytest.raises(HookFailed):
            await hooks.before("list_pets", {}, budget(0))
        ended.set()
        await asyncio.to_thread(done.wait)
        await asyncio.sleep(0)

    asyncio.run(main())
    assert [str(problem) for problem in problems] == [hook_reports._OVER] * 2
    assert (heard.steps, heard.messages) == ([], [])


def test_no_secret_and_no_second_line_is_reported(logged: list[dict[str, Any]]) -> None:
    hidden = f"It is {SECRET},\nand \u202emore"

    async def hook(arguments: Any) -> None:
        context.progress(1, 2, hidden)
        context.log("error", hidden, {SECRET: [hidden, 424242, {"deep": f'"{SECRET}"'}], "plain": 7})

    heard = reported(hook)
    shown = "It is [removed], and more"
    assert heard.steps == [(1, 2, shown)]
    [(_, content)] = heard.messages
    data = {"[removed]": [shown, "[removed]", {"deep": '"[removed]"'}], "plain": 7}
    assert content == {"tool": "get-pet", "message": shown, "data": data}
    [line] = logged
    assert line["message"] == shown
    assert SECRET not in json.dumps(line)
    assert "424242" not in json.dumps(line)


def test_long_texts_are_cut_and_large_data_is_left_out(logged: list[dict[str, Any]]) -> None:
    deep: Any = 1
    for _ in range(hook_reports.DEEPEST + 1):
        deep = [deep]

    async def hook(arguments: Any) -> None:
        context.progress(1, 2, "x" * 5000)
        context.log("info", "x" * 5000, "y" * 5000)
        context.log("info", "deep", deep)

    heard = reported(hook)
    assert len(heard.steps[0][2]) == hook_reports.LONGEST + 1
    assert [content["data"][:8] for _, content in heard.messages] == ["Left out"] * 2
    assert len(heard.messages[0][1]["message"]) == hook_reports.LONGEST + 1
    assert all(len(json.dumps(line)) < 4096 for line in logged)


def test_data_is_taken_as_it_is_when_it_is_logged() -> None:
    def hook(arguments: Any) -> None:
        data = {"seen": 1}
        context.log("info", "x", data)
        data["seen"] = 2

    assert reported(hook).messages[0][1]["data"] == {"seen": 1}


def test_a_hook_without_a_call_writes_to_the_log_alone(logged: list[dict[str, Any]]) -> None:
    """Check that a hook's messages go only to the server's log if there is no client, for example under `--explain`."""

    async def before_get_pet(arguments: Any) -> None:
        context.progress(1, 2, "half")
        context.log("alert", "Stale.")

    asyncio.run(Hooks({"before_get_pet": before_get_pet}, ["get-pet"]).before("get-pet", {}, budget()))
    [line] = logged
    assert (line["level"], line["message"]) == ("error", "Stale.")
