"""Test criteria of workflows with tables: simple conditions, patterns and JSONPath."""

from __future__ import annotations

import pytest
from package.runtime.workflows.criteria import holds, problem
from package.runtime.workflows.expressions import Response, Scope


def scope() -> Scope:
    found = Scope(
        {
            "min": 3,
            "text": "Hello",
            "quote": "it's",
            "number": "10",
            "pattern": "a|b",
            "evil": "' || 'a'=='a",
            "no": False,
        }
    )
    found.steps = {"one": {"id": 5, "ok": True, "none": None, "empty": "", "zero": 0, "list": [], "big": "9" * 300}}
    found.response = Response(
        201,
        [("X-Rate-Limit", "10"), ("Location", "/a")],
        {
            "status": "AVAILABLE",
            "count": 3,
            "items": [{"id": 1, "n": "x"}, {"id": 2}],
            "ok": True,
            "a-b": 1,
            "nested": {"list": [1, [2]]},
        },
    )
    return found


SIMPLE = {
    True: [
        "$statusCode == 201",
        "$statusCode==201",
        "$statusCode == '201'",
        "$statusCode >= 200 && $statusCode < 300",
        "$statusCode>=200&&$statusCode<300",
        "$statusCode == 200 || $statusCode == 201",
        "$statusCode != 404",
        "!($statusCode == 404)",
        "!false",
        "!!true",
        "! $steps.one.outputs.none",
        "$response.body#/status == 'available'",
        "$response.body#/status == 'AVAILABLE'",
        '$response.body#/status == "available"',
        "'available' == $response.body.status",
        "$response.body#/count == 3",
        "$response.body#/count == 3.0",
        "$response.body#/count == 0.3e1",
        "$response.body#/count > $inputs.min || $response.body#/count == $inputs.min",
        "$response.body#/items/1/id == 2",
        "$response.body.items[1].id == 2",
        "$response.body#/ok == true",
        "$response.body#/ok",
        "$response.body#/missing == null",
        "null == null",
        "$steps.none.outputs.id == null",
        "$steps.one.outputs.none == null",
        "$response.body#/count != null",
        "$response.header.x-rate-limit > 9",
        "$response.header.X-Rate-Limit == 10",
        "$response.header.X-Rate-Limit == $inputs.number",
        "$response.header.X-Rate-Limit >= '9'",
        "$response.header.Location=='/a'",
        "$inputs.quote == 'it''s'",
        "$inputs.text == 'hello'",
        "$inputs.text >= 'hellO'",
        "'b' > 'A'",
        "$response.body#/a-b == 1",
        "($statusCode == 1 || true) && ($response.body#/ok)",
        "$statusCode == 1 && false || true",
        "true || $statusCode == 1 && false",
        "$steps.one.outputs.list",
        "$response.body#/nested/list/1 == $response.body.nested.list[1]",
        "{$statusCode} == 201",
        " $statusCode\t==\n201 ",
        "-1 < 0",
        "1e2 == 100",
        "$inputs.no != true",
    ],
    False: [
        "$statusCode == 200",
        "$response.body#/ok == 'true'",
        "$response.body#/ok == 1",
        "null == 0",
        "null == false",
        "null == ''",
        "null < 5",
        "null >= null",
        "true > false",
        "$response.body#/missing",
        "$steps.one.outputs.none",
        "$steps.one.outputs.empty",
        "$steps.one.outputs.zero",
        "$steps.one.outputs.id == '5x'",
        "$steps.one.outputs.id > 'a'",
        "$steps.one.outputs.big == 5",
        "$response.body#/items == 2",
        "$response.body#/items < 2",
        "'1.0' == '1'",
        "$inputs.no",
        "false",
        "null",
        "0",
        "''",
        "!$response.body#/ok",
        "($statusCode == 201) && !true",
    ],
}

