"""Test runtime expressions of workflows, and the values built from them, with tables."""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.core.wire_formats import ABSENT
from package.runtime.workflows import expressions
from package.runtime.workflows.expressions import Request, Response, Scope, Unresolved, build, evaluate, parts


def scope() -> Scope:
    found = Scope(
        {
            "id": 7,
            "name": "Rex",
            "my.name": "dotted",
            "my.name.first": "longest",
            "none": None,
            "yes": True,
            "float": 1.5,
            "customer": {"uri": "u", "a/b": 1, "m~n": 2, "": 3, "x y": 4, "deep.er": {"z": [5, [6]]}},
            "tags": ["a", "b", {"c": "d"}],
            "$odd": "odd",
        }
    )
    found.steps = {"find-pet": {"id": 1, "pets": [{"id": 10}, {"id": 11}], "out.put": "o"}, "empty": {}}
    found.workflows = {"login": {"inputs": {"user": "u"}, "outputs": {"token": "t", "body": {"k": ["v"]}}}}
    found.outputs = {"order": {"id": 99}}
    found.response = Response(
        201,
        [("Content-Type", "application/json"), ("X-Rate-Limit", "10"), ("x-rate-limit", "11"), ("X.Dot#!", "t")],
        {"id": 5, "items": [{"name": "n", "*": "star"}], "data": {"count": 3}, "null": None},
    )
    found.request = Request(
        "POST",
        "https://api.example/pets/3?q=1",
        {"petId": "3"},
        {"q": "1", "page[size]#": 2},
        [("Accept", "a/b")],
        "raw",
    )
    return found


VALUES: dict[str, Any] = {
    "$url": "https://api.example/pets/3?q=1",
    "$method": "POST",
    "$statusCode": 201,
    "$request.header.accept": "a/b",
    "$request.path.petId": "3",
    "$request.query.q": "1",
    "$request.query.page[size]#": 2,
    "$request.body": "raw",
    "$response.header.Content-Type": "application/json",
    "$response.header.content-type": "application/json",
    "$response.header.X-RATE-LIMIT": "10",
    "$response.header.X.Dot#!": "t",
    "$response.body": {"id": 5, "items": [{"name": "n", "*": "star"}], "data": {"count": 3}, "null": None},
    "$response.body#": {"id": 5, "items": [{"name": "n", "*": "star"}], "data": {"count": 3}, "null": None},
    "$response.body#/id": 5,
    "$response.body#/null": None,
    "$response.body#/items/0/name": "n",
    "$response.body#/items/0/*": "star",
    "$response.body.data.count": 3,
    "$response.body.items[0].name": "n",
    "$inputs.id": 7,
    "$inputs.name": "Rex",
    "$inputs.my.name": "dotted",
    "$inputs.my.name.first": "longest",
    "$inputs.none": None,
    "$inputs.customer#/uri": "u",
    "$inputs.customer#/a~1b": 1,
    "$inputs.customer#/m~0n": 2,
    "$inputs.customer#/": 3,
    "$inputs.customer#/x y": 4,
    "$inputs.customer.uri": "u",
    "$inputs.customer.deep.er.z[0]": 5,
    "$inputs.customer.deep.er.z[1][0]": 6,
    "$inputs.customer.deep.er#/z/1/0": 6,
    "$inputs.tags#/2/c": "d",
    "$inputs.tags[2].c": "d",
    "$inputs#/$odd": "odd",
    "$steps.find-pet.outputs.id": 1,
    "$steps.find-pet.outputs.pets#/1/id": 11,
    "$steps.find-pet.outputs.pets[1].id": 11,
    "$steps.find-pet.outputs.out.put": "o",
    "$steps.empty.outputs": {},
    "$workflows.login.inputs.user": "u",
    "$workflows.login.outputs.token": "t",
    "$workflows.login.outputs.body#/k/0": "v",
    "$outputs.order#/id": 99,
}

MISSING = [
    "$inputs.nothing",
    "$inputs.Name",
    "$inputs.customer#/nothing",
    "$inputs.customer#/uri/0",
    "$inputs.tags#/3",
    "$inputs.tags#/01",
    "$inputs.tags#/-1",
    "$inputs.tags#/-",
    "$inputs.tags#/a",
    "$inputs.tags[3]",
    "$inputs.tags.0",
    "$inputs.name[0]",
    "$steps.none.outputs.id",
    "$steps.empty.outputs.id",
    "$workflows.none.outputs.id",
    "$outputs.nothing",
    "$response.header.Nothing",
    "$response.query.q",
    "$response.path.petId",
    "$request.query.Q",
    "$item",
    "$index",
]

