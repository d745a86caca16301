"""Tell from a document's schema how a value appears in a request: its possible types, its members, its only value.

Only the part of JSON Schema that a reader of requests needs is implemented. If a schema allows several types, all are
returned, and the reader tries each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.requests.raw import Node

SHAPES = frozenset({"scalar", "array", "object"})

_OF_OBJECTS = ("properties", "additionalProperties", "required", "minProperties", "maxProperties", "patternProperties")
_OF_ARRAYS = ("items", "prefixItems", "minItems", "maxItems", "uniqueItems")
_OF_SCALARS = ("pattern", "format", "minLength", "maxLength", "minimum", "maximum", "multipleOf", "contentEncoding")


def together(schema: Node, seen: frozenset[int] = frozenset()) -> Iterator[Node]:
    """Yield all schemas that hold for a value: this one, the one it refers to, and those in `allOf`."""
    if not isinstance(schema.value, dict) or id(schema.value) in seen:
        return
    seen |= {id(schema.value)}
    yield schema
    if schema.reference() is not None:
        yield from together(schema.target(), seen)
    members = schema.at("allOf")
    for index in range(len(members.value or ())):
        yield from together(members.at(index), seen)


def choices(schema: Node) -> Iterator[Node]:
    """Yield the alternatives of a schema (`oneOf` and `anyOf`)."""
    for part in together(schema):
        for keyword in ("oneOf", "anyOf"):
            members = part.at(keyword)
            for index in range(len(members.value or ())):
                yield members.at(index)


def shapes(schema: Node, depth: int = 0) -> frozenset[str]:
    """Return the shapes that a value may have (scalar, array, object), or all of them if the schema says nothing."""
    declared = [found for part in together(schema) if (found := _declared(part))]
    if declared:
        return frozenset.intersection(*declared) or frozenset.union(*declared)
    implied = {shape for part in together(schema) for shape in _implied(part)}
    if depth < 8:
        implied |= {shape for choice in choices(schema) for shape in shapes(choice, depth + 1)}
    return frozenset(implied) or SHAPES


def _declared(part: Node) -> frozenset[str]:
    kinds = part.at("type").value
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return frozenset(kind if kind in SHAPES else "scalar" for kind in kinds if isinstance(kind, str) and kind != "null")


def _implied(part: Node) -> Iterator[str]:
    for shape, keywords in (("object", _OF_OBJECTS), ("array", _OF_ARRAYS), ("scalar", _OF_SCALARS)):
        if any(keyword in part for keyword in keywords):
            yield shape
    values = [part.at("const").value] if "const" in part else part.at("enum").value or []
    for value in values:
        yield "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "scalar"


def properties(schema: Node, depth: int = 0) -> dict[str, Node]:
    """Return the properties that the schema describes, including those of its alternatives."""
    found: dict[str, Node] = {}
    for choice in choices(schema) if depth < 6 else ():
        found.update(properties(choice, depth + 1))
    for part in together(schema):
        found.update({key: part.at("properties").at(key) for key in part.at("properties").keys()})  # noqa: SIM118
    return found


def items(schema: Node) -> Node:
    """Return the schema of an array's items."""
    for part in together(schema):
        if "items" in part:
            return part.at("items")
    return next((items(choice) for choice in choices(schema) if "array" in shapes(choice)), schema.at(""))


def required(schema: Node) -> set[str]:
    return {str(name) for part in together(schema) for name in part.at("required").value or () if name is not True}


def only_value(schema: Node) -> list[Any]:
    """Return a list with the only value that the schema accepts, or [] if it accepts several."""
    for part in together(schema):
        if "const" in part:
            return [part.at("const").value]
        values = part.at("enum").value
        if isinstance(values, list) and len(values) == 1:
            return [values[0]]
    return []


def is_read_only(schema: Node) -> bool:
    return any(part.at("readOnly").value is True for part in together(schema))


def is_bytes(schema: Node, version: str, depth: int = 0) -> bool:
    """Return True if a member of a multipart body is a file, or an array of files.

    A file is `type: file` (2.0), `format: binary` (3.0), or a string with a media type and without an encoding (3.1).
    """
    for part in together(schema):
        if part.text("type") == "file" or part.text("format") == "binary":
            return True
        if version >= "3.1" and "contentMediaType" in part and "contentEncoding" not in part:
            return not part.text("contentMediaType").startswith(("text/", "application/json"))
        if "items" in part and depth < 2:
            return is_bytes(part.at("items"), version, depth + 1)
    return False
