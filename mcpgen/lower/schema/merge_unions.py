"""Merge unions into simpler schemas: a schema for any value, or a few alternatives instead of many.

A merged schema accepts at least the values that its parts accept. The functions take schemas that were already
converted for clients, not those of the document.
"""

from collections import Counter
from itertools import takewhile

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, unique
from mcpgen.base.names import clipped
from mcpgen.lower.schema.constraints import MOST_VALUES
from mcpgen.lower.text.prose import ended, plain

SCALARS = ("string", "number", "integer", "boolean")

_MOST_LABELS = 4
_MOST_BESIDE = 3
OTHERS = "This object has more possible shapes, whose properties are not listed here."
"""Description of discriminator values whose schemas are not shown, because there are too many."""

ANY_VALUE_NODES = 11
"""Number of nodes below the root of `any_value()`."""


def any_value(*, lists: bool = True, null: bool = False) -> JsonObject:
    """Return a schema for any JSON value, with a type at every node, as model providers require.

    In values of this schema, lists contain no lists. `lists`: whether the schema allows lists.
    """
    found: list[JsonValue] = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}]
    if lists:
        found.append(any_list(lists=False))
    return {"anyOf": [*found, {"type": "null"}] if null else found}


def any_list(*, lists: bool = True) -> JsonObject:
    """Return a schema for a list whose items may be any value, including null."""
    return {"type": "array", "items": any_value(lists=lists, null=True)}


def folded(members: list[JsonValue]) -> list[JsonValue]:
    """Merge many alternatives into a few: one for each scalar type, and one object with the properties of all objects.

    The description of a property says which alternatives have it.
    """
    by_kind: dict[str, list[JsonObject]] = {}
    for member in map(as_object, members):
        by_kind.setdefault(as_text(member.get("type")), []).append(member)
    objects = by_kind.pop("object", [])
    rest: list[JsonValue] = [
        same[0] if len(same) == 1 else any_list() if kind == "array" else _one_scalar(kind, same)
        for kind, same in by_kind.items()
    ]
    return [*rest, *([_one_object(objects)] if len(objects) > 1 else objects)]


def tags_first(members: list[JsonValue]) -> list[JsonValue]:
    """Return the alternatives. In each object, the property that distinguishes the alternatives comes first."""
    objects = [as_object(member) for member in members if as_object(member).get("type") == "object"]
    tag = _tag(objects) if len(objects) > 1 else ""
    if not tag:
        return members
    return [_led_by(tag, member) for member in map(as_object, members)]


def _led_by(tag: str, member: JsonObject) -> JsonObject:
    """Return `member` with the property `tag` first, if it has that property."""
    properties, required = as_object(member.get("properties")), as_list(member.get("required"))
    if tag not in properties:
        return member
    led: JsonObject = {**member, "properties": {tag: properties[tag], **properties}}
    return {**led, "required": [tag, *(key for key in required if key != tag)]} if tag in required else led


def _tag(objects: list[JsonObject]) -> str:
    """Return the property by which `objects` are told apart, or "".

    The property has exactly one value in each object, but not the same value in all. If the last of three or more
    objects stands for all alternatives that are not listed (OTHERS), its values do not matter.
    """
    named = objects[:-1] if len(objects) > 2 and _is_of_others(objects[-1]) else objects
    for key in as_object(objects[0].get("properties")):
        each = (_only_value(as_object(as_object(other.get("properties")).get(key))) for other in named)
        values = list(takewhile(lambda value: value is not None, each))
        if len(values) == len(named) and len(set(values)) > 1:
            return key
    return ""


def _is_of_others(member: JsonObject) -> bool:
    return member.get("description") == OTHERS


def _only_value(node: JsonObject) -> str | None:
    values = as_list(node.get("enum"))
    return as_text(values[0]) if len(values) == 1 else None


