"""Test that schemas shared by many tools are expanded once, and that each tool still gets the diagnostics
about them.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.speed import deep, entities
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.lower.schema import expansions
from mcpgen.lower.schema.budget import LADDER
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.schema.portable import Portable
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched

Schema = dict[str, Any]
SHARED: Schema = {"$ref": "#/components/schemas/Shared"}


def compiled(text: str) -> Compiled:
    return compile_source(Fetched("openapi.json", text.encode()), Options())


def with_bodies(count: int, schemas: Schema, member: Schema = SHARED) -> str:
    """Return a document with these component schemas and `count` operations. Each operation's body is an object with
    one property, whose schema is `member`.
    """
    body = {"content": {"application/json": {"schema": {"type": "object", "properties": {"it": member}}}}}
    operation = {"requestBody": body, "responses": {"200": {"description": "ok"}}}
    document = {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://a.test"}]}
    paths = {f"/a{number}": {"post": operation} for number in range(count)}
    return json.dumps({**document, "paths": paths, "components": {"schemas": schemas}})


def expanded(monkeypatch: pytest.MonkeyPatch, text: str, method: str = "_expand") -> int:
    """Return how many schemas are rewritten to suit every client while the document `text` is compiled.

    If `method` is "schema", count only arguments, also if their expansion is cached.
    """
    count, expand = 0, getattr(Portable, method)

    def counting(*arguments: Any, **settings: Any) -> Any:
        nonlocal count
        count += 1
        return expand(*arguments, **settings)

    with monkeypatch.context() as patched:
        patched.setattr(Portable, method, counting)
        compiled(text)
    return count


def test_one_more_operation_costs_few_expansions(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (expanded(monkeypatch, deep.document(operations)) for operations in (20, 30))
    assert (many - few) / 10 < 100, "a layout of one of these operations has up to 2,500 nodes"


def test_one_more_operation_on_entities_costs_few_expansions(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (expanded(monkeypatch, entities.graph(operations)) for operations in (100, 200))
    assert (many - few) / 100 < 80, "115 if unions and lists are expanded wherever they are"


def test_no_layout_is_written_that_expansions_of_other_tools_show_to_be_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels: Schema = {
        f"L{level}": {
            "type": "object",
            "properties": {f"m{n}": {"$ref": f"#/components/schemas/L{level + 1}"} for n in range(9)},
        }
        for level in range(6)
    }
    levels["L6"] = {"type": "object", "properties": {"text": {"type": "string"}}}
    first = {"$ref": "#/components/schemas/L0"}
    levels["Body"] = {"properties": {"it": first}, "type": "object"}
    inline, named = json.dumps({"type": "object", "properties": {"it": first}}), '{"$ref": "#/components/schemas/Body"}'
    few, many = (
        expanded(monkeypatch, with_bodies(count, levels, first).replace(inline, named), "schema") for count in (2, 3)
    )
    assert many - few == 1, "4 if each larger layout is written and thrown away"


def test_parameters_with_equal_schemas_are_expanded_once() -> None:
    places: dict[str, JsonObject] = {name: {"type": "string", "description": "The id"} for name in "AB"}
    composer = Composer(places)
    one, other = (Portable(composer).schema({"$ref": name}) for name in places)
    assert other is one


def test_an_expansion_that_exceeds_the_limit_counts_once_in_the_cache() -> None:
    texts: JsonObject = {f"text{number}": {"type": "string"} for number in range(1000)}
    composer = Composer({"A": {"type": "object", "properties": texts}})
    writer = Portable(composer)
    for names in ("a", "bcd"):
        writer.schema({"type": "object", "properties": {name: {"$ref": "A"} for name in names}})
    assert writer.is_exhausted
    assert composer.expansions._nodes == 1003, "the nodes of A and of the three schemas around and beside it"


def test_scalars_that_schemas_share_take_no_room_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansions, "_MOST_NODES", 20)
    members: JsonObject = {f"m{number}": {"type": ["string", "null"]} for number in range(12)}
    composer = Composer({name: {"type": "object", "title": name, "properties": members} for name in "AB"})
    one, _, again = (Portable(composer).schema({"$ref": name}) for name in "ABA")
    assert again is one


@pytest.mark.parametrize(("alternatives", "is_shared"), [(2, True), (5, False)])
def test_an_expansion_serves_each_limit_that_folds_the_same_unions(alternatives: int, is_shared: bool) -> None:
    kinds: list[Any] = [{"type": "object", "properties": {f"k{n}": {"type": "string"}}} for n in range(alternatives)]
    composer = Composer({"A": {"type": "object", "properties": {"one": {"anyOf": kinds}}}})
    shown = [Portable(composer, limits).schema({"$ref": "A"}) for limits in LADDER[:2]]
    assert LADDER[1].alternatives == 3
    assert (shown[0] is shown[1]) == is_shared
    assert (shown[0] == shown[1]) == is_shared


def test_equal_sets_of_names_stand_in_the_cache_once() -> None:
    composer = Composer({"A": {"type": "object", "properties": {"b": {"$ref": "B"}}}, "B": {"type": "string"}})
    for nulls in (False, True):
        Portable(composer, nulls=nulls).schema({"$ref": "A"})
    asked = [each.asked for known in composer.expansions._known.values() for each in known if len(each.asked) == 2]
    assert len(asked) == 2
    assert asked[0] is asked[1]


def test_deep_schemas_cost_no_operation() -> None:
    assert len(compiled(deep.document(150)).catalog.tools) == 150


def test_each_tool_is_told_what_was_found_in_a_shared_schema() -> None:
    contradiction = {"allOf": [{"type": "string"}, {"type": "integer"}]}
    unshown = {"type": "string", "pattern": "(?=a)b"}
    shared = {"type": "object", "properties": {"no": contradiction, "text": unshown, "gone": {"$ref": "#/nowhere"}}}
    found = compiled(with_bodies(3, {"Shared": shared}))
    assert len(found.catalog.tools) == 3
    said = [each.code for each in found.diagnostics]
    assert said.count("schema-contradiction") == 3
    assert said.count("unchecked-pattern") == 3
    assert said.count("broken-reference") == 1, "which is one place in the document"


def test_a_schema_is_cut_where_it_comes_again_and_nowhere_else() -> None:
    """Cut a recursive schema only where it recurs.

    `Pong` has the same depth inside `Ping`, where it recurs, and inside `Other`, where it does not.
    """
    holding = {
        name: {"type": "object", "properties": {member.lower(): {"$ref": f"#/components/schemas/{member}"}}}
        for name, member in {"Ping": "Pong", "Pong": "Ping", "Other": "Pong"}.items()
    }
    members = {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in ("Other", "Ping")}
    schemas = {**holding, "Shared": {"type": "object", "properties": members}}
    shown: Any = compiled(with_bodies(2, schemas)).catalog.tools[1].input_schema
    found = shown["properties"]["it"]["properties"]
    again = {"type": "object", "description": "Same shape as Ping above."}
    assert found["ping"]["properties"] == {"pong": {"type": "object", "properties": {"ping": again}}}
    again = {"type": "object", "description": "Same shape as Pong above."}
    pong = {"type": "object", "properties": {"ping": {"type": "object", "properties": {"pong": again}}}}
    assert found["other"]["properties"] == {"pong": pong}
