"""What a schema is of where it does not say so: types that its keywords imply, and schemas that are no more than null,
or than a demand.
"""

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.lower.compose import types


def implied_types(node: JsonObject) -> list[str]:
    """The types that a node without `type` speaks of."""
    if any(
        keyword in node
        for keyword in ("properties", "additionalProperties", "required", "minProperties", "maxProperties")
    ):
        return ["object"]
    if any(keyword in node for keyword in ("items", "prefixItems", "minItems", "maxItems")):
        return ["array"]
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    if values:
        return list(dict.fromkeys(map(_type_of, values)))
    if any(keyword in node for keyword in ("pattern", "minLength", "maxLength", "contentEncoding", "format")):
        return ["string"]
    if any(keyword in node for keyword in ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")):
        return ["number"]
    return []


def _type_of(value: JsonValue) -> str:
    for kind, python in (
        ("null", type(None)),
        ("boolean", bool),
        ("integer", int),
        ("number", float),
        ("string", str),
        ("array", list),
    ):
        if isinstance(value, python):
            return kind
    return "object"


def is_null(node: JsonObject) -> bool:
    """Whether null is all that `node` takes."""
    return node.get("type") == "null" or node.get("enum") == [None] or node.get("const", 0) is None


def only_demands(node: JsonObject) -> bool:
    """Whether an alternative adds nothing but `required`: `anyOf: [{required: [a]}, {required: [b]}]` beside
    properties.
    """
    return (
        bool(node)
        and set(node) <= {"required", "type", "description", "title", "not"}
        and types(node) in ([], ["object"])
        and ("required" in node or "not" in node)
    )
