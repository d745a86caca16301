"""Guess a schema from example values. The schema is loose, so that most likely all other values satisfy it too."""

import json
import re

from mcpgen.base.jsonvalue import JsonObject, JsonValue

_DEEPEST = 12
_MOST_ITEMS = 20
"""Limit on the items of an array that are examined."""

VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
"""A variable of a collection, such as `{{baseUrl}}`."""

# A string or a comment without its end takes the rest of the text, so that no pattern reads the rest again and again.
_STRING = r'("(?:[^"\\]++|\\.)*+"?)'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_BARE = re.compile(rf"{_STRING}|\{{\{{([^{{}}]*)\}}\}}", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
ANY_OR_NULL: JsonObject = {"type": ["string", "number", "boolean", "object", "array", "null"]}
"""Schema of a null in an example. Other requests may send any value, and null as the example does."""

UNKNOWN = "{{}}"
"""Text that replaces a variable of the collection in a JSON value. The type of the variable's value is unknown."""


def parsed(text: str) -> JsonValue:
    """Return the JSON value of a body, in which variables may replace values, and which may contain comments.

    Raises ValueError if the text is not JSON apart from that.
    """
    text = _COMMENT.sub(lambda match: match[1] or " ", text)
    text = _BARE.sub(lambda match: match[1] or json.dumps(UNKNOWN), text)
    text = _TRAILING_COMMA.sub(lambda match: match[1] or "", text)
    value: JsonValue = json.loads(text, parse_constant=lambda _: None)
    return value


def guessed(value: JsonValue, depth: int = 0) -> JsonObject:
    """Return the schema of an example: its types and the names of members. No member is required.

    An integer in the example allows any number. null and variables leave the type open.
    """
    if value is None:
        return {**ANY_OR_NULL}
    if depth > _DEEPEST or (isinstance(value, str) and value == UNKNOWN):
        return {}
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, (int, float)):
        return {"type": "number"}
    if isinstance(value, str):
        return {"type": "string"}
    if isinstance(value, list):
        found: JsonObject = {}
        for item in value[:_MOST_ITEMS]:
            found = joined(found, guessed(item, depth + 1)) if found else guessed(item, depth + 1)
        return {"type": "array", "items": found}
    return {"type": "object", "properties": {name: guessed(member, depth + 1) for name, member in value.items()}}


def joined(one: JsonObject, other: JsonObject) -> JsonObject:
    """Return a schema that allows every value that either of two schemas allows. If their types differ, the type is
    left open.
    """
    if ANY_OR_NULL in (one, other):
        return {**ANY_OR_NULL}
    if not one or not other or one.get("type") != other.get("type"):
        return one if one == other else {}
    if "properties" in one and "properties" in other:
        mine, others = one["properties"], other["properties"]
        assert isinstance(mine, dict)
        assert isinstance(others, dict)
        names = [*mine, *(name for name in others if name not in mine)]
        members: JsonObject = {}
        for name in names:
            first, second = mine.get(name), others.get(name)
            both = isinstance(first, dict) and isinstance(second, dict)
            members[name] = joined(first, second) if both else (first if name in mine else second)  # type: ignore[arg-type]
        return {**one, "properties": members}
    if "items" in one and "items" in other:
        first, second = one["items"], other["items"]
        assert isinstance(first, dict)
        assert isinstance(second, dict)
        return {**one, "items": joined(first, second)}
    return one


def example(text: str) -> str:
    """Return a sentence with the example `text`, or "" if it is empty or contains a variable."""
    return "" if not text.strip() or VARIABLE.search(text) else f"Example: {text}"
