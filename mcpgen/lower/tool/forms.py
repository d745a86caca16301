"""Write fields of a form in the restricted schemas of MCP's elicitation.

A field is a text, a number, a boolean, or a choice of one or several texts. Other constraints in the schema of an
argument are checked after the user has answered.
"""

from collections.abc import Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object

FORMATS = ("email", "uri", "date", "date-time")
"""Formats of strings that a form supports."""

_KEPT: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "default"),
    "number": ("minimum", "maximum", "default"),
    "integer": ("minimum", "maximum", "default"),
    "boolean": ("default",),
}
_TEXTS = ("title", "description")
_KIND = ("type", "enum", "oneOf", "items")
"""Keywords that decide the kind of a field."""


class Unaskable(Exception):
    """Raised for a schema that a form cannot express. The message is the end of a sentence about the field."""


def form_field(written: JsonObject, argument: JsonObject) -> JsonObject:
    """Return the schema of a field: what the project's owner has written, completed from the schema of its argument.

    Raises Unaskable if MCP's elicitation has no schema for such a field.
    """
    own = not written.keys().isdisjoint(_KIND)
    return _field(written if own else {**_plain(argument), **written})


def _plain(schema: JsonObject) -> JsonObject:
    """Return a schema without the alternative null."""
    kinds = [kind for kind in as_list(schema.get("type")) if kind != "null"]
    if len(kinds) == 1:
        return {**schema, "type": kinds[0]}
    branches = [each for each in map(as_object, as_list(schema.get("anyOf"))) if each.get("type") != "null"]
    return {**branches[0], **{key: schema[key] for key in _TEXTS if key in schema}} if len(branches) == 1 else schema


def _field(schema: JsonObject) -> JsonObject:
    words: JsonObject = {key: schema[key] for key in _TEXTS if schema.get(key)}
    if "oneOf" in schema or "enum" in schema:
        return {"type": "string", **words, **_choice(schema, "oneOf"), **_default(schema)}
    kind = schema.get("type", "array" if "items" in schema else "string")
    if kind == "array":
        items = as_object(schema.get("items"))
        choices = _choice(items, "oneOf" if "oneOf" in items else "anyOf")
        inner: JsonObject = {"anyOf": choices["oneOf"]} if "oneOf" in choices else {"type": "string", **choices}
        bounds: JsonObject = {key: schema[key] for key in ("minItems", "maxItems") if key in schema}
        return {"type": "array", **words, **bounds, "items": inner, **_default(schema)}
    if not isinstance(kind, str) or kind not in _KEPT:
        raise Unaskable("is neither a text, a number, true or false, nor a choice among texts")
    field: JsonObject = {"type": kind, **words, **{key: schema[key] for key in _KEPT[kind] if key in schema}}
    if kind == "string" and schema.get("format") in FORMATS:
        field["format"] = schema["format"]
    return field


def _choice(schema: JsonObject, titled: str) -> JsonObject:
    """Return the keywords for a choice among texts. Raises Unaskable if other values are among the choices."""
    found: list[JsonValue] = []
    for each in map(as_object, as_list(schema.get(titled))):
        value = each.get("const")
        if not isinstance(value, str):
            raise Unaskable("offers something other than texts: each choice needs `const` and `title`")
        found.append({"const": value, "title": each.get("title") or value})
    if found:
        return {"oneOf": found}
    values, names = as_list(schema.get("enum")), as_list(schema.get("enumNames"))
    if not values or not all(isinstance(value, str) for value in values):
        raise Unaskable("offers something other than texts to choose from")
    if names and len(names) != len(values):
        raise Unaskable("has another number of `enumNames` than of values")
    return {"enum": values, **({"enumNames": names} if names else {})}


def _default(schema: JsonObject) -> JsonObject:
    return {"default": schema["default"]} if "default" in schema else {}


def contradiction(field: JsonObject) -> str:
    """Return the keyword of a field's lower bound, such as `minimum`, if the bound is above the upper bound;
    else "".
    """
    for least, greatest in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        low, high = field.get(least), field.get(greatest)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
            return least
    return ""


def fits(field: JsonObject) -> bool:
    """Return True if the default of a field is a valid value of the field."""
    if "default" not in field:
        return True
    default, kind = field["default"], field["type"]
    if kind == "boolean":
        return isinstance(default, bool)
    if kind == "array":
        known = set(_values(as_object(field["items"])))
        return (
            isinstance(default, list) and set(map(str, default)) <= known and _is_within(field, "Items", len(default))
        )
    if kind in ("number", "integer"):
        number = isinstance(default, int if kind == "integer" else (int, float)) and not isinstance(default, bool)
        return number and _is_within(field, "imum", default)
    if not isinstance(default, str) or not _is_within(field, "Length", len(default)):
        return False
    return not _values(field) or default in _values(field)


def _is_within(field: JsonObject, bound: str, value: JsonValue) -> bool:
    """Return True if `value` lies between the minimum and the maximum of a form's field, as far as these are set.

    `bound`: suffix of the keywords for minimum and maximum, such as `Length` for `minLength` and `maxLength`.
    """
    low, high = field.get(f"min{bound}"), field.get(f"max{bound}")
    assert isinstance(value, (int, float))
    above = not isinstance(low, (int, float)) or value >= low
    return above and (not isinstance(high, (int, float)) or value <= high)


def _values(field: JsonObject) -> list[JsonValue]:
    """Return the values that a field offers, or [] if the field is not a choice."""
    titled = [as_object(each)["const"] for key in ("oneOf", "anyOf") for each in as_list(field.get(key))]
    return titled or as_list(field.get("enum"))
