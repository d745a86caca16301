"""Read the keywords of a schema, ignoring values of the wrong type."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text

_STRUCTURE = frozenset(("properties", "items", "prefixItems", "additionalProperties", "oneOf", "anyOf"))
_SCALARS = frozenset(("string", "number", "integer", "boolean"))
_NOT_OF_SCALARS = frozenset(
    (
        *("$ref", "allOf", "anyOf", "oneOf", "discriminator", "properties", "items", "prefixItems", "not", "if"),
        *("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "contains"),
        *("dependentRequired", "dependentSchemas"),
    )
)
"""Keywords of schemas that hold other schemas, or conditions that no sentence states."""


def types(node: JsonObject) -> list[str]:
    """Return the types that `node` declares, or an empty list."""
    declared = node.get("type")
    if isinstance(declared, str):
        return [declared]
    return [kind for kind in as_list(declared) if isinstance(kind, str)]


def alternatives(node: JsonObject) -> list[JsonObject]:
    """Return the members of `oneOf` and `anyOf`. For arguments both keywords mean the same: a value must satisfy one
    member.
    """
    if "oneOf" not in node and "anyOf" not in node:  # fast path: most schemas have no `oneOf` or `anyOf`
        return []
    return [as_object(member) for keyword in ("oneOf", "anyOf") for member in as_list(node.get(keyword))]


def members(node: JsonObject) -> list[tuple[str, JsonObject]]:
    """Return the properties of `node`: required properties in the order of `required`, then optional properties by
    name.

    The order in the document is not used, because the keys of a mapping have no order: sorting a document must not
    change the result.
    """
    properties = as_object(node.get("properties"))
    required = [key for key in as_list(node.get("required")) if isinstance(key, str) and key in properties]
    ordered = dict.fromkeys([*required, *sorted(properties)])
    # not `as_object`: this line runs for each property of each schema, and a call would double its time
    return [(key, each if isinstance(each := properties[key], dict) else {}) for key in ordered]


def items_of(node: JsonObject) -> JsonObject:
    """Return a schema that every item of an array satisfies, or {} if an item may be any value."""
    items, prefix = node.get("items"), [as_object(item) for item in as_list(node.get("prefixItems"))]
    if not prefix:
        return as_object(items)
    longest = node.get("maxItems")
    if items == {"not": {}} or (isinstance(longest, int) and longest <= len(prefix)):
        return {"anyOf": list[JsonValue](prefix)}
    return {"anyOf": [*prefix, items]} if isinstance(items, dict) and items else {}


def is_scalar(source: JsonObject) -> bool:
    """Return True if `source` declares one scalar type, or null beside it, and has no schemas inside it."""
    kinds = source.get("type")
    if isinstance(kinds, list):  # `nullable` of OpenAPI 3.0 became null
        kinds = next((kind for kind in kinds if kind != "null"), None) if len(kinds) == 2 and "null" in kinds else None
    return isinstance(kinds, str) and kinds in _SCALARS and _NOT_OF_SCALARS.isdisjoint(source)


def further_members(node: JsonObject) -> JsonValue:
    """Return the value of `additionalProperties` or `unevaluatedProperties` of an object schema: a schema, a boolean,
    or None if there is neither.

    `allOf` has been merged into `node`, so `unevaluatedProperties` means the same as `additionalProperties`.
    """
    return node.get("additionalProperties", node.get("unevaluatedProperties"))


def identity_of(source: JsonObject) -> str:
    """Return the name of the schema if `source` is only a reference to a named schema, else "".

    Included schemas (`allOf`) do not count, because a parent and a child may both include the same `Entity`.
    """
    if not _STRUCTURE.isdisjoint(source):
        return ""
    if isinstance(source.get("$ref"), str):
        return as_text(source["$ref"])
    parts = as_list(source.get("allOf"))
    return identity_of(as_object(parts[0])) if len(parts) == 1 else ""


def as_key(source: JsonObject) -> str:
    """Return a text that is the same for equal schemas: of a reference, only the name of the schema."""
    name = source.get("$ref") if len(source) == 1 else None
    return name if isinstance(name, str) else repr(source)
