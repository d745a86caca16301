"""Convert the constraints of a schema: keep keywords that every client accepts (the portable profile), and put other
constraints into words.
"""

import re
import sys

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.base.names import clipped
from mcpgen.lower.text.prose import plain

FORMATS = frozenset({"date", "date-time", "uuid"})
"""Formats that every provider and framework accepts. Other formats are described in words.

If one schema has the format `email`, AutoGen loses all tools of a server, unless a package is installed that AutoGen
does not depend on.
"""

EMPTY = "^$"
"""Pattern that only the empty string matches. The pattern replaces "" in an enum, because model providers refuse an
empty string there.
"""

MOST_VALUES = 250
NEEDS = "needs"
"""Internal key, not a keyword: a sentence about the properties that the alternatives of a node require."""

UNDEFINED = "undefined"
"""Internal key, not a keyword: marks a node whose reference points to nothing."""

UNDEFINED_WORDS = "Not fully defined in the API's document."

_SPOKEN = frozenset(
    (
        UNDEFINED,
        *("deprecated", "enum", "const", "format", "contentEncoding", NEEDS, "multipleOf", "uniqueItems"),
        *("minLength", "maxLength", "minProperties", "maxProperties", "exclusiveMinimum", "exclusiveMaximum"),
    )
)
"""Keywords for which `in_words` writes sentences. One test against this set saves ten lookups at most nodes."""

_LARGEST = int(sys.float_info.max)
_SPOKEN_VALUES = 40
_MOST_COUNTED = 1_000_000
# Models do not write texts of this length, and some APIs set `maxLength` on every string.
_MOST_CHARACTERS = 5000
_FORMS = {
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "date-time": re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)"),
    "uuid": re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
}
"""Format → pattern that a default of that format must match."""

_NUMBER = re.compile(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][-+]?[0-9]{1,3})?")
FORMAT_WORDS = {
    "email": "An email address.",
    "uri": "A URI.",
    "url": "A URL.",
    "uri-reference": "A URI or a relative reference.",
    "hostname": "A host name.",
    "ipv4": "An IPv4 address.",
    "ipv6": "An IPv6 address.",
    "time": "A time, as hh:mm:ss.",
    "duration": "An ISO 8601 duration, such as P3D.",
    "unix-time": "A Unix time in seconds.",
}
"""Format → sentence for formats that the portable profile does not have.

`regenerate/diff/limits_in_text.py` parses these sentences and those of `in_words`, and must know every new sentence.
"""


def bounds(node: JsonObject, kind: str) -> JsonObject:
    """Return `minimum` and `maximum` for a schema of a number, in the form that every client accepts.

    Exclusive bounds of an integer become inclusive, and bounds outside the range of a double are left out.
    """
    result: JsonObject = {}
    for keyword in ("minimum", "maximum"):
        value = _number(node.get(keyword))
        if value is not None:
            result[keyword] = int(value) if kind == "integer" and _is_integral(value) else value
    if kind == "integer":
        low, high = _number(node.get("exclusiveMinimum")), _number(node.get("exclusiveMaximum"))
        inclusive = (_number(result.get("minimum")), _number(result.get("maximum")))
        if low is not None and _is_integral(low):
            result["minimum"] = int(low) + 1 if inclusive[0] is None else max(int(low) + 1, inclusive[0])
        if high is not None and _is_integral(high):
            result["maximum"] = int(high) - 1 if inclusive[1] is None else min(int(high) - 1, inclusive[1])
    result.update(_run(as_list(node.get("enum"))))
    return result


def _run(enum: list[JsonValue]) -> JsonObject:
    """Return `minimum` and `maximum` for an enum of consecutive integers, or {} for any other enum."""
    values = [number for value in enum if (number := _number(value)) is not None]
    whole = {int(value) for value in values if _is_integral(value)}
    if len(whole) < 2 or not all(map(_is_integral, values)) or max(whole) - min(whole) + 1 != len(whole):
        return {}
    return {"minimum": min(whole), "maximum": max(whole)}


