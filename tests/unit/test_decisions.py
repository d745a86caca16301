"""Test that each key which tools and overrides have in common is read, and that an override of it replaces it."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.model.curation import UNDECIDED
from mcpgen.read.toolsfile import decisions, schema_check

ELSEWHERE = {"arguments", "body", "security", "description"}
"""Keys that mean one thing in a tool, and another in an override."""

VALUES: dict[str, tuple[Any, Any]] = {
    "aliases": (["old"], ["older"]),
    "annotations": ({"readOnlyHint": True}, {"readOnlyHint": False}),
    "ask": ("missing", [{"name": "why", "message": "Why?", "form": {"reason": "string"}}]),
    "confirm": ("always", "never"),
    "consent": ("once", "each"),
    "fields": (True, False),
    "listed": (False, True),
    "lookups": (True, False),
    "name": ("one", "two"),
    "output": ("structured", "text"),
    "outputSchema": ({"type": "object"}, {"type": "object", "required": ["a"]}),
    "pages": ("all", "one"),
    "portable": (False, True),
    "redirects": ("follow", "tell"),
    "requires": (["roots"], ["sampling"]),
    "result": ({"select": "/a"}, {"select": "/b"}),
    "roles": (["admin"], []),
    "scopes": (["read"], []),
    "task": ({"poll": "GET /a"}, {"poll": "GET /b"}),
    "timeout": (5, 0.5),
    "title": ("One", "Two"),
    "view": ({"kind": "card"}, {"kind": "none"}),
}
"""Key → two values of it."""


def test_no_key_is_missing_here() -> None:
    shared = {*schema_check.keys("tool")} & {*schema_check.keys("override")}
    assert VALUES.keys() == shared - ELSEWHERE


@pytest.mark.parametrize("key", VALUES)
def test_a_key_is_a_decision_that_an_override_replaces(key: str) -> None:
    found, where = Diagnostics(), Where("tools.yaml")
    first, second = (decisions.read({key: value}, where, found) for value in VALUES[key])
    assert UNDECIDED not in (first, second)
    assert first != second
    assert first.over(UNDECIDED) == UNDECIDED.over(first) == first
    merged = key == "aliases"
    assert (second.over(first) == second) is not merged
    assert not found


def test_a_value_that_the_schema_refuses_is_no_decision() -> None:
    wrong: dict[str, Any] = {
        "timeout": 0,
        "view": {"kind": "map"},
        "pages": "some",
        "requires": ["wings"],
        "listed": "no",
    }
    assert decisions.read(wrong, Where("tools.yaml"), Diagnostics()) == UNDECIDED
