"""Test the removal of members from response schemas, with a table of cases: a schema names no member that the runtime
drops from responses.
"""

from __future__ import annotations

import pytest

from mcpgen.base.jsonvalue import JsonObject, tokens
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.tool.result_rules import without


def of(*names: str, **members: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {**{name: {"type": "string"} for name in names}, **members}}


def items(schema: JsonObject) -> JsonObject:
    return {"type": "array", "items": schema}


@pytest.mark.parametrize(
    ("pointer", "schema", "left"),
    [
        ("/a/*/name", of(a=items(of("id", "name"))), of(a=items(of("id")))),
        ("/a/*/name", of(a=of("id", "name")), of(a=of("id"))),
        ("/a/*/*/name", of(a=of("id", "name")), of(a=of("id"))),
        ("/a/*", of(a=of("id", "name")), of(a=of())),
        ("/a/0/name", of(a=of("id", "name")), of(a=of("id"))),
        ("/a/0", of(a=of("id", "name")), of(a=of())),
        ("/a/0", of(a={"type": "object", "properties": {"0": {}, "1": {}}}), of(a=of(**{"1": {}}))),
        ("/a/2024/name", of(a=items(of(**{"2024": of("id", "name")}))), of(a=items(of(**{"2024": of("id")})))),
        ("/a/0/name", of(a=items(of("id", "name"))), of(a=items(of("id")))),
        ("/0/ssn", items(of("ssn", "id")), items(of("id"))),
        ("/pre\u0301nom", of("Pr\u00e9nom", "pr\u00e9\u200bnom", "id"), of("id")),
    ],
)
def test_a_schema_does_not_name_what_is_removed(pointer: str, schema: JsonObject, left: JsonObject) -> None:
    assert without(schema, tokens(pointer), Composer({})) == left
