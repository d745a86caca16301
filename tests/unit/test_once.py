"""Test the cache that examines a subschema of several tools once: a cached result equals one computed anew."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from benchmarks.speed import deep
from mcpgen import pipeline
from mcpgen.base import tokens
from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact
from mcpgen.base.once import ValueCache
from mcpgen.lower.schema import budget, expansions
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.schema.portable import Portable
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched
from tests.function_calls import function_calls

MARKS = '\u00e9\u2014]}"\\'
ARGUMENTS: list[JsonObject] = [
    {"type": "string"},
    {"type": "string", "enum": ["a", "}", MARKS]},
    {"anyOf": [{"type": "integer", "maximum": 7}, {"type": "array", "items": {"type": "array", "items": {}}}]},
    {"type": "object", "properties": {"_": {"type": "object", "additionalProperties": {"type": "string"}}}},
    {"description": "Some words: " + MARKS * 5},
    {},
]


def compiled(text: str) -> Compiled:
    return compile_source(Fetched("openapi.json", text.encode()), Options())


def test_a_server_gets_its_name_without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Fetched("openapi.json", deep.document(2).encode())
    name = compile_source(source, Options()).catalog.identity.name
    monkeypatch.setattr(pipeline, "lower", None)
    assert pipeline.name_of(source, Options()) == name


def test_references_to_a_schema_share_its_node() -> None:
    own: JsonObject = {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}
    composer = Composer({"Pet": own, "Alias": {"$ref": "Pet"}, "Body": {"$ref": "Alias"}})
    node, followed = composer.node({"$ref": "Body"})
    assert node is composer.node({"$ref": "Pet"})[0]
    assert followed == ("Body", "Alias", "Pet")


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ({"Alias": {"$ref": "Pet"}, "Pet": {"oneOf": [{"$ref": "Alias"}, {"$ref": "Dog"}], "title": "P"}}, ["title"]),
        ({"Alias": {"$ref": "Pet"}, "Pet": {"allOf": [{"$ref": "Alias"}, {"title": "P"}]}}, ["title"]),
        ({"Alias": {"$ref": "Pet"}, "Pet": {"$ref": "Alias"}}, []),
    ],
)
def test_a_reference_that_decides_what_is_merged_has_a_node_of_its_own(
    definitions: dict[str, JsonObject], expected: list[str]
) -> None:
    composer = Composer(definitions)
    composer.node({"$ref": "Pet"})
    assert [*composer.node({"$ref": "Alias"})[0]] == expected


def test_a_shared_argument_is_asked_about_once() -> None:
    asked: list[str] = []

    def question(value: JsonValue) -> int:
        asked.append(compact(value))
        return len(asked)

    once = ValueCache()
    shared: JsonObject = {"type": "string"}
    schemas: list[JsonObject] = [{"properties": {"a": shared, name: {"type": "number"}}} for name in "bc"]
    assert [list(once.of_parts(question, schema)) for schema in schemas] == [[1, 2, 3], [1, 4, 5]]
    assert asked[2] == '{"properties":{"a":null,"b":null}}', "the rest has the names of the arguments"


def test_a_schema_without_arguments_is_asked_about_as_a_whole() -> None:
    assert list(ValueCache().of_parts(compact, {"type": "object"})) == ['{"type":"object"}']


def test_a_value_never_gets_the_answer_of_one_that_is_gone() -> None:
    once = ValueCache()
    assert [once.ask(compact, {"n": number}) for number in range(50)] == [f'{{"n":{n}}}' for n in range(50)]


def test_answers_are_forgotten_with_the_expansions_that_they_keep_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansions, "_MOST_NODES", 20)
    composer, asked = Composer({}), Counter[str]()

    def question(value: JsonValue) -> None:
        asked[compact(value)] += 1

    shown: list[JsonValue] = []
    for name in "abc":
        members: JsonObject = {f"{name}{number}": {"type": "string"} for number in range(12)}
        shown.append(Portable(composer).schema({"type": "object", "properties": members}))
        composer.once.ask(question, shown[0])
    assert [*asked.values()] == [3], "two expansions have more nodes than are kept"


@pytest.mark.parametrize("names", ["abcdef", ["_a", "b_", "_c_", "d9", "e-f", "\u00e9"]])
def test_whether_a_schema_fits_is_told_as_if_it_was_measured_whole(names: list[str]) -> None:
    once = ValueCache()
    for count in range(1, len(ARGUMENTS) + 1):
        properties: JsonObject = dict(zip(names, ARGUMENTS[:count], strict=False))
        schema: JsonObject = {"type": "object", "properties": properties, "required": [names[0]]}
        whole = tokens.estimate(schema)
        # for limits above this range, `fits` returns True without an estimate of the tokens
        for most in range(whole - 80, len(compact(schema)) // 2):
            assert budget.fits(schema, most, once) == (whole <= most)


@pytest.mark.slow
def test_one_more_operation_of_deep_schemas_costs_few_calls_and_little_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count function calls and bytes of JSON for one more operation.

    A walk through all schemas of each tool would make thousands of calls, or write as much JSON as all of `tools.json`.
    Some 1,000 calls compare the new schemas of the operation with what is shown of them (`hidden_nulls`).
    """
    # this first compile also fills the caches of the process (such as token counts of words) for the compiles below
    shown = len(compiled(deep.document(30, every=2)).tree["deep_mcp/tools.json"]) / 30
    few, many = (spent(monkeypatch, deep.document(operations, every=2)) for operations in (20, 30))
    assert (many["calls"] - few["calls"]) / 10 < 8500
    assert (many["bytes"] - few["bytes"]) / 10 < 1.5 * shown


def spent(monkeypatch: pytest.MonkeyPatch, text: str) -> Counter[str]:
    """Return how many Python functions are called, and how many bytes of JSON are written, while `text` is compiled."""
    found, encode = Counter[str](), json.JSONEncoder.encode

    def counting(encoder: json.JSONEncoder, value: Any) -> str:
        result = encode(encoder, value)
        found["bytes"] += len(result)
        return result

    with monkeypatch.context() as patched:
        patched.setattr(json.JSONEncoder, "encode", counting)
        found["calls"] = function_calls(lambda: compiled(text)).total()
    return found
