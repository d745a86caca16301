"""Write unions (`anyOf`): add null as an alternative to a nullable schema, and remove descriptions of alternatives that
only repeat the union's description.
"""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object

_OUTSIDE_NULL: tuple[str, ...] = ("description", "default")


def without_text(members: list[JsonValue], text: JsonValue) -> list[JsonValue]:
    """Return the alternatives of a union, without descriptions that only repeat `text`, the union's description."""
    return [
        {key: value for key, value in as_object(member).items() if key != "description" or value != text}
        for member in members
    ]


def with_null(node: JsonObject) -> JsonObject:
    """Return `node` with null as an alternative."""
    if {"type": "null"} in as_list(node.get("anyOf")):
        return node
    outer: JsonObject = {keyword: node[keyword] for keyword in _OUTSIDE_NULL if keyword in node}
    inner: JsonObject = {keyword: value for keyword, value in node.items() if keyword not in outer}
    branches = as_list(inner["anyOf"]) if set(inner) == {"anyOf"} else [inner]
    return {"anyOf": [*branches, {"type": "null"}], **outer}
