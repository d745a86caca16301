"""Find the types that the keywords of a schema imply, and recognise schemas that are only null or only `required`."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.base.names import clipped
from mcpgen.lower.schema.compose import types
from mcpgen.lower.text.prose import plain

_MOST_DEMANDED = 12
_OF_OBJECTS = (
    *("properties", "additionalProperties", "unevaluatedProperties"),
    *("required", "minProperties", "maxProperties"),
)


def implied_types(node: JsonObject) -> list[str]:
    """Return the types that the keywords of a node without `type` imply."""
    if any(keyword in node for keyword in _OF_OBJECTS):
        return ["object"]
    if any(keyword in node for keyword in ("items", "prefixItems", "minItems", "maxItems")):
        return ["array"]
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    if values:
        return list(dict.fromkeys(map(type_of, values)))
    if any(keyword in node for keyword in ("pattern", "minLength", "maxLength", "contentEncoding", "format")):
        return ["string"]
    if any(keyword in node for keyword in ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")):
        return ["number"]
    return []


def type_of(value: JsonValue) -> str:
    """Return the JSON Schema type of a value; `integer` for a whole number."""
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
    """Return True if `node` allows only null."""
    return node.get("type") == "null" or node.get("enum") == [None] or node.get("const", 0) is None


def demanded(branches: list[JsonObject]) -> str:
    """Return a sentence such as `Needs a, or b and c.` for alternatives that only require properties.

    Return "" if an alternative has other constraints as well.
    """
    lists = [[str(key) for key in as_list(branch.get("required"))] for branch in branches if only_demands(branch)]
    if not branches or len(lists) < len(branches) or not all(lists) or sum(map(len, lists)) > _MOST_DEMANDED:
        return ""
    return f"Needs {', or '.join(' and '.join(plain(clipped(key)) for key in keys) for keys in lists)}."


def only_demands(node: JsonObject) -> bool:
    """Return True if an alternative adds only `required`, as in `anyOf: [{required: [a]}, {required: [b]}]` beside
    properties.
    """
    return (
        bool(node)
        and set(node) <= {"required", "type", "description", "title", "not"}
        and types(node) in ([], ["object"])
        and ("required" in node or "not" in node)
    )
