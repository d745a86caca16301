"""Translate schemas of Discovery documents, a dialect of JSON Schema draft 3, to JSON Schema 2020-12."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, pointer

_KEPT = ("pattern", "readOnly", "deprecated")
_FORMATS = {"google-datetime": "date-time", "google-duration": "", "google-fieldmask": ""}
_SAID = {
    "google-duration": "A duration in seconds that ends in `s`, such as `3.5s`.",
    "google-fieldmask": "Names of fields, separated by commas, such as `user.name,photo`.",
}
_MOST_VALUES = 12
"""Limit on the values of an enum whose descriptions are copied. In longer enums, the descriptions would cost too many
tokens.
"""


def schema(value: JsonValue) -> JsonObject:
    """Return the schema as JSON Schema 2020-12. References are changed to `#/components/schemas/NAME`."""
    raw = as_object(value)
    found: JsonObject = {key: raw[key] for key in _KEPT if key in raw}
    if isinstance(raw.get("$ref"), str):
        found["$ref"] = pointer("#/components/schemas", as_text(raw["$ref"]))
    kind = as_text(raw.get("type"))
    if kind and kind != "any":
        found["type"] = kind
    declared = as_text(raw.get("format"))
    if declared and (written := _FORMATS.get(declared, declared)):
        found["format"] = written
    if raw.get("enum"):
        found["enum"] = raw["enum"]
    for key, end in (("minimum", "minimum"), ("maximum", "maximum"), ("default", "default")):
        if key in raw and (number := constant(raw[key], kind)) is not None:
            found[end] = number
    if "properties" in raw:
        properties = as_object(raw["properties"])
        found["properties"] = {name: schema(member) for name, member in properties.items()}
        if required := [name for name, member in properties.items() if as_object(member).get("required") is True]:
            found["required"] = list[JsonValue](required)
    if "items" in raw:
        found["items"] = schema(raw["items"])
    if "additionalProperties" in raw:
        found["additionalProperties"] = schema(raw["additionalProperties"])
    if description := told(raw):
        found["description"] = description
    return found


def constant(value: JsonValue, kind: str) -> JsonValue:
    """Convert a default or limit, which Discovery documents write as text, to the type `kind`. Return None if the text
    is no value of this type.
    """
    if not isinstance(value, str):
        return value
    if kind in ("integer", "number"):
        try:
            return int(value) if kind == "integer" else float(value)
        except ValueError:
            return None
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.lower())
    return value if kind == "string" else None


def told(raw: JsonObject) -> str:
    """Return the description of a schema or parameter, with sentences added for keywords that only Discovery has."""
    sentences = [as_text(raw.get("description")).strip(), _SAID.get(as_text(raw.get("format")), "")]
    if methods := [text for text in as_list(as_object(raw.get("annotations")).get("required")) if text]:
        sentences.append(f"Required by {', '.join(as_text(method) for method in methods)}.")
    lines = [" ".join(filter(None, sentences)), *_values(raw)]
    return "\n".join(filter(None, lines))


def _values(raw: JsonObject) -> list[str]:
    """Return one line of text for each enum value that has a description."""
    values, descriptions = as_list(raw.get("enum")), as_list(raw.get("enumDescriptions"))
    if len(values) > _MOST_VALUES:
        return []
    pairs = zip(values, descriptions, strict=False)
    return [f"- `{as_text(value)}`: {as_text(text).strip()}" for value, text in pairs if as_text(text).strip()]
