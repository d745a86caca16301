"""Convert schemas of scalar types, with their values and defaults, to schemas that every client accepts."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.lower.schema import constraints
from mcpgen.lower.schema.kinds import type_of
from mcpgen.lower.schema.patterns import shown

_SCALARS = frozenset(("string", "number", "integer", "boolean"))
_NOT_OF_LEAVES = frozenset(
    (
        *("$ref", "allOf", "anyOf", "oneOf", "discriminator", "properties", "items", "prefixItems", "not", "if"),
        *("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "contains"),
        *("dependentRequired", "dependentSchemas"),
    )
)
"""Keywords of schemas that hold other schemas, or conditions that no sentence states."""


def is_leaf(source: JsonObject) -> bool:
    """Return True if `source` declares one scalar type, or null beside it, and has no schemas inside it."""
    kinds = source.get("type")
    if isinstance(kinds, list):  # `nullable` of OpenAPI 3.0 became null
        kinds = next((kind for kind in kinds if kind != "null"), None) if len(kinds) == 2 and "null" in kinds else None
    return isinstance(kinds, str) and kinds in _SCALARS and _NOT_OF_LEAVES.isdisjoint(source)


def scalar(node: JsonObject, kind: str) -> JsonObject:
    """Return `node`, of the scalar type `kind`, with only the keywords that every client accepts."""
    result: JsonObject = {"type": kind}
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    texts = [value for value in values if isinstance(value, str)]
    if kind == "string":
        if 0 < len(texts) <= constraints.MOST_VALUES and any(texts):
            result["enum"] = list[JsonValue](dict.fromkeys(filter(None, texts)))
        elif texts == [""]:
            result["pattern"] = constraints.EMPTY
        if node.get("format") in constraints.FORMATS and constraints.are_of_format(result.get("enum"), node["format"]):
            result["format"] = node["format"]
        pattern, _ = shown(node)
        if pattern is not None:
            result["pattern"] = pattern
        if node.get("contentEncoding") == "base64":
            result["contentEncoding"] = "base64"
    if kind in ("integer", "number"):
        result.update(constraints.bounds(node, kind))
    return result


def of_kind(whole: JsonObject, kind: str, *, alone: bool) -> list[JsonObject]:
    """Return the schema `whole` as alternatives of the type `kind`, with only the enum values of this type. An empty
    string in the enum gets an alternative of its own.

    `alone`: True if `kind` is the only type of `whole`, apart from null. Then enum values are not selected by type. If
    the only type is `string`, numbers and booleans in the enum become strings, since YAML reads an unquoted `1` as a
    number.
    """
    values = as_list(whole.get("enum"))
    if not values:
        return [whole if whole.get("type") == kind else {**whole, "type": kind}]
    if kind == "string" and alone:
        values = [spoken for value in values if (spoken := constraints.as_written(value)) is not None]
    elif not alone:
        values = [value for value in values if type_of(value) in (kind, "integer" if kind == "number" else kind)]
    full: list[JsonValue] = [value for value in values if value != ""]
    empty: list[JsonObject] = [{"type": "string", "enum": [""]}] if len(full) < len(values) else []
    return ([{**whole, "type": kind, "enum": full}] if full else []) + empty


def default_of(node: JsonObject, members: list[JsonValue] | list[JsonObject]) -> JsonObject:
    """Return the keyword `default` of `node` if one of the schemas `members` accepts the value, else {}.

    A value that is written as text is converted to the type of that schema.
    """
    if node.get("default") is None:
        return {}
    for member in members:
        value = constraints.fitting(node["default"], as_object(member))
        if value is not None:
            return {"default": value}
    return {}
