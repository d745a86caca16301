"""What the user writes in hooks.py is found by name and called; where it fails, so does the call."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.hooks import HookFailed, Hooks
from package.runtime.shapes import Result

TOOLS = ["get-pet", "list_pets"]


def run(coroutine: Any) -> Any:
    return asyncio.run(coroutine)


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
    assert run(Hooks(found, TOOLS).before("get-pet", {"id": 1})) == {"id": 1, "seen": ["get-pet", "own"]}
    assert run(Hooks(found, TOOLS).before("list_pets", {})) == {"seen": ["list_pets"]}


@pytest.mark.parametrize("kind", [plain, waiting])
def test_after_hooks_change_results_in_turn(kind: Callable[..., Any]) -> None:
    found = {
        "after_get_pet": kind(lambda result: Result.text(result.content[0]["text"] + " own")),
        "after_all": kind(lambda tool, result: Result.error(result.content[0]["text"] + " " + tool)),
    }
    result = run(Hooks(found, TOOLS).after("get-pet", Result.text("first")))
    assert (result.content[0]["text"], result.is_error) == ("first own get-pet", True)


@pytest.mark.parametrize("kind", [plain, waiting])
def test_none_leaves_things_as_they_are(kind: Callable[..., Any]) -> None:
    nothing = kind(lambda *given: None)
    hooks = Hooks(
        {"before_all": nothing, "before_get_pet": nothing, "after_get_pet": nothing, "after_all": nothing}, TOOLS
    )
    result = Result.text("kept")
    assert run(hooks.before("get-pet", {"id": 1})) == {"id": 1}
    assert run(hooks.after("get-pet", result)) is result
    assert hooks.replacing("get-pet") == ""


@pytest.mark.parametrize(
    ("returned", "text"),
    [("text", "text"), ({"é": [1, None]}, '{"é": [1, null]}'), (None, "null"), (5, "5"), (Result.error("no"), "no")],
)
@pytest.mark.parametrize("kind", [plain, waiting])
def test_instead_of_answers_in_place_of_the_request(kind: Callable[..., Any], returned: Any, text: str) -> None:
    result = run(Hooks({"instead_of_get_pet": kind(lambda arguments: returned)}, TOOLS).instead("get-pet", {}))
    assert result.content == [{"type": "text", "text": text}]


def broken(*given: Any) -> Any:
    raise ValueError("secret text")


def leaving(*given: Any) -> Any:
    sys.exit("secret text")


@pytest.mark.parametrize("failing", [broken, leaving, waiting(broken)])
def test_a_hook_that_fails_fails_the_call_and_says_nothing_to_the_model(
    failing: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("before_all", "before_get_pet"):
        with pytest.raises(HookFailed, match=rf"^The hook {name} of this server failed\. Its log says where\.$"):
            run(Hooks({name: failing}, TOOLS).before("get-pet", {}))
    with pytest.raises(HookFailed, match="instead_of_get_pet"):
        run(Hooks({"instead_of_get_pet": failing}, TOOLS).instead("get-pet", {}))
    for name in ("after_all", "after_get_pet"):
        with pytest.raises(HookFailed, match=name):
            run(Hooks({name: failing}, TOOLS).after("get-pet", Result.text("")))
    log = capfd.readouterr().err
    assert log.count('"event":"hook_failed"') == 5
    assert "secret text" not in log
    assert '"at":"broken:' in log or '"at":"leaving:' in log


def takes_nothing() -> dict[str, Any]:
    return {}


def test_the_log_says_where_in_the_hook_or_that_it_takes_something_else(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(HookFailed):
        run(Hooks({"before_get_pet": takes_nothing}, TOOLS).before("get-pet", {}))
    assert '"at":"before_get_pet does not take 1 arguments"' in capfd.readouterr().err


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
        run(hooks.before("get-pet", {}) if name.startswith("before") else hooks.after("get-pet", Result.text("")))


def test_what_json_cannot_hold_is_no_result() -> None:
    with pytest.raises(HookFailed, match="returned what cannot be sent"):
        run(Hooks({"instead_of_get_pet": lambda arguments: {1, 2}}, TOOLS).instead("get-pet", {}))


def test_a_hook_for_no_tool_is_reported_once(capfd: pytest.CaptureFixture[str]) -> None:
    hooks = Hooks({"before_get_pets": broken, "helper": broken, "before_get_pet": plain, "after_all": plain}, TOOLS)
    assert hooks is not None
    log = capfd.readouterr().err
    assert log.count("hook_without_tool") == 1
    assert '"hook":"before_get_pets"' in log


def test_cancelling_reaches_a_hook() -> None:
    stopped = []

    async def slow(arguments: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    async def main() -> None:
        task = asyncio.ensure_future(Hooks({"before_get_pet": slow}, TOOLS).before("get-pet", {}))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert stopped == [True]


def test_the_users_file_begins_without_hooks() -> None:
    own = [name for name in vars(users_file) if not name.startswith("__")]
    assert own == []
    assert users_file.__doc__ is not None
    for kind in ("before_all", "before_TOOL", "instead_of_TOOL", "after_TOOL", "after_all"):
        assert kind in users_file.__doc__


def test_the_users_file_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "before_get_pet", lambda arguments: {"id": 2}, raising=False)
    assert run(Hooks.load(TOOLS).before("get-pet", {"id": 1})) == {"id": 2}


def test_a_users_file_that_does_not_load_fails_every_call(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "package.hooks", None)
    hooks = Hooks.load(TOOLS)
    with pytest.raises(HookFailed, match=r"^hooks\.py of this server could not be loaded\. Its log says why\.$"):
        run(hooks.before("get-pet", {}))
    assert "hooks_not_loaded" in capfd.readouterr().err