def _number(value: JsonValue) -> int | float | None:
    """Return `value` if it is a number that every JSON parser accepts (in the range of a double), else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if abs(value) <= _LARGEST else None


def _is_integral(number: int | float) -> bool:
    return isinstance(number, int) or number.is_integer()


def in_words(node: JsonObject, kind: str = "") -> str:
    """Return short sentences for the constraints whose keywords some clients do not accept."""
    if _SPOKEN.isdisjoint(node):
        return ""
    said = [
        "Deprecated." if node.get("deprecated") is True else "",
        _values(node, kind),
        FORMAT_WORDS.get(str(node.get("format")), "") if kind == "string" and "enum" not in node else "",
        "Base64." if node.get("contentEncoding") == "base64" else "",
        str(node.get(NEEDS, "")),
        UNDEFINED_WORDS if UNDEFINED in node else "",
        _range(node.get("minLength"), _told(node.get("maxLength")), "character"),
        _range(node.get("minProperties"), node.get("maxProperties"), "member"),
        _exclusive(node) if kind == "number" else "",
        f"A multiple of {_spoken(node['multipleOf'])}." if node.get("multipleOf") not in (None, 1) else "",
        "No duplicates." if node.get("uniqueItems") is True and kind in ("", "array") else "",
    ]
    return " ".join(filter(None, said))


def _values(node: JsonObject, kind: str) -> str:
    """Return a sentence that replaces an `enum` or `const` of numbers, of a single boolean, or of more than MOST_VALUES
    strings, since the tool's schema omits these keywords. Return "" otherwise.
    """
    values: list[JsonValue] = [value for value in as_list(node.get("enum")) if value is not None]
    if node.get("const") is not None:
        values = [node["const"]]
    if kind in ("integer", "number"):
        values = [value for value in values if _number(value) is not None]
        shown = ", ".join(map(_spoken, values[:_SPOKEN_VALUES]))
        if len(values) == 1:
            return f"Always {shown}."
        return f"One of {shown}{', …' if len(values) > _SPOKEN_VALUES else ''}." if values else ""
    if kind == "string" and len(values) > MOST_VALUES:
        return f"One of {len(values)} values, such as {', '.join(map(_spoken, values[:5]))}."
    if kind == "boolean" and len(values) == 1:
        return f"Always {_spoken(values[0]).lower()}."
    return ""


def as_written(value: JsonValue) -> str | None:
    """Return a value in the enum of a string as text, or None for an array, object or null.

    Such a value can be a number or boolean, because YAML reads an unquoted `1` or `true` as a number or boolean.
    """
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (str, int, float)) else None


def _spoken(value: JsonValue) -> str:
    """Return a value for a sentence: on one line, short, without hidden characters."""
    return clipped(plain(str(value)), 40)


def _range(low: JsonValue, high: JsonValue, unit: str) -> str:
    low = low if isinstance(low, int) and 0 < low < _MOST_COUNTED else None
    high = high if isinstance(high, int) and high < _MOST_COUNTED else None
    if low == 1 and high is None and unit == "character":
        return "Not empty."
    if low is not None and high is not None:
        return f"{low} {unit}{'s' * (low > 1)}." if low == high else f"{low} to {high} {unit}s."
    if low is not None:
        return f"At least {low} {unit}{'s' * (low > 1)}."
    return f"At most {high} {unit}{'s' * (high > 1)}." if high is not None else ""


def _told(longest: JsonValue) -> JsonValue:
    """Return `longest`, a maximum length, if it is below _MOST_CHARACTERS, else None.

    Models do not write longer texts, so a higher limit only costs tokens.
    """
    return longest if isinstance(longest, int) and longest < _MOST_CHARACTERS else None


def _exclusive(node: JsonObject) -> str:
    low, high = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    parts = [
        f"more than {_spoken(low)}" if low is not None else "",
        f"less than {_spoken(high)}" if high is not None else "",
    ]
    text = " and ".join(filter(None, parts))
    return text[:1].upper() + text[1:] + "." if text else ""


def are_of_format(values: JsonValue, name: JsonValue) -> bool:
    """Return True if every value of the enum `values` has the format `name`, or if there is no enum.

    If the result is False, the caller keeps the enum and drops the format.
    """
    form = _FORMS[str(name)]
    return all(isinstance(value, str) and form.fullmatch(value) is not None for value in as_list(values))


def fitting(value: JsonValue, member: JsonObject) -> JsonValue:
    """Return `value` converted to the type of the emitted schema `member`, or None if it does not fit.

    `"10"` becomes 10 for an integer.
    """
    kind = member.get("type")
    if kind == "boolean":
        return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).lower())
    if kind in ("integer", "number"):
        return _fitting_number(value, member, kind == "integer")
    if kind == "string":
        text = _fitting_text(value, as_list(member.get("enum")))
        form = _FORMS.get(str(member.get("format")))
        return text if form is None or (isinstance(text, str) and form.fullmatch(text)) else None
    if kind == "array":
        return value if isinstance(value, list) and _items_fit(value, member) else None
    return None


def _fitting_text(value: JsonValue, values: list[JsonValue]) -> JsonValue:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value) if not values or str(value) in values else None


def _items_fit(value: list[JsonValue], member: JsonObject) -> bool:
    items = member.get("items")
    return isinstance(items, dict) and all(item is not None and fitting(item, items) == item for item in value)


def _fitting_number(value: JsonValue, member: JsonObject, integral: bool) -> JsonValue:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value) if value.lstrip("-").isdigit() else float(value)
    number = _number(value)
    if number is None:
        return None
    low, high = _number(member.get("minimum")), _number(member.get("maximum"))
    if (low is not None and number < low) or (high is not None and number > high):
        return None
    if integral:
        return int(number) if _is_integral(number) else None
    return number
