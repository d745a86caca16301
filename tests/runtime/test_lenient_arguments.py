"""Test arguments that a client writes otherwise than the schema: as JSON text, as null, with members of the host."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.limits import Budget, Exhausted
from package.runtime.request.arguments import read_leniently, without_host_members

TABLE = json.loads((Path(__file__).parent / "lenient_arguments.json").read_text())


def cases() -> Iterator[tuple[dict[str, Any], Any, Any]]:
    for group in TABLE["groups"]:
        for came, taken in group["cases"]:
            yield group["schema"], came, taken


@pytest.mark.parametrize(("schema", "came", "taken"), [*cases()])
def test_a_text_is_taken_for_the_value_that_it_writes(schema: dict[str, Any], came: Any, taken: Any) -> None:
    whole = {"properties": {"a": schema}, "$defs": TABLE["definitions"]}
    found, names = read_leniently(whole, {"a": came, "other": "5"}, Budget(30, lambda: 0.0))
    meant = came if taken is None else taken
    assert json.dumps(found) == json.dumps({"a": meant, "other": "5"})
    assert names == ([] if taken is None else ["a"])


@pytest.mark.parametrize("group", TABLE["left_out"], ids=lambda group: str(group["about"]))
def test_null_and_empty_texts_may_count_as_not_given(group: dict[str, Any]) -> None:
    schema = {"type": "object", "$defs": TABLE["definitions"], **group}
    for came, taken in group["cases"]:
        found, _ = read_leniently(schema, came, Budget(30, lambda: 0.0), group.get("nullable", ()))
        assert json.dumps(found) == json.dumps(taken)


@pytest.mark.parametrize(
    ("came", "left"),
    [
        (
            {"toolCallId": "c", "sessionId": "s", "action": "a", "chatInput": "i", "task_progress": "- [ ]", "id": 1},
            ["id"],
        ),
        ({"sessionId": "s", "action": "a", "chatInput": "i"}, ["sessionId", "action", "chatInput"]),
        ({"tool_call": 1, "mine": 2, "toolcallid": 3}, ["tool_call", "toolcallid"]),
    ],
)
def test_members_of_hosts_are_left_out(came: dict[str, Any], left: list[str]) -> None:
    assert [*without_host_members(came, (), frozenset(["mine"]))[0]] == left
    assert without_host_members(came, came, frozenset(["mine"])) == (came, [])


@pytest.mark.parametrize("value", [["1"] * 1000, {f"n{number}": "1" for number in range(1000)}, "[" * 200_000])
def test_hard_03_the_work_is_counted(value: Any) -> None:
    schema = {"type": "array", "items": {"type": "integer"}, "additionalProperties": {"type": "integer"}}
    with pytest.raises(Exhausted):
        read_leniently({"properties": {"a": schema}}, {"a": value}, Budget(30, lambda: 0.0, steps=500))