def _one_scalar(kind: str, same: list[JsonObject]) -> JsonObject:
    """Merge scalars of one type. The result lists the values of all of them, or allows any value if one scalar has no
    enum.
    """
    values = unique(value for member in same for value in as_list(member.get("enum")))
    if all("enum" in member for member in same) and len(values) <= MOST_VALUES:
        return {"type": kind, "enum": values}
    return {"type": kind}


def _one_object(objects: list[JsonObject]) -> JsonObject:
    tag = _tag(objects)
    labels = [_only_value(as_object(as_object(other.get("properties")).get(tag))) or "" for other in objects]
    merged = _merged(objects, tag, labels)
    kinds, others = len(objects), ""
    if _is_of_others(objects[-1]):
        kinds, others = kinds - 1, f" {OTHERS}"
    apart = f", told apart by {clipped(plain(tag))}"
    told = apart if tag else "; which properties belong together depends on the shape"
    led = _led_by(tag, merged) if tag else merged
    return {**led, "description": f"One of {kinds} shapes{told}.{others}"}


def _merged(objects: list[JsonObject], tag: str, labels: list[str]) -> JsonObject:
    """Merge objects into one object with the properties of all. `tag`: the distinguishing property, or "" if there is
    none. `labels`: for each object, the value of `tag`, or "".
    """
    found: dict[str, list[tuple[str, JsonObject]]] = {}
    for label, member in zip(labels, objects, strict=True):
        for key, schema in as_object(member.get("properties")).items():
            found.setdefault(key, []).append((label, as_object(schema)))
    properties: JsonObject = {}
    for key, places in found.items():
        agreed = _agreed([schema for _, schema in places], tag, [label for label, _ in places])
        everywhere = len(places) == len(objects)
        properties[key] = agreed if everywhere else _noted(agreed, tag, [label for label, _ in places])
    demanded = Counter(key for other in objects for key in set(map(str, as_list(other.get("required")))))
    required = [key for key in properties if demanded[key] == len(objects)]
    result: JsonObject = {"type": "object"}
    if properties:
        result["properties"] = properties
    if required:
        result["required"] = list[JsonValue](required)
    return result


def _noted(schema: JsonObject, tag: str, labels: list[str]) -> JsonObject:
    """Return the schema of a property, with a sentence that lists the values of `tag` in the alternatives with this
    property. A long list is left out.
    """
    labels = list(dict.fromkeys(filter(None, labels)))
    if not 0 < len(labels) <= _MOST_LABELS:
        return schema
    values = " or ".join(clipped(plain(label), 40) for label in labels)
    note = f"Applies if {clipped(plain(tag))} is {values}."
    return {**schema, "description": f"{ended(as_text(schema.get('description')))} {note}".strip()}


def _parts(schema: JsonObject) -> list[JsonObject]:
    """Return the alternatives in `schema`, nested ones included."""
    inner = as_list(schema.get("anyOf"))
    return [part for member in inner for part in _parts(as_object(member))] if inner else [schema]


def _agreed(schemas: list[JsonObject], tag: str, labels: list[str]) -> JsonObject:
    """Return one schema for a property of several objects. It accepts at least the values that any of `schemas`
    accepts. `tag`: the property that distinguishes the objects, or "". `labels`: for each object, the value of `tag`,
    or "".
    """
    distinct = list(map(as_object, unique(schemas)))
    if len(distinct) == 1:
        return distinct[0]
    kinds = {as_text(schema.get("type")) for schema in distinct}
    words: JsonObject = {"description": schemas[0]["description"]} if "description" in schemas[0] else {}
    if kinds == {"object"} and not any("additionalProperties" in schema for schema in distinct):
        return {**_merged(schemas, tag, labels), **words}
    if kinds <= set(SCALARS) and len(kinds) == 1:
        return {**_one_scalar(kinds.pop(), distinct), **words}
    parts = (part for schema in distinct for part in _parts(schema))
    plain_ones = unique({key: value for key, value in part.items() if key != "description"} for part in parts)
    beside = folded(plain_ones) if len(plain_ones) > _MOST_BESIDE else plain_ones
    return {**as_object(beside[0]), **words} if len(beside) == 1 else {"anyOf": beside, **words}
