"""Test arguments that a model sends as JSON text instead of a value, with a table of cases and by calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.budget import Budget, Exhausted
from package.runtime.request.json_arguments import read

TABLE = json.loads((Path(__file__).parent / "json_arguments.json").read_text())


def cases() -> Iterator[tuple[dict[str, Any], Any, Any]]:
    for group in TABLE["groups"]:
        for came, taken in group["cases"]:
            yield group["schema"], came, taken


@pytest.mark.parametrize(("schema", "came", "taken"), [*cases()])
def test_a_text_is_taken_for_the_value_that_it_writes(schema: dict[str, Any], came: Any, taken: Any) -> None:
    whole = {"properties": {"a": schema}, "$defs": TABLE["definitions"]}
    found, names = read(whole, {"a": came, "other": "5"}, Budget(30, lambda: 0.0))
    meant = came if taken is None else taken
    assert json.dumps(found) == json.dumps({"a": meant, "other": "5"})
    assert names == ([] if taken is None else ["a"])


@pytest.mark.parametrize("value", [["1"] * 1000, {f"n{number}": "1" for number in range(1000)}, "[" * 200_000])
def test_hard_03_the_work_is_counted(value: Any) -> None:
    schema = {"type": "array", "items": {"type": "integer"}, "additionalProperties": {"type": "integer"}}
    with pytest.raises(Exhausted):
        read({"properties": {"a": schema}}, {"a": value}, Budget(30, lambda: 0.0, steps=500))
