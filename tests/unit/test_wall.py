"""Test the final check of all tools: a tool is removed only if a client or model provider would refuse its schema."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.once import ValueCache
from mcpgen.check.catalog import DEEPEST, check, problems
from mcpgen.model import (
    Annotations,
    BodyBinding,
    Catalog,
    Decisions,
    FieldBinding,
    HttpBinding,
    Identity,
    Message,
    Operation,
    ParameterBinding,
    Passage,
    PathTemplate,
    Prompt,
    PromptArgument,
    PromptSpec,
    Resource,
    ResourceSpec,
    ResultView,
    ToolSpec,
)

PARAMETER = ParameterBinding("a", "a", "query", "form", explode=True)
OPERATION = Operation("GET /a", "GET", "/a", PathTemplate(("/a",)), Where("f"))
TOOL = ToolSpec(
    "get_a",
    "Get a",
    (Passage("Get a."),),
    {"type": "object", "properties": {"a": {"type": "string"}}},
    Annotations(read_only=True, destructive=False, idempotent=True),
    HttpBinding("GET", ("/a",), 0, "*/*", query=(PARAMETER,)),
    OPERATION,
)


def found(tool: ToolSpec) -> list[str]:
    return [message for _, message in problems(tool, ValueCache())]


def with_schema(member: JsonValue) -> ToolSpec:
    return replace(TOOL, input_schema={"type": "object", "properties": {"a": member}})


def nested(levels: int) -> JsonObject:
    schema: JsonObject = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize(
    "member",
    [
        {"type": "string", "enum": ["a"], "format": "date-time", "pattern": "x", "description": "d", "default": "a"},
        {"type": "integer", "minimum": 1, "maximum": 2},
        {"type": "array", "items": {"type": "null"}, "minItems": 1},
        {"type": "object", "properties": {"any key": {"type": "boolean"}}, "required": ["any key"]},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"},
        nested(DEEPEST - 1),
    ],
)
def test_the_profile_passes(member: JsonValue) -> None:
    assert found(with_schema(member)) == []


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        ({}, "without a type"),
        ({"type": ["string", "null"]}, "without a type"),
        ({"type": "any"}, "without a type"),
        (True, "not an object"),
        (nested(DEEPEST), "too deep"),
        ({"type": "string", "title": "x"}, "keyword title"),
        ({"type": "string", "minLength": 1}, "keyword minLength"),
        ({"type": "integer", "format": "int64"}, "keyword format"),
        ({"type": "object", "$ref": "#/$defs/x"}, "keyword $ref"),
        ({"type": "object", "additionalProperties": False}, "not an object"),
        ({"type": "object", "additionalProperties": True}, "not an object"),
        ({"type": "object", "properties": {"x": {"oneOf": []}}}, "without a type"),
        ({"type": "object", "required": ["x"]}, "requires a property"),
        ({"type": "array"}, "not an object"),
        ({"type": "array", "items": [{"type": "string"}]}, "not an object"),
        ({"type": "string", "enum": []}, "enum"),
        ({"type": "string", "enum": [1]}, "enum"),
        ({"type": "string", "enum": [""]}, "enum"),
        ({"type": "string", "format": "uri"}, "format"),
        ({"anyOf": [{"type": "string"}]}, "alternatives"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "type": "string"}, "alternatives"),
        ({"anyOf": [{"type": "string"}, {}]}, "without a type"),
    ],
)
def test_what_leaves_the_profile_is_found(member: JsonValue, reason: str) -> None:
    assert any(reason in message for message in found(with_schema(member)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "Get_a"}, "not a name"),
        ({"name": "get__a"}, "not a name"),
        ({"name": "a" * 51}, "not a name"),
        ({"name": ""}, "not a name"),
        ({"passages": (Passage(" "),)}, "no description"),
        ({"passages": (Passage("x" * 1001),)}, "no description"),
        ({"input_schema": {"type": "array"}}, "not an object at its root"),
        ({"input_schema": {"type": "object", "anyOf": []}}, "alternatives"),
        ({"input_schema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}}, "requires"),
        ({"input_schema": {"type": "object", "properties": {"a-b": {"type": "string"}}}}, "providers refuse"),
        ({"input_schema": {"type": "object", "properties": {}}}, "that the tool does not have"),
        ({"binding": HttpBinding("GET", ("/a",), 0, "*/*")}, "is not used in the request"),
        (
            {"binding": replace(TOOL.binding, body=BodyBinding("a/b", "json", argument="b"))},
            "that the tool does not have",
        ),
        ({"binding": replace(TOOL.binding, body=BodyBinding("a/b", "form", fields=(FieldBinding("x", "c"),)))}, "have"),
    ],
)
def test_a_tool_that_a_client_would_refuse_is_found(change: dict[str, object], reason: str) -> None:
    assert any(reason in message for message in found(replace(TOOL, **change)))  # type: ignore[arg-type]


HIDDEN = "x\u202ey"
VIEW = ResultView(Where("f"), {"text": (HIDDEN,)})


@pytest.mark.parametrize(
    "change",
    [
        {"title": HIDDEN},
        {"passages": (Passage(HIDDEN),)},
        {"input_schema": {"type": "object", "properties": {"a": {"type": "string", "description": HIDDEN}}}},
        {"input_schema": {"type": "object", "properties": {"a": {"type": "string", "enum": [HIDDEN]}}}},
        {"input_schema": {"type": "object", "properties": {"a": {"type": "string", "default": "\x1b"}}}},
        {"input_schema": {"type": "object", "properties": {"a": {"type": "object", "properties": {HIDDEN: {}}}}}},
        {"output_schema": {"type": "object", "properties": {HIDDEN: {}}}, "output_form": "object"},
        {"binding": replace(TOOL.binding, result=VIEW)},
    ],
)
def test_hard_09_a_tool_that_hides_something_is_found(change: dict[str, object]) -> None:
    assert any("invisible characters" in message for message in found(replace(TOOL, **change)))  # type: ignore[arg-type]


def test_hard_09_nothing_else_of_a_catalog_hides_something() -> None:
    where, values = Where("f"), {"a": (HIDDEN,)}
    resources = (
        *(Resource(where, "r", "db://r", title=HIDDEN), Resource(where, "r", "db://r", description=HIDDEN)),
        *(Resource(where, "r", "db://r", content=HIDDEN), Resource(where, HIDDEN, "db://r")),
        Resource(where, "r", "db://r", values=values),
    )
    prompts = (
        *(Prompt(where, "p", (), title=HIDDEN), Prompt(where, "p", (), description=HIDDEN)),
        Prompt(where, "p", (), arguments=(PromptArgument("a", description=HIDDEN),)),
        *(Prompt(where, "p", (Message(where, "user", (HIDDEN,)),)), Prompt(where, "p", (), values=values)),
    )
    kept = Resource(where, "kept", "db://kept"), Prompt(where, "kept", ())
    catalog = Catalog(
        Identity("t", HIDDEN, "1", HIDDEN),
        (),
        (),
        (),
        resources=tuple(ResourceSpec(each, each.uri) for each in (*resources, kept[0])),
        prompts=tuple(PromptSpec(each) for each in (*prompts, kept[1])),
    )
    diagnostics = Diagnostics()
    passed = check(catalog, diagnostics)
    passing = ([each.resource for each in passed.resources], [each.prompt for each in passed.prompts])
    assert passing == ([kept[0]], [kept[1]])
    assert (passed.identity.title, passed.identity.instructions) == ("t", "")
    assert {each.code for each in diagnostics} == {"hidden-characters"}


def test_a_name_written_by_hand_has_its_own_rule() -> None:
    by_hand = replace(TOOL, name="Get-A__b", operation=replace(OPERATION, decided=Decisions(name="Get-A__b")))
    assert found(by_hand) == []
    assert found(replace(by_hand, name="a" * 65))


def test_what_is_found_is_taken_out_and_said_and_the_others_go_on() -> None:
    diagnostics = Diagnostics()
    other = replace(TOOL, name="other", operation=replace(OPERATION, path="/b"))
    twin = replace(other, name="OTHER", operation=replace(OPERATION, path="/c", decided=Decisions(name="OTHER")))
    long = replace(other, name="a" * 51, operation=replace(OPERATION, path="/d"))
    catalog = Catalog(Identity("t", "T", "1"), (), (), (replace(TOOL, passages=()), other, twin, long))
    passed = check(catalog, diagnostics)
    assert passed.tools == (other,)
    assert [entry.operation for entry in passed.skipped] == ["GET /a", "GET /c", "GET /d"]
    assert [(each.code, each.severity, each.where) for each in diagnostics] == [
        ("unportable-schema", "warning", Where("f")),
        ("unportable-name", "warning", Where("f")),
        ("unportable-name", "warning", Where("f")),
    ]


OBJECT: JsonObject = {"type": "object"}


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {"type": "object", "properties": {"any key": {}, "b": {"type": ["array", "null"], "items": {}}}},
        {"type": "object", "properties": {"items": {"type": "array", "items": {"type": ["object", "null"]}}}},
        {"type": "object", "properties": {"a": {"type": ["object", "null"], "additionalProperties": {"type": "null"}}}},
    ],
)
def test_a_derived_output_schema_passes(schema: JsonObject) -> None:
    assert found(replace(TOOL, output_schema=schema, output_form="object")) == []


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "array"}, "object at its root"),
        ({"type": ["object", "null"]}, "object at its root"),
        ({"type": "object", "required": ["a"]}, "keyword required"),
        ({"type": "object", "properties": {"a": True}}, "not an object"),
        ({"type": "object", "additionalProperties": False}, "not an object"),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, "keyword $ref"),
        ({"type": "object", "properties": {"a": {"type": "string", "enum": ["b"]}}}, "keyword enum"),
        ({"type": "object", "properties": {"a": {"type": ["text"]}}}, "a type that does not exist"),
        ({"type": "object", "properties": {"a": nested(DEEPEST)}}, "too deep"),
    ],
)
def test_a_derived_output_schema_that_answers_may_break_is_found(schema: JsonObject, reason: str) -> None:
    assert any(reason in message for message in found(replace(TOOL, output_schema=schema, output_form="object")))


def test_an_output_schema_written_by_hand_is_kept_as_long_as_clients_take_it() -> None:
    written = replace(TOOL, output_schema={**OBJECT, "required": ["a"], "$ref": "#/$defs/a", "$defs": {"a": {}}})
    assert found(replace(written, output_form="written")) == []
    assert found(replace(written, output_schema={**OBJECT, "$ref": "#/$defs/a"}, output_form="written"))
