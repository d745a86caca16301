"""Test which member of a response holds its list, and which arguments select a page."""

from __future__ import annotations

import pytest

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.tool import listings
from mcpgen.model import MediaType, Operation, PathTemplate, Response

LIST: JsonObject = {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}
TEXTS: JsonObject = {"type": "array", "items": {"type": "string"}}
ONE: JsonObject = {"type": "object", "properties": {"id": {"type": "integer"}}}


def held(**members: JsonObject) -> JsonObject:
    return {"type": "object", "properties": dict(members)}


CASES: list[tuple[JsonObject, str | None]] = [
    (LIST, ""),
    (held(anything=LIST, total={"type": "integer"}), "/anything"),
    (held(errors=TEXTS, results=LIST), "/results"),
    (held(errors=TEXTS, pets=LIST), "/pets"),
    (held(errors=TEXTS, warnings=TEXTS), None),
    (held(data=held(rows=LIST)), "/data/rows"),
    (held(albums=held(items=LIST), total={"type": "integer"}), "/albums/items"),
    (held(albums=held(items=LIST), artists=held(items=LIST)), None),
    (held(data=held(rows=LIST), links=held(pages=TEXTS)), "/data/rows"),
    (held(a=held(b=held(c=LIST))), None),
    ({"$ref": "loop"}, None),
    (held(**{"a/b~c": LIST}), "/a~1b~0c"),
    (ONE, None),
    ({"$ref": "named"}, "/items"),
    ({"allOf": [held(total=ONE), held(items=LIST)]}, "/items"),
]


def operation(schema: JsonObject, path: str = "/shop/pets") -> Operation:
    answer = Response("200", "", (MediaType("application/json", schema),))
    return Operation("GET", "GET", path, PathTemplate((path,)), Where("d"), responses=(Response("404", "", ()), answer))


@pytest.mark.parametrize(("schema", "pointer"), CASES)
def test_where_the_list_is(schema: JsonObject, pointer: str | None) -> None:
    composer = Composer({"named": held(items=LIST), "loop": {"$ref": "loop"}})
    found = listings.of_answer(operation(schema), composer)
    assert (found if found is None else found[0]) == pointer
