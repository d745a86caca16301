"""Test the error messages about wrong arguments with a table of cases.

Caching, limits and the network have tests of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from package.runtime.core.catalog import Tool
from package.runtime.core.limits import Budget
from package.runtime.request import arguments as module
from package.runtime.request.argument_errors import Problem, report, shown
from package.runtime.request.arguments import Checker

from tests.runtime.parts import part

CHECKER = Checker()
NUMBERS = count()


def cases() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    groups = json.loads((Path(__file__).parent / "arguments.json").read_text())["groups"]
    for at, group in enumerate(groups):
        for number, case in enumerate(group["cases"]):
            yield f"{at}-{number}", group, case


def tool(schema: dict[str, Any], **binding: Any) -> Tool:
    return Tool(f"tool{next(NUMBERS)}", schema, part(binding))


@pytest.mark.parametrize(("group", "case"), [pytest.param(*each[1:], id=each[0]) for each in cases()])
def test_every_problem_is_worded(group: dict[str, Any], case: dict[str, Any]) -> None:
    subject = tool(group["schema"], open=group.get("open", False))
    assert [str(problem) for problem in CHECKER.check(subject, case["arguments"])] == case["problems"]


def test_the_report_is_one_text() -> None:
    one = [Problem("status", "is required")]
    assert (
        report(one, "update_pet") == "update_pet was not called: 1 problem with the arguments.\n- status: is required"
    )
    many = [Problem(f"a{index}", "is required") for index in range(23)]
    lines = report(many, "update_pet").split("\n")
    assert lines[0] == "update_pet was not called: 23 problems with the arguments."
    assert lines[1:] == [*(f"- a{index}: is required" for index in range(20)), "- and 3 more"]


def test_a_report_and_a_value_of_just_the_limit_are_not_cut() -> None:
    problems = [Problem(f"a{index}", "is required") for index in range(20)]
    assert len(report(problems, "update_pet").split("\n")) == 21
    assert shown("x" * 58) == f'"{"x" * 58}"'
    assert shown("x" * 59) == f'"{"x" * 59}…'
    assert shown([1, "é"]) == '[1,"é"]'
    assert shown({1, 2}) == '"set"'


def test_long_lists_of_names_and_values_are_cut() -> None:
    schema = {"type": "object", "properties": {f"name{index}": {"enum": list(range(300))} for index in range(40)}}
    [unknown, wrong] = CHECKER.check(tool(schema), {"zzz": 1, "name0": -1})
    assert str(unknown).endswith("name10, name11 and 28 more)")
    assert str(wrong) == f"name0: expected one of {', '.join(map(str, range(20)))} and 280 more; got -1"


def test_a_list_of_just_the_limit_is_not_cut() -> None:
    schema = {"type": "object", "properties": {f"name{index}": {"enum": list(range(20))} for index in range(12)}}
    [unknown, wrong] = CHECKER.check(tool(schema), {"zzz": 1, "name0": -1})
    assert str(unknown).endswith("name10, name11)")
    assert str(wrong) == f"name0: expected one of {', '.join(map(str, range(20)))}; got -1"


def test_a_validator_is_built_once_for_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    true = module._build

    def counted(schema: dict[str, Any], formats: Any) -> Any:
        built.append(schema)
        return true(schema, formats)

    monkeypatch.setattr(module, "_build", counted)
    monkeypatch.setattr(module, "MOST_VALIDATORS", 2)
    checker = Checker()
    tools = [tool({"type": "object", "properties": {"a": {"const": index}}}) for index in range(3)]
    for index in (0, 0, 1, 0, 2, 2, 0):
        assert not checker.check(tools[index], {"a": index})
    assert [schema["properties"]["a"]["const"] for schema in built] == [0, 1, 2, 0]


def test_no_reference_is_fetched() -> None:
    """Check that a `$ref` to a URL in an argument schema is not fetched (SPEC-19)."""
    schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}
    with pytest.raises(jsonschema_rs.ValidationError, match="not present in a registry"):
        Checker().check(tool(schema), {"a": 1})


def test_arguments_nested_as_deep_as_a_line_may_be_are_checked() -> None:
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    assert Checker().check(tool({"type": "object", "properties": {"a": {"type": "array"}}}), {"a": deep}) == []


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_a_pattern_runs_in_linear_time(pattern: str) -> None:
    subject = tool({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}})
    assert len(CHECKER.check(subject, {"a": "a" * 50_000 + "!"})) == 1


def test_hard_03_no_more_problems_are_looked_for_than_are_shown() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    found = CHECKER.check(tool(schema), {"a": ["x"] * 1000})
    assert (len(found), found.complete) == (20, False)
    lines = report(found, "add", found.complete).split("\n")
    assert lines[0] == "add was not called: at least 20 problems with the arguments."
    assert lines[-1] == "- and perhaps more, which were not looked for"
    steps = Budget(30, lambda: 0.0, steps=200)
    assert len(CHECKER.check(tool(schema), {"a": ["x"] * 100_000}, steps)) == 20


def test_hard_03_where_too_much_would_have_to_be_looked_at_the_argument_is_named() -> None:
    schema = {"type": "object", "properties": {"a": {"additionalProperties": {"type": "integer"}}, "b": {}}}
    value = {f"n{number}": number for number in range(1000)} | {"last": "x"}
    found = CHECKER.check(tool(schema), {"a": value, "b": 1}, Budget(30, lambda: 0.0, steps=100))
    assert [str(each) for each in found] == ["a: does not fit its schema, and holds too much to say where"]
    assert not found.complete


def test_hard_04_what_the_compiler_leaves_to_the_api_is_not_checked() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a$"}, "b": {"pattern": "^b$"}}}
    [found] = CHECKER.check(tool(schema, unchecked=["^a$"]), {"a": "x", "b": "x"})
    assert str(found) == 'b: expected text that matches ^b$; got "x"'
