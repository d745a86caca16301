"""Test HARD-16: a small document that expands to a very large one compiles within seconds, or its budget ends it.

Each row ends with the place that the error names, or "" if the document compiles.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hostile.fuzz.documents.compiling import import_all, problem_of, run
from tests.hostile.fuzz.documents.frame import Schema, ref, within
from tests.hostile.fuzz.documents.grammar import Hostile

SECONDS = 5
"""Limit on CPU seconds. Each row takes less than one second; before the compiler had budgets, each took eight or more.
"""
SECONDS_OF_SCHEMES = 20
"""Limit on CPU seconds for thousands of security schemes. Each row takes two to four, and far more if each pair of
schemes is compared.
"""

SPENT = "/a was skipped: Its schemas are too complex: reading them takes more than 300,000 steps"


def mutual(keyword: str, count: int) -> dict[str, Schema]:
    """Return schemas that are each a union of all of them."""
    return {
        f"S{one}": {
            "type": "object",
            keyword: [ref(f"S{other}") for other in range(count) if other != one],
            "properties": {f"p{one}": ref(f"S{(one + 1) % count}")},
        }
        for one in range(count)
    }


def ladder(keyword: str, rungs: int) -> dict[str, Schema]:
    """Return schemas, each with two references to the next one: directly, and within `allOf`.

    So each schema doubles the number of paths.
    """
    steps = {
        f"S{rung}": within(keyword, [ref(f"S{rung + 1}"), {"allOf": [ref(f"S{rung + 1}"), {"title": "x"}]}])
        for rung in range(rungs)
    }
    return {**steps, f"S{rungs}": {"type": "string"}}


def consts(count: int) -> dict[str, Schema]:
    return {"S0": {"anyOf": [{"const": f"v{number}"} for number in range(count)]}}


ROWS: dict[str, tuple[dict[str, Schema], tuple[str, ...], str]] = {
    "12 schemas, each all of the others": (mutual("allOf", 12), (), ""),
    "12 schemas, each one of the others": (mutual("oneOf", 12), ("--structured",), SPENT),
    "50,000 constants": (consts(50_000), (), SPENT),
    "10,000 constants": (consts(10_000), (), ""),
    "1,000 constants": (consts(1000), (), ""),
    "a ladder of unions": (ladder("anyOf", 60), ("--structured",), ""),
    "a ladder of unions in full": (ladder("anyOf", 60), ("--schema-profile", "full"), ""),
    "a ladder of objects": (ladder("properties", 60), ("--structured",), ""),
}


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    import_all()


@pytest.mark.parametrize("row", ROWS)
def test_hard_16_a_small_document_ends_within_its_budget(row: str) -> None:
    schemas, flags, told = ROWS[row]
    content = {"application/json": {"schema": ref("S0")}}
    operation = {"requestBody": {"content": content}, "responses": {"200": {"description": "x", "content": content}}}
    document: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}
    document["paths"] = {"/a": {"post": operation}, "/well": {"get": {"responses": {}}}}
    document["components"] = {"schemas": schemas}
    case = Hostile(row, json.dumps(document).encode())
    ended = run(case, ("generate", case.name, "-o", "out", *flags), SECONDS)
    assert (ended.code, problem_of(ended)) == (0, ""), ended.said
    assert ("[too-complex]" in ended.said) == bool(told), ended.said
    assert told in ended.said


KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}
MACHINE = {
    "type": "oauth2",
    "flows": {"clientCredentials": {"tokenUrl": "https://login.example/t", "scopes": {}}},
}
REQUIREMENTS: dict[str, tuple[dict[str, Any], list[dict[str, list[str]]]]] = {
    "12,000 alternatives": (KEY, [{f"s{number}": []} for number in range(12_000)]),
    "40 schemes together, each filled in two ways": (MACHINE, [{f"s{number}": [] for number in range(40)}]),
}


@pytest.mark.parametrize("row", REQUIREMENTS)
def test_hard_16_credentials_of_many_ways_are_told_within_the_budget(row: str) -> None:
    scheme, security = REQUIREMENTS[row]
    document: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}
    document["paths"] = {"/a": {"get": {"security": security, "responses": {}}}}
    names = [name for requirement in security for name in requirement]
    document["components"] = {"securitySchemes": dict.fromkeys(names, scheme)}
    case = Hostile(row, json.dumps(document).encode())
    for arguments in ("generate", case.name, "-o", "out"), ("diff", case.name, case.name):
        ended = run(case, arguments, SECONDS_OF_SCHEMES)
        assert (ended.code, problem_of(ended)) == (0, ""), ended.said
