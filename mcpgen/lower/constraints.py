"""Constraints of a schema: those that the portable profile keeps as keywords, and words for the others."""

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list

FORMATS = frozenset({"date", "date-time", "email", "uuid"})
"""Formats that every provider knows; the others are said in words."""

MOST_VALUES = 250
_SPOKEN_VALUES = 40
_FORMAT_WORDS = {
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


def bounds(node: JsonObject, kind: str) -> JsonObject:
    """`minimum` and `maximum` of a number; exclusive bounds of an integer become inclusive ones."""
    result: JsonObject = {}
    for keyword in ("minimum", "maximum"):
        value = node.get(keyword)
        if isinstance(value, (int, float)):
            result[keyword] = int(value) if kind == "integer" and float(value).is_integer() else value
    if kind == "integer":
        low, high = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
        if isinstance(low, (int, float)) and float(low).is_integer():
            result["minimum"] = max(int(low) + 1, int(_number(result.get("minimum"), low)))
        if isinstance(high, (int, float)) and float(high).is_integer():
            result["maximum"] = min(int(high) - 1, int(_number(result.get("maximum"), high)))
    values = [value for value in as_list(node.get("enum")) if isinstance(value, int) and not isinstance(value, bool)]
    if len(values) > 1 and sorted(values) == list(range(min(values), max(values) + 1)):
        result.update(minimum=min(values), maximum=max(values))
    return result


def _number(value: JsonValue, otherwise: float) -> float:
    return value if isinstance(value, (int, float)) else otherwise


def in_words(node: JsonObject, kind: str = "") -> str:
    """What the profile has no keyword for, as short sentences."""
    said = [
        "Deprecated." if node.get("deprecated") is True else "",
        _values(node, kind),
        _FORMAT_WORDS.get(str(node.get("format")), "") if kind == "string" else "",
        "Base64." if node.get("contentEncoding") == "base64" else "",
        _range(node.get("minLength"), node.get("maxLength"), "character"),
        _range(node.get("minProperties"), node.get("maxProperties"), "member"),
        _exclusive(node) if kind == "number" else "",
        f"A multiple of {node['multipleOf']}." if node.get("multipleOf") not in (None, 1) else "",
        "No duplicates." if node.get("uniqueItems") is True else "",
    ]
    return " ".join(filter(None, said))


def _values(node: JsonObject, kind: str) -> str:
    """The values of an enum that the profile cannot list: numbers, and texts that are too many."""
    values: list[JsonValue] = [value for value in as_list(node.get("enum")) if value is not None]
    if node.get("const") is not None:
        values = [node["const"]]
    if kind in ("integer", "number"):
        shown = ", ".join(str(value) for value in values[:_SPOKEN_VALUES])
        return f"One of {shown}{', …' if len(values) > _SPOKEN_VALUES else ''}." if values else ""
    if kind == "string" and len(values) > MOST_VALUES:
        return f"One of {len(values)} values, such as {', '.join(str(value) for value in values[:5])}."
    if kind == "boolean" and len(values) == 1:
        return f"Always {str(values[0]).lower()}."
    return ""


def _range(low: JsonValue, high: JsonValue, unit: str) -> str:
    low = low if isinstance(low, int) and low > 0 else None
    high = high if isinstance(high, int) and high < 1_000_000 else None
    if low == 1 and high is None and unit == "character":
        return "Not empty."
    if low is not None and high is not None:
        return f"{low} {unit}{'s' * (low > 1)}." if low == high else f"{low} to {high} {unit}s."
    if low is not None:
        return f"At least {low} {unit}{'s' * (low > 1)}."
    return f"At most {high} {unit}{'s' * (high > 1)}." if high is not None else ""


def _exclusive(node: JsonObject) -> str:
    low, high = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    parts = [f"more than {low}" if low is not None else "", f"less than {high}" if high is not None else ""]
    text = " and ".join(filter(None, parts))
    return text[:1].upper() + text[1:] + "." if text else ""


def fitting(value: JsonValue, member: JsonObject) -> JsonValue:
    """`value` as the type of the portable node `member`, None where it is not one of its values. `"10"` is an integer
    where one is meant.
    """
    kind = member.get("type")
    if kind == "boolean":
        return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).lower())
    if kind in ("integer", "number"):
        return _fitting_number(value, member, kind == "integer")
    if kind == "string":
        return _fitting_text(value, as_list(member.get("enum")))
    if kind == "array":
        return value if isinstance(value, list) and _items_fit(value, member) else None
    return None


def _fitting_text(value: JsonValue, values: list[JsonValue]) -> JsonValue:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value) if not values or str(value) in values else None


def _items_fit(value: list[JsonValue], member: JsonObject) -> bool:
    items = member.get("items")
    return isinstance(items, dict) and all(fitting(item, items) == item for item in value)


def _fitting_number(value: JsonValue, member: JsonObject, integral: bool) -> JsonValue:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    low, high = member.get("minimum"), member.get("maximum")
    if (isinstance(low, (int, float)) and number < low) or (isinstance(high, (int, float)) and number > high):
        return None
    if number.is_integer():
        return int(number) if integral or not isinstance(value, float) else number
    return None if integral else number
