"""Test that each mistake in hooks.py is reported before any call, by a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from package.runtime.hooks import Arguments, Refuse, Request, Result, hook_runner
from package.runtime.hooks.hook_runner import mistakes

TOOLS = ["get-pet", "list_pets", "a-b", "a_b"]


def none() -> None: ...
def one(value: Any) -> None: ...
def two(tool: str, value: Any) -> None: ...
def any_number(*values: Any) -> None: ...
def with_default(value: Any, more: int = 0) -> None: ...
def by_name(*, value: Any) -> None: ...
async def waiting(value: Any) -> None: ...


class Called:
    def __call__(self, value: Any) -> None: ...


def wants(name: str, count: str, names: str) -> list[str]:
    return [f"{name} must take {count}: {names}. (hooks.py)"]


@pytest.mark.parametrize(
    ("name", "function", "expected"),
    [
        ("before_get_pet", one, []),
        ("before_get_pet", waiting, []),
        ("before_get_pet", any_number, []),
        ("before_get_pet", with_default, []),
        ("before_get_pet", Called(), []),
        ("before_get_pet", dict, []),  # Python cannot distinguish these two mistakes
        ("before_get_pet", none, wants("before_get_pet", "one parameter", "arguments")),
        ("request_get_pet", two, wants("request_get_pet", "one parameter", "request")),
        ("instead_of_get_pet", by_name, wants("instead_of_get_pet", "one parameter", "arguments")),
        ("after_list_pets", two, wants("after_list_pets", "one parameter", "result")),
        ("before_all", two, []),
        ("before_all", one, wants("before_all", "two parameters", "tool, arguments")),
        ("request_all", one, wants("request_all", "two parameters", "tool, request")),
        ("after_all", none, wants("after_all", "two parameters", "tool, result")),
        ("before_get_pets", one, "before_get_pets is for no tool, so it is never called. Did you mean before_get_pet?"),
        ("before_get-pet", one, "before_get-pet is for no tool, so it is never called. Did you mean before_get_pet?"),
        (
            "before_everything",
            one,
            "before_everything is for no tool, so it is never called. Delete it if its tool was removed.",
        ),
        (
            "instead_of_all",
            one,
            "instead_of_all is for no tool, so it is never called. Delete it if its tool was removed.",
        ),
        ("befor_get_pet", one, "befor_get_pet is no hook, so it is never called. Did you mean before_get_pet?"),
        ("instead_get_pet", one, "instead_get_pet is no hook, so it is never called. Did you mean instead_of_get_pet?"),
        ("requests_all", two, "requests_all is no hook, so it is never called. Did you mean request_all?"),
        ("get_pet", none, []),
        ("beforehand", none, []),
        ("_before_get_pet", none, []),
        ("before_a_b", one, "before_a_b is called for a-b and a_b: both make this name."),
    ],
)
def test_mistakes(name: str, function: Callable[..., Any], expected: str | list[str]) -> None:
    assert mistakes({name: function}, TOOLS) == ([f"{expected} (hooks.py)"] if isinstance(expected, str) else expected)


def test_a_tool_that_has_this_hook_already_is_not_meant() -> None:
    hint = "Delete it if its tool was removed."
    own = {"after_get_pets": one, "after_get_pet": one}
    assert mistakes(own, TOOLS) == [f"after_get_pets is for no tool, so it is never called. {hint} (hooks.py)"]


def test_a_tool_with_a_name_that_is_only_somewhat_alike_is_not_meant() -> None:
    said = "after_renew_loan is for no tool, so it is never called. Delete it if its tool was removed. (hooks.py)"
    assert mistakes({"after_renew_loan": one}, ["end_loan", "list_loans"]) == [said]


def test_what_hooks_are_written_with_is_no_mistake() -> None:
    own = {"Arguments": Arguments, "Refuse": Refuse, "Request": Request, "Result": Result}
    assert mistakes(own, TOOLS) == []


def test_mistakes_are_reported_in_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    hooks = hook_runner.Hooks({"before_get_pets": one, "after_all": two}, TOOLS)
    assert capfd.readouterr().err == ""
    hooks.report()
    log = capfd.readouterr().err
    assert log.count("\n") == 1
    assert '"level":"warning","event":"hooks","reason":"before_get_pets is for no tool' in log
