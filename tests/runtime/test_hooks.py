"""Test hooks: they are found by name and called, and a call fails if its hook raises."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.calls import hook_loading
from package.runtime.core.limits import Budget
from package.runtime.core.wire_formats import Result
from package.runtime.hooks import Refuse, Request, hook_names, hook_runner
from package.runtime.hooks.hook_names import FOR_ALL
from package.runtime.hooks.hook_runner import Hooks
from package.runtime.request.argument_errors import HookFailed
from package.runtime.request.request import Request as Built

from tests.runtime.client_scene import Deadlines, turns

TOOLS = ["get-pet", "list_pets"]


def run(coroutine: Any) -> Any:
    return asyncio.run(coroutine)


def budget(seconds: float = 60) -> Budget:
    """Return a time budget whose clock stands still."""
    return Budget(seconds, lambda: 0.0)


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def waiting(function: Callable[..., Any]) -> Callable[..., Any]:
    async def waited(*given: Any) -> Any:
        await asyncio.sleep(0)
        return function(*given)

    return waited


@pytest.mark.parametrize("kind", [plain, waiting])
def test_before_hooks_change_arguments_in_turn(kind: Callable[..., Any]) -> None:
    found = {
        "before_all": kind(lambda tool, arguments: {**arguments, "seen": [tool]}),
        "before_get_pet": kind(lambda arguments: {**arguments, "seen": [*arguments["seen"], "own"]}),
    }
    assert run(Hooks(found, TOOLS).before("get-pet", {"id": 1}, budget())) == {"id": 1, "seen": ["get-pet", "own"]}
    assert run(Hooks(found, TOOLS).before("list_pets", {}, budget())) == {"seen": ["list_pets"]}


@pytest.mark.parametrize("kind", [plain, waiting])
def test_after_hooks_change_results_in_turn(kind: Callable[..., Any]) -> None:
    found = {
        "after_get_pet": kind(lambda result: Result.text(result.content[0]["text"] + " own")),
        "after_all": kind(lambda tool, result: Result.error(result.content[0]["text"] + " " + tool)),
    }
    result = run(Hooks(found, TOOLS).after("get-pet", Result.text("first"), budget()))
    assert (result.content[0]["text"], result.is_error) == ("first own get-pet", True)


@pytest.mark.parametrize("kind", [plain, waiting])
def test_none_leaves_things_as_they_are(kind: Callable[..., Any]) -> None:
    nothing = kind(lambda *given: None)
    hooks = Hooks(
        {"before_all": nothing, "before_get_pet": nothing, "after_get_pet": nothing, "after_all": nothing}, TOOLS
    )
    result = Result.text("kept")
    assert run(hooks.before("get-pet", {"id": 1}, budget())) == {"id": 1}
    assert run(hooks.after("get-pet", result, budget())) is result
    assert hooks.replacing("get-pet") == ""


@pytest.mark.parametrize(
    ("returned", "text"),
    [("text", "text"), ({"é": [1, None]}, '{"é": [1, null]}'), (None, "null"), (5, "5"), (Result.error("no"), "no")],
)
@pytest.mark.parametrize("kind", [plain, waiting])
def test_instead_of_answers_in_place_of_the_request(kind: Callable[..., Any], returned: Any, text: str) -> None:
    result = run(
        Hooks({"instead_of_get_pet": kind(lambda arguments: returned)}, TOOLS).instead("get-pet", {}, budget())
    )
    assert result.content == [{"type": "text", "text": text}]


def broken(*given: Any) -> Any:
    raise ValueError("secret text")


def leaving(*given: Any) -> Any:
    sys.exit("secret text")


class Own(BaseException):
    """A class that a user might define in hooks.py."""


def raising(kind: type[BaseException]) -> Callable[..., Any]:
    def raises(*given: Any) -> Any:
        raise kind("secret text")

    return raises


BASE = [KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, StopIteration, Own]


@pytest.mark.parametrize(
    "failing",
    [broken, leaving, waiting(broken), *map(raising, BASE), *(waiting(raising(kind)) for kind in BASE)],
)
def test_a_hook_that_fails_fails_the_call_and_says_nothing_to_the_model(
    failing: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("before_all", "before_get_pet"):
        with pytest.raises(HookFailed, match=rf"^The hook {name} of this server failed\. Its log says where\.$"):
            run(Hooks({name: failing}, TOOLS).before("get-pet", {}, budget()))
    with pytest.raises(HookFailed, match="instead_of_get_pet"):
        run(Hooks({"instead_of_get_pet": failing}, TOOLS).instead("get-pet", {}, budget()))
    for name in ("after_all", "after_get_pet"):
        with pytest.raises(HookFailed, match=name):
            run(Hooks({name: failing}, TOOLS).after("get-pet", Result.text(""), budget()))
    log = capfd.readouterr().err
    assert log.count('"event":"hook_failed"') == 5
    assert "secret text" not in log
    assert '"at":"broken:' in log or '"at":"leaving:' in log or '"at":"raises:' in log


def takes_nothing() -> dict[str, Any]:
    return {}


def test_the_log_says_where_in_the_hook_or_that_it_takes_something_else(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(HookFailed):
        run(Hooks({"before_get_pet": takes_nothing}, TOOLS).before("get-pet", {}, budget()))
    assert '"at":"before_get_pet does not take 1 argument"' in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "returned", "expected"),
    [
        ("before_all", [], "dict"),
        ("before_get_pet", "x", "dict"),
        ("after_all", "x", "Result"),
        ("after_get_pet", {}, "Result"),
    ],
)
def test_a_hook_that_returns_something_else_fails_the_call(name: str, returned: Any, expected: str) -> None:
    hooks = Hooks({name: lambda *given: returned}, TOOLS)
    with pytest.raises(
        HookFailed, match=f"The hook {name} of this server returned something else than {expected} or None"
    ):
        run(
            hooks.before("get-pet", {}, budget())
            if name.startswith("before")
            else hooks.after("get-pet", Result.text(""), budget())
        )


def test_what_json_cannot_hold_is_no_result() -> None:
    with pytest.raises(HookFailed, match="returned what cannot be sent"):
        run(Hooks({"instead_of_get_pet": lambda arguments: {1, 2}}, TOOLS).instead("get-pet", {}, budget()))


def test_cancelling_reaches_a_hook() -> None:
    stopped = []

    async def slow(arguments: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    async def main() -> None:
        task = asyncio.ensure_future(Hooks({"before_get_pet": slow}, TOOLS).before("get-pet", {}, budget()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert stopped == [True]


def test_what_a_hook_waited_for_and_was_cancelled_is_its_failure() -> None:
    async def waits(arguments: Any) -> None:
        other = asyncio.get_running_loop().create_future()
        other.cancel()
        await other

    with pytest.raises(HookFailed, match=r"before_get_pet of this server failed\."):
        run(Hooks({"before_get_pet": waits}, TOOLS).before("get-pet", {}, budget()))


def test_the_users_file_begins_without_hooks() -> None:
    own = [name for name in vars(users_file) if not name.startswith("__")]
    assert own == []
    assert users_file.__doc__ is not None
    for name in (*(f"{kind}TOOL" for kind in hook_names.PARAMETERS), *FOR_ALL):
        assert f"    {name}(" in users_file.__doc__


def test_the_users_file_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "before_get_pet", lambda arguments: {"id": 2}, raising=False)
    hooks = hook_loading.load(TOOLS)
    assert isinstance(hooks, Hooks)
    assert run(hooks.before("get-pet", {"id": 1}, budget())) == {"id": 2}


def test_a_file_without_hooks_is_not_asked() -> None:
    assert [Hooks(own, TOOLS).idle for own in ({}, {"mine": print}, {"request_all": print})] == [True, True, False]


def test_a_users_file_that_does_not_load_fails_every_call(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "package.hooks", None)
    hooks = hook_loading.load(TOOLS)
    assert not hooks.idle
    with pytest.raises(HookFailed, match=r"^hooks\.py of this server could not be loaded\. Its log says why\.$"):
        hook_loading.refuse()(None)
    hooks.report()
    assert hooks.mistakes == ["hooks.py could not be loaded: ModuleNotFoundError (package.hooks)."]
    assert '"level":"error","event":"hooks","reason":"hooks.py could not be loaded' in capfd.readouterr().err


def built() -> Built:
    made = Built("GET", "/pets/7")
    made.headers = [("Accept", "*/*")]
    return made


@pytest.mark.parametrize("kind", [plain, waiting])
def test_request_hooks_change_the_request_in_turn_the_one_for_all_last(kind: Callable[..., Any]) -> None:
    found = {
        "request_all": kind(lambda tool, request: request.with_header("X-Of", f"{tool} {request.header('x-own')}")),
        "request_get_pet": kind(lambda request: request.with_header("X-Own", "1")),
        "request_list_pets": kind(lambda request: None),
    }
    made = run(Hooks(found, TOOLS).request("get-pet", built(), budget()))
    assert made.headers == [("Accept", "*/*"), ("X-Own", "1"), ("X-Of", "get-pet 1")]
    made = run(Hooks(found, TOOLS).request("list_pets", built(), budget()))
    assert made.headers == [("Accept", "*/*"), ("X-Of", "list_pets None")]


def test_a_request_nobody_changes_is_the_same_object() -> None:
    request = built()
    assert run(Hooks({}, TOOLS).request("get-pet", request, budget())) is request
    assert run(Hooks({"request_all": lambda tool, seen: None}, TOOLS).request("x", request, budget())) is request


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ({}, "returned something else than Request or None"),
        (Request("POST", ("pets",)), "made a request that cannot be sent: the method of a request stays what it is"),
    ],
)
def test_a_request_that_cannot_be_sent_fails_the_call(returned: Any, words: str) -> None:
    hooks = Hooks({"request_get_pet": lambda request: returned}, TOOLS)
    with pytest.raises(HookFailed, match=f"The hook request_get_pet of this server {words}"):
        run(hooks.request("get-pet", built(), budget()))


def refusing(*given: Any) -> Any:
    raise Refuse("Not on Sundays.")


@pytest.mark.parametrize("failing", [refusing, waiting(refusing)])
def test_a_refusal_is_not_a_failure(failing: Callable[..., Any], capfd: pytest.CaptureFixture[str]) -> None:
    hooks = Hooks({f"{kind}get_pet": failing for kind in hook_names.PARAMETERS}, TOOLS)
    for refused in (
        hooks.before("get-pet", {}, budget()),
        hooks.request("get-pet", built(), budget()),
        hooks.instead("get-pet", {}, budget()),
    ):
        with pytest.raises(Refuse, match="Sundays"):
            run(refused)
    log = capfd.readouterr().err
    assert (log.count("hook_refused"), log.count("hook_failed"), log.count("Sundays")) == (3, 0, 0)


def test_a_result_that_is_refused_is_withheld_and_the_hook_for_all_sees_that() -> None:
    seen: list[str] = []
    found = {"after_get_pet": refusing, "after_all": lambda tool, result: seen.append(str(result))}
    result = run(Hooks(found, TOOLS).after("get-pet", Result.text("private"), budget(), "It was done."))
    assert (str(result), result.is_error) == ("The result of get-pet is withheld. Not on Sundays. It was done.", True)
    assert seen == [str(result)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "A rule of this server does not allow it."),
        ("a\nb\x1b[2J", "a b[2J"),
        ("x" * 501, "x" * 500 + "\u2026"),
    ],
)
def test_what_a_refusal_says_is_one_line_of_bounded_length(words: str, told: str) -> None:
    assert hook_runner.refusal(Refuse(words)) == told


def test_a_tool_called_all_has_no_hooks_but_the_one_in_its_place() -> None:
    calls: list[tuple[Any, ...]] = []
    found = {
        "before_all": lambda *given: calls.append(given),
        "after_all": lambda *given: calls.append(given),
        "instead_of_all": lambda arguments: "own",
    }
    hooks = Hooks(found, ["all"])
    run(hooks.before("all", {"x": 1}, budget()))
    result = run(hooks.instead("all", {}, budget()))
    run(hooks.after("all", result, budget()))
    assert calls == [("all", {"x": 1}), ("all", result)]
    assert hooks.mistakes == []


def test_two_tools_may_share_a_hook() -> None:
    hooks = Hooks({"before_a_b": lambda arguments: {"x": 1}}, ["a-b", "a_b"])
    assert run(hooks.before("a-b", {}, budget())) == run(hooks.before("a_b", {}, budget())) == {"x": 1}


class TestWaiting:
    def test_plain_hooks_of_two_calls_run_at_once(self) -> None:
        both = threading.Barrier(2, timeout=120)

        def meeting(arguments: Any) -> None:
            both.wait()

        async def main() -> None:
            hooks = Hooks({"before_get_pet": meeting}, TOOLS)
            await asyncio.gather(*(hooks.before("get-pet", {}, budget()) for _ in range(2)))

        run(main())

    @pytest.mark.parametrize("kind", ["async", "plain"])
    @pytest.mark.parametrize("stage", ["before", "request", "instead", "after"])
    def test_one_that_hangs_ends_with_the_call_and_is_named(
        self, kind: str, stage: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        release = threading.Event()

        async def forever(*given: Any) -> None:
            await asyncio.Event().wait()

        name = {"instead": "instead_of_get_pet"}.get(stage, f"{stage}_get_pet")
        hooks = Hooks({name: forever if kind == "async" else lambda *given: release.wait(60)}, TOOLS)
        given: Any = {"request": built(), "after": Result.text("x")}.get(stage, {})

        async def main() -> None:
            deadlines = Deadlines(monkeypatch)
            calling = asyncio.ensure_future(getattr(hooks, stage)("get-pet", given, budget(7)))
            await turns()
            assert deadlines.seconds == [7]
            deadlines.pass_now()
            with pytest.raises(
                HookFailed, match=f"^The hook {name} of this server did not end within the 7 seconds of"
            ):
                await calling
            release.set()

        run(main())
        line = capfd.readouterr().err
        assert f'"hook":"{name}","error":"TimeoutError"' in line
        assert ('"at":""' if kind == "plain" else '"at":"forever:') in line

    def test_what_hooks_take_is_taken_off_and_those_after_a_call_have_a_second(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [100.0]
        shared = Budget(10, lambda: now[0])

        def busy(*given: Any) -> None:
            now[0] += 6

        async def main() -> None:
            deadlines = Deadlines(monkeypatch)
            hooks = Hooks(dict.fromkeys(("before_all", "request_all", "after_get_pet", "after_all"), busy), TOOLS)
            await hooks.before("get-pet", {}, shared)
            with shared as left:
                assert left == 4
                now[0] += 1.5
            await hooks.request("get-pet", built(), shared)
            await hooks.after("get-pet", Result.text(""), shared)
            assert deadlines.seconds == [10, 2.5, 1, 1]

        run(main())

    def test_its_own_time_out_is_a_failure_like_any_other(self) -> None:
        async def late(arguments: Any) -> None:
            raise TimeoutError

        with pytest.raises(HookFailed, match="before_get_pet of this server failed"):
            run(Hooks({"before_get_pet": late}, TOOLS).before("get-pet", {}, budget()))
