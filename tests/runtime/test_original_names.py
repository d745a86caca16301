"""Test that calls may name arguments as the API does."""

from __future__ import annotations

from typing import Any, cast

import pytest
from package.runtime.request.arguments import originals, with_argument_names
from package.runtime.tables.table import Binding


def named(name: str, argument: str) -> dict[str, Any]:
    return {"name": name, "argument": argument, "style": "form", "explode": True}


BINDING = cast(
    Binding,
    {
        "path": ["/items/", named("编号", "bian_hao")],
        "query": [named("api-version", "api_version"), named("size", "size"), named("limit", "limit_query")],
        "headers": [
            named("limit", "limit_header"),
            {"name": "x", "value": "fixed", "style": "simple", "explode": False},
        ],
        "body": {"contentType": "a/b", "encoding": "json", "fields": [{"name": "编号", "argument": "bian_hao"}]},
    },
)
DECLARED: dict[str, Any] = {name: {} for name in ("bian_hao", "api_version", "size", "limit_query", "limit_header")}


def test_a_name_of_two_arguments_and_one_without_an_argument_are_no_original_names() -> None:
    assert originals(BINDING) == {"编号": "bian_hao", "api-version": "api_version"}
    assert originals(cast(Binding, {})) == {}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"编号": 1, "size": 2}, {"bian_hao": 1, "size": 2}),
        ({"编号": 1, "bian_hao": 2}, {"编号": 1, "bian_hao": 2}),
        ({"limit": 1, "x": 2}, {"limit": 1, "x": 2}),
        ({}, {}),
    ],
)
def test_an_original_name_becomes_the_name_of_its_argument(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert with_argument_names(BINDING, DECLARED, given) == expected