FAULTY = [
    "",
    " ",
    "$statusCode =",
    "$statusCode = 200",
    "$statusCode == ",
    "== 200",
    "$statusCode === 200",
    "$statusCode == 200 &&",
    "$statusCode == 200 and true",
    "($statusCode == 200",
    "$statusCode == 200)",
    "$statusCode == available",
    "$statusCode == 'open",
    "$statuscode == 200",
    "$response.bdy == 1",
    "$statusCode == 200 200",
    "1 == 1 == 1",
    "01 == 1",
    "$inputs.a % 2 == 0",
    "!" * 5,
    "(" * 40 + "true" + ")" * 40,
    "true" + " || true" * 400,
    "1" * 41,
]


@pytest.mark.parametrize(("value", "condition"), [(value, each) for value, some in SIMPLE.items() for each in some])
def test_a_simple_condition(value: bool, condition: str) -> None:
    assert problem("simple", condition) == ""
    assert holds({"kind": "simple", "condition": condition}, scope()) is value


@pytest.mark.parametrize("condition", FAULTY)
def test_a_faulty_condition_fails_and_is_told(condition: str) -> None:
    assert problem("simple", condition)
    assert not holds({"kind": "simple", "condition": condition}, scope())


@pytest.mark.parametrize(
    ("kind", "context", "condition", "value"),
    [
        ("regex", "$statusCode", "^2\\d{2}$", True),
        ("regex", "$statusCode", "^20$", False),
        ("regex", "$response.body#/status", "AVAIL", True),
        ("regex", "$response.body#/status", "avail", False),
        ("regex", "$response.body#/status", "^(available|sold)$", False),
        ("regex", "$response.body#/ok", "^true$", True),
        ("regex", "$response.body#/items", '^\\[\\{"id":1,', True),
        ("regex", "$response.header.location", "^/{$inputs.pattern}$", True),
        ("regex", "$response.header.location", "^/({$inputs.missing})$", False),
        ("regex", "$response.body#/missing", ".*", False),
        ("regex", "$steps.one.outputs.none", ".*", False),
        ("regex", "$steps.one.outputs.big", "^(9+)+$", True),
        ("jsonpath", "$response.body", "$.items[*]", True),
        ("jsonpath", "$response.body", "$.items[?@.id > 1]", True),
        ("jsonpath", "$response.body", "$.items[?(@.n == '{$inputs.text}')]", False),
        ("jsonpath", "$response.body", "$.items[?@.id == {$inputs.min}]", False),
        ("jsonpath", "$response.body", "$.items[?@.id < {$inputs.min}]", True),
        ("jsonpath", "$response.body", "$.items[?@.n == '{$inputs.evil}']", False),
        ("jsonpath", "$response.body", '$.items[?@.n != "{$inputs.evil}"]', True),
        ("jsonpath", "$inputs", "$[?@ == '{$inputs.quote}']", True),
        ("jsonpath", "$inputs", '$[?@ == "{$inputs.quote}"]', True),
        ("jsonpath", "$response.body", "$.missing", False),
        ("jsonpath", "$response.body#/count", "$", True),
        ("jsonpath", "$steps.one.outputs.none", "$", False),
        ("jsonpath", "$response.body#/missing", "$", False),
        ("jsonpath", "$response.body", "$[?count(@.items) > 0]", False),
    ],
)  # fmt: skip
def test_patterns_and_paths(kind: str, context: str, condition: str, value: bool) -> None:
    assert problem(kind, condition) == ""
    assert holds({"kind": kind, "condition": condition, "context": context}, scope()) is value


@pytest.mark.parametrize(
    ("kind", "condition"),
    [
        ("regex", "("),
        ("regex", "(a)\\1"),
        ("regex", "(?=a)"),
        ("regex", "((a{1000}){1000}){100}"),
        ("regex", "a" * 3000),
        ("jsonpath", "items"),
        ("jsonpath", "$.items[(@.length-1)]"),
    ],
)
def test_what_never_can_be_evaluated_is_told(kind: str, condition: str) -> None:
    assert problem(kind, condition)
    assert not holds({"kind": kind, "condition": condition, "context": "$response.body"}, scope())