MALFORMED = [
    "",
    "$",
    "inputs.id",
    "$input.id",
    "$inputsid",
    "$inputs.a b",
    "$inputs.{id}",
    "$steps.find",
    "$steps.find.id",
    "$steps.find.inputs.id",
    "$steps.a.b.outputs.id",
    "$workflows.login.token",
    "$response",
    "$response.body.a#b",
    "$response.body#a",
    "$response.body#/~2",
    "$response.body#/a~",
    "$response.body#/{a}",
    "$response.header.",
    "$response.header.a b",
    "$response.cookie.a",
    "$statusCode.x",
    "$statusCode#/x",
    "$url.x",
    "$method ",
    "$item2",
    "$message.payload",
    "$inputs." + "a" * 2000,
]


@pytest.mark.parametrize(("expression", "value"), VALUES.items(), ids=list(VALUES))
def test_an_expression_gives_the_value_with_its_type(expression: str, value: Any) -> None:
    assert evaluate(expression, scope()) == value
    assert type(evaluate(expression, scope())) is type(value)


@pytest.mark.parametrize("expression", MISSING)
def test_what_is_not_there_is_told(expression: str) -> None:
    assert expressions.is_expression(expression)
    with pytest.raises(Unresolved, match=r"The workflow has no value for \$"):
        evaluate(expression, scope())


@pytest.mark.parametrize("expression", MALFORMED)
def test_other_texts_are_no_expressions(expression: str) -> None:
    assert not expressions.is_expression(expression)
    with pytest.raises(Unresolved):
        evaluate(expression, scope())


def test_before_a_request_nothing_of_it_is_known() -> None:
    for expression in ("$url", "$method", "$statusCode", "$response.body", "$request.header.a"):
        with pytest.raises(Unresolved):
            evaluate(expression, Scope({}))
    found = Scope({})
    found.response = Response(204)
    with pytest.raises(Unresolved):
        evaluate("$response.body", found)


def test_a_loop_has_an_item_and_its_number() -> None:
    found = scope()
    found.item, found.index = {"id": 3, "in": [4]}, 0
    assert [evaluate(each, found) for each in ("$item", "$item.id", "$item#/in/0", "$item.in[0]", "$index")] == [
        {"id": 3, "in": [4]},
        3,
        4,
        4,
        0,
    ]
    found.item = None
    assert evaluate("$item", found) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("plain", ["plain"]),
        ("$inputs.id", ["$inputs.id"]),
        ("{$inputs.id}", [{"expression": "$inputs.id"}]),
        ("a{$inputs.id}b{$url}", ["a", {"expression": "$inputs.id"}, "b", {"expression": "$url"}]),
        ("{$response.body#/a b}", [{"expression": "$response.body#/a b"}]),
        ("{{$inputs.id}}", ["{", {"expression": "$inputs.id"}, "}"]),
        (r"^\d{2}{$x}$", [r"^\d{2}", "{$x}", "$"]),
        ('{"a": {$inputs.id}, "b": {}}', ['{"a": ', {"expression": "$inputs.id"}, ', "b": {}}']),
        ("{$inputs.id", ["{$inputs.id"]),
        ("{ $inputs.id }", ["{ $inputs.id }"]),
    ],
)
def test_expressions_are_embedded_in_texts(text: str, found: list[Any]) -> None:
    assert parts(text) == found


def of(expression: str) -> dict[str, Any]:
    return {"expression": expression}


TAGS, BODY, CUSTOMER = of("$inputs.tags"), "$response.body", of("$inputs.customer")
ONE = {"literal": 1}
ITEM = {"name": "n", "*": "star"}

