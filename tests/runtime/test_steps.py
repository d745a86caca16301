"""Test the plan of a call: its steps, their order, and the modules of wings that bring them."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
from package.runtime.calls import steps
from package.runtime.calls.execution import ToolExecutor
from package.runtime.calls.hook_loading import NoHooks
from package.runtime.calls.plain_call import sentence
from package.runtime.core.effects import Dialogue
from package.runtime.hooks.hook_runner import Hooks
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog

GET: dict[str, Any] = {"method": "GET", "path": ["/pets"]}
ORDER = [name for name, *_ in (*steps.STEPS, *steps.AFTER, *steps.LAST)]
"""Names of all steps. A name may stand several times in a row."""

BEFORE = (
    ("capabilities", "arguments"),
    ("questions", "arguments"),
    ("hooks before", "arguments"),
    ("arguments", "names"),
    ("names", "request"),
    ("arguments", "request"),
    ("request", "file"),
    ("request", "hooks of the request"),
    ("hooks of the request", "credentials"),
    ("stored logins", "credentials"),
    ("credentials", "login of the caller"),
    ("credentials", "consent"),
    ("shown arguments", "hooks before"),
    ("arguments", "consent"),
    ("consent", "send"),
    ("hooks of the request", "end of the questions of hooks"),
    ("end of the questions of hooks", "send"),
    ("send", "pages"),
    ("pages", "answer for workflows"),
    ("answer for workflows", "result"),
    ("pages", "result"),
    ("result", "found items"),
    ("found items", "hooks after"),
    ("hooks after", "redaction"),
    ("redaction", "output schema"),
)
"""Pairs of steps whose order matters."""


def made(binding: dict[str, Any], hooks: object = None, **tool: Any) -> list[str]:
    """Return the names of the steps that a tool with this binding has."""

    async def main() -> list[str]:
        catalog: Any = Catalog({"it": {"binding": {**GET, **binding}, **tool}})
        caller = ToolExecutor(catalog, settings.load(catalog, {}, "http://127.0.0.1:9"))
        try:
            if hooks is not None:
                caller.services.preparation.hooks = hooks  # type: ignore[assignment]
            found = caller.services.catalog.tool("it")
            rows = (*steps.STEPS, *steps.AFTER, *steps.LAST)
            return [name for name, _ in steps._made(rows, caller.services, found)]
        finally:
            await caller.close()

    return asyncio.run(main())


@pytest.mark.parametrize(("first", "then"), BEFORE, ids=[" before ".join(pair) for pair in BEFORE])
def test_steps_stand_in_the_order_that_keeps_calls_safe(first: str, then: str) -> None:
    last = max(number for number, name in enumerate(ORDER) if name == first)
    assert last < ORDER.index(then)


def test_only_the_check_of_the_output_and_the_view_follow_the_redaction() -> None:
    assert [name for name, *_ in steps.LAST] == ["redaction", "output schema", "view"]


def test_rows_of_one_name_stand_together() -> None:
    changes = [name for name, after in pairwise([*ORDER, ""]) if name != after]
    assert len(changes) == len(set(changes))


@pytest.mark.parametrize("row", [*steps.STEPS, *steps.AFTER, *steps.LAST], ids=lambda row: row[0])
def test_each_step_is_there(row: Any) -> None:
    if isinstance(row[2], tuple):
        module, function = row[2]
        assert callable(getattr(import_module(module, "package.runtime.calls"), function))


def test_a_plain_tool_has_plain_steps_and_loads_no_wing() -> None:
    wings = [name for name in sys.modules if name.startswith("package.runtime.")]
    assert made({}) == ["arguments", "request", "credentials", "send", "result", "redaction"]
    assert [name for name in sys.modules if name.startswith("package.runtime.") and name not in wings] == []


@pytest.mark.parametrize(
    ("binding", "brought"),
    [
        ({"requires": ["roots"]}, ["capabilities"]),
        ({"confirm": "always"}, ["shown arguments", "consent"]),
        ({"ask": []}, ["questions"]),
        ({"lookups": []}, ["names", "found items"]),
        ({"pages": {"items": ""}}, ["pages"]),
        ({"task": {"poll": {"header": "location"}}}, ["task"]),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_a_binding_brings_its_steps(binding: dict[str, Any], brought: list[str]) -> None:
    plain = ["arguments", "request", "credentials", "send", "result", "redaction"]
    assert [name for name in made(binding) if name not in plain] == brought


def test_a_hooks_file_that_does_not_load_forbids_each_call() -> None:
    assert made({}, NoHooks("it is broken"))[:2] == ["hooks before", "arguments"]


def test_hooks_bring_their_steps() -> None:
    hooks = Hooks({"before_it": print, "after_all": print}, ["it"])
    brought = [
        "questions of hooks",
        "hooks before",
        "hooks of the request",
        "end of the questions of hooks",
        "hooks after",
    ]
    assert [name for name in made({}, hooks) if "hooks" in name] == brought


def test_a_hook_in_place_of_the_request_leaves_no_request() -> None:
    hooks = Hooks({"instead_of_it": print}, ["it"])
    assert made({}, hooks) == ["questions of hooks", "hooks before", "arguments", "send", "redaction"]


def test_an_output_schema_brings_its_step() -> None:
    assert made({}, output_schema={"type": "object"})[-2:] == ["redaction", "output schema"]


@pytest.mark.parametrize(("key", "value"), [("reads", True), ("follows", True)])
def test_tools_of_the_server_itself_send_no_request(key: str, value: object) -> None:
    assert made({key: value}) in (["arguments", "send", "redaction"], ["task", "arguments", "send", "redaction"])


def test_a_plan_is_made_once_and_says_why_a_call_was_not_made() -> None:
    async def main() -> None:
        catalog: Any = Catalog({"it": {"binding": {**GET, "timeout": 7}}})
        caller = ToolExecutor(catalog, settings.load(catalog, {"PETSTORE_TIMEOUT": "never"}))
        found = caller.plan("it")
        assert caller.plan("it") is found
        assert (found.budget().total, found.budget().setting) == (7, "`timeout` of it")
        assert found.refusal is sentence
        result = await caller.call("it", {}, lambda phase: None, Dialogue("", ""))
        assert str(result).startswith("it was not called. ")
        await caller.close()

    asyncio.run(main())
