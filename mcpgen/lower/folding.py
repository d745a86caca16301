"""Schemas that say less with fewer words: any value at all, and many alternatives as few.

What is folded takes at least what its parts take; nothing here looks into a document.
"""

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.lower.constraints import MOST_VALUES

SCALARS = ("string", "number", "integer", "boolean")

ANY_VALUE_NODES = 11
"""Nodes below the root of `any_value()`."""


def any_value(*, lists: bool = True, null: bool = False) -> JsonObject:
    """Any JSON value, for schemas that say nothing: providers want a type at every node. Lists hold no lists, or, below
    the deepest level, are no value at all.
    """
    found: list[JsonValue] = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}]
    if lists:
        found.append(any_list(lists=False))
    return {"anyOf": [*found, {"type": "null"}] if null else found}


def any_list(*, lists: bool = True) -> JsonObject:
    """A list of any values, null among them."""
    return {"type": "array", "items": any_value(lists=lists, null=True)}


def folded(members: list[JsonValue]) -> list[JsonValue]:
    """Many alternatives as few: the scalars once per type, and one object with what all objects have in common."""
    by_kind: dict[str, list[JsonObject]] = {}
    for member in map(as_object, members):
        by_kind.setdefault(as_text(member.get("type")), []).append(member)
    objects = by_kind.pop("object", [])
    rest: list[JsonValue] = [
        same[0] if len(same) == 1 else any_list() if kind == "array" else {"type": kind}
        for kind, same in by_kind.items()
    ]
    return [*rest, *([_common(objects)] if len(objects) > 1 else objects)]


def _common(objects: list[JsonObject]) -> JsonObject:
    """An object with the properties that all of `objects` have; one that tells them apart lists all its values."""
    shared: JsonObject = {}
    for key, first in as_object(objects[0].get("properties")).items():
        members = [as_object(as_object(other.get("properties")).get(key)) for other in objects]
        if all(members):
            shared[key] = _agreed(as_object(first), members)
    required = [key for key in shared if all(key in as_list(other.get("required")) for other in objects)]
    result: JsonObject = {
        "type": "object",
        "description": f"One of {len(objects)} shapes; further members depend on which.",
    }
    if shared:
        result["properties"] = shared
    if required:
        result["required"] = list[JsonValue](required)
    return result


def _agreed(first: JsonObject, members: list[JsonObject]) -> JsonObject:
    """What all of `members` have in common."""
    if all(member == first for member in members):
        return first
    words: JsonObject = {key: first[key] for key in ("description",) if key in first}
    if any("enum" not in member for member in members):
        kinds = {str(member.get("type")) for member in members}
        return {
            **({"type": kinds.pop()} if len(kinds) == 1 and kinds <= set(SCALARS) else any_value(null=True)),
            **words,
        }
    values = [value for member in members for value in as_list(member["enum"])]
    texts = list(dict.fromkeys(map(str, values)))
    return {"type": "string", **({"enum": list[JsonValue](texts)} if len(texts) <= MOST_VALUES else {}), **words}