BUILT: list[tuple[dict[str, Any], Any]] = [
    ({"literal": "$inputs.id"}, "$inputs.id"),
    ({"literal": {"a": ["{$inputs.id}"]}}, {"a": ["{$inputs.id}"]}),
    (of("$inputs.id"), 7),
    ({"items": [{**of(f"$inputs.{name}"), "asText": True} for name in ("id", "yes", "none")]}, ["7", "true", None]),
    (
        {"text": ["a", of("$inputs.id"), "-", of("$inputs.none"), of("$inputs.yes"), of("$inputs.float")]},
        "a7-nulltrue1.5",
    ),
    ({"text": [TAGS, " ", of("$response.body#/data")]}, '["a","b",{"c":"d"}] {"count":3}'),
    ({"text": [of("$request.body")]}, "raw"),
    ({"members": {"a": of("$inputs.id"), "b": {"items": [of("$inputs.name"), ONE]}}}, {"a": 7, "b": ["Rex", 1]}),
    ({"members": {"a": of("$inputs.nothing"), "b": of("$steps.none.outputs.x"), "c": {"literal": None}}}, {"c": None}),
    ({"items": [of("$inputs.nothing"), of("$inputs.id")]}, [7]),
    ({"members": {"a": {"text": [of("$inputs.nothing")]}, "b": {"text": [of("$inputs.id")]}}}, {"b": "7"}),
    ({"selected": "$.items[0].name", "of": BODY}, "n"),
    ({"selected": "$.items[*].name", "of": BODY}, ["n"]),
    ({"selected": "$.items[?@.x]", "of": BODY}, []),
    ({"patched": of(f"{BODY}#/data"), "at": {"/count": of("$inputs.id"), "/new": ONE}}, {"count": 7, "new": 1}),
    ({"patched": of(f"{BODY}#/items"), "at": {"/-": ONE, "/0/name": {"literal": 2}}}, [{**ITEM, "name": 2}, 1]),
    ({"patched": of(f"{BODY}#/items"), "at": {"/1": ONE}}, [ITEM, 1]),
    ({"patched": TAGS, "at": {"": ONE}}, 1),
    (
        {"patched": CUSTOMER, "at": {"/a~1b": {"literal": 9}, "$['deep.er'].z[*]": {"literal": 0}}},
        {"uri": "u", "a/b": 9, "m~n": 2, "": 3, "x y": 4, "deep.er": {"z": [0, 0]}},
    ),
    ({"patched": TAGS, "at": {"$": {"literal": 2}}}, 2),
    ({"patched": TAGS, "at": {"$[?@=='a']": of("$inputs.id"), "$[9]": ONE}}, [7, "b", {"c": "d"}]),
]


@pytest.mark.parametrize(("value", "built"), BUILT)
def test_a_value_is_built(value: dict[str, Any], built: Any) -> None:
    found = scope()
    assert build(value, found) == built
    assert build({"literal": None}, found) is None
    assert found.inputs["customer"]["a/b"] == 1, "outputs and inputs are not changed by replacements"


@pytest.mark.parametrize(
    "value",
    [
        of("$inputs.nothing"),
        {"members": {"a": of("$steps.empty.outputs.id")}},
        {"members": {"a": {"text": ["x", of("$inputs.nothing")]}}},
        {"text": ["a", of("$steps.none.outputs.id")]},
        {"selected": "$.nothing", "of": "$response.body"},
        {"selected": "$.a", "of": "$response.nothing"},
        {"selected": "$" + "..*" * 3, "of": "$inputs.large"},
        {"patched": of("$inputs.tags"), "at": {"/9/a": {"literal": 1}}},
        {"patched": of("$inputs.tags"), "at": {"/x": {"literal": 1}}},
        {"patched": of("$inputs.name"), "at": {"/x": {"literal": 1}}},
        {"patched": of("$inputs.large"), "at": {"$" + "..*" * 3: {"literal": 1}}},
        {"items": [of("$inputs.huge")] * 3},
        {"text": [of("$inputs.huge")] * 3},
    ],
)
def test_a_value_that_cannot_be_built_is_told(value: dict[str, Any]) -> None:
    found = scope()
    found.inputs["large"] = [[[1] * 50] * 50] * 50
    found.inputs["huge"] = "x" * (expressions.LARGEST // 2)
    with pytest.raises(Unresolved, match=r"^(The|A) \w+ "):
        build(value, found)


def test_values_do_not_double_with_each_step() -> None:
    found, value = scope(), [1]
    for _ in range(17):
        found.inputs["value"] = value
        value = build({"items": [of("$inputs.value"), of("$inputs.value")]}, found)
    found.inputs["value"] = [value, value]
    with pytest.raises(Unresolved, match="larger than"):
        build({"items": [of("$inputs.value"), of("$inputs.value")]}, found)


def test_an_output_that_an_answer_lacks_is_left_out() -> None:
    found = scope()
    found.inputs["huge"] = "x" * expressions.LARGEST
    values = {"id": of("$response.body#/id"), "next": of("$response.body#/next"), "none": of("$response.body#/null")}
    assert expressions.build_outputs(values, found) == {"id": 5, "none": None}
    with pytest.raises(expressions.TooLarge):
        expressions.build_outputs({"all": of("$inputs.huge")}, found)


def test_absent_is_no_value() -> None:
    assert Scope({}).item is ABSENT
