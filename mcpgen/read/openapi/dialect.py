"""Convert a schema from any dialect of OpenAPI to JSON Schema 2020-12.

OpenAPI 3.0 has its own dialect (`nullable`, boolean `exclusiveMinimum`, `format: binary`), and 3.1 uses 2020-12.
Published documents mix both and hold values of wrong types (`required: "false"`, `type: String`). So one function reads
all dialects leniently.

The result holds only keywords of 2020-12 and of OpenAPI's vocabulary, each with a value of the right type. Other
members are dropped: extensions, markup such as `xml`, and examples, which are kept only in a schema with a `pattern`. A
keyword with a wrong value is dropped too, but never the whole schema.

Where no value of an `enum` has the type of its schema, both are made to agree. Without this, a tool would show no
values. Authors write the values of the items beside `type: array`, and numbers and booleans as texts. In any other
schema of this kind, the values say more than the type.
"""

import re
from typing import Protocol

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object

_PYTHON: dict[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "object": dict,
}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_BOOLEANS = {"true": True, "false": False}


class Names(Protocol):
    """Interface for naming the schemas to which the references of a schema lead. Implemented in `schemas.py`."""

    def count(self) -> None:
        """Count one more subschema of the schema that is converted. Raises SkipOperation if this schema, or all schemas
        converted so far together, have too many subschemas.
        """

    def of(self, reference: str) -> str:
        """Return the unique name of the schema to which the `$ref` with the value `reference` leads."""

    def of_dynamic(self, reference: str) -> str:
        """Return the unique name of the schema to which the `$dynamicRef` with the value `reference` leads."""

    def of_embedded(self, raw: JsonObject) -> str | None:
        """Return the name of `raw` if it is an embedded schema resource (a subschema with `$id`), else None.

        The converted schema contains a `$ref` to this name in place of `raw`.
        """


TYPES = ("null", "boolean", "object", "array", "number", "integer", "string")
LENIENT_TYPES = {
    **dict.fromkeys(("str", "text", "char", "date", "datetime", "date-time", "uuid", "file", "binary"), "string"),
    **dict.fromkeys(("int", "int32", "int64", "long", "short"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("dict", "map"), "object"),
    "bool": "boolean",
    "list": "array",
}
"""Misspelt names of types → the types that authors mean by them."""

_ONE_SCHEMA = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedProperties", "unevaluatedItems", "contentSchema",
)  # fmt: skip
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMA_MAPS = ("properties", "patternProperties", "dependentSchemas")
_TEXTS = ("description", "title", "format", "pattern", "contentEncoding", "contentMediaType")
_FLAGS = ("readOnly", "writeOnly", "deprecated", "uniqueItems")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_BESIDE_NULL: tuple[str, ...] = ("description", "title", "readOnly", "writeOnly", "deprecated")
_COUNTS = (
    "minContains",
    "maxContains",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
)
_SELDOM = frozenset((*_FLAGS, "xml"))
_BOUNDS = frozenset(_NUMBERS + _COUNTS)
_WITH_SUBSCHEMAS = frozenset(_ONE_SCHEMA + _SCHEMA_LISTS + _SCHEMA_MAPS)
"""Keywords that hold subschemas. Most schemas have none of them, and then twenty lookups are skipped."""


def convert(raw: JsonValue, names: Names) -> JsonObject:
    """Return `raw` as a 2020-12 schema object.

    `true` and values that are not a schema become `{}`, `false` becomes `{"not": {}}`.
    """
    if raw is False:
        return {"not": {}}
    if not isinstance(raw, dict):
        return {}
    names.count()
    schema: JsonObject = {}
    reference = raw.get("$ref")
    if isinstance(reference, str):
        schema["$ref"] = names.of(reference)
    elif isinstance(dynamic := raw.get("$dynamicRef", raw.get("$recursiveRef")), str):
        schema["$ref"] = names.of_dynamic(dynamic)
    _types(raw, schema)
    _plain_keywords(raw, schema)
    if not _BOUNDS.isdisjoint(raw):
        _bounds(raw, schema)
    if not _WITH_SUBSCHEMAS.isdisjoint(raw):
        _subschemas(raw, schema, names)
    if "enum" in schema:
        _agree(schema)
    if "dependentRequired" in raw:
        _dependents(raw, schema)
    if "discriminator" in raw:
        _discriminator(raw, schema, names)
    if raw.get("nullable") is True or raw.get("x-nullable") is True:
        _allow_null(schema)
    return schema


def _subschema(raw: JsonValue, names: Names) -> JsonObject:
    name = names.of_embedded(raw) if isinstance(raw, dict) and "$id" in raw else None
    return {"$ref": name} if name else convert(raw, names)


def _types(raw: JsonObject, schema: JsonObject) -> None:
    declared = raw.get("type")
    if isinstance(declared, str) and declared in TYPES:
        schema["type"] = declared
        return
    words = declared if isinstance(declared, list) else [declared]
    known: list[JsonValue] = []
    for word in words:
        if isinstance(word, str):
            kind = word.lower() if word.lower() in TYPES else LENIENT_TYPES.get(word.lower())
            if kind and kind not in known:
                known.append(kind)
    if known:
        schema["type"] = known[0] if len(known) == 1 else known
    if declared in ("file", "binary"):
        schema["format"] = "binary"


def _plain_keywords(raw: JsonObject, schema: JsonObject) -> None:
    for keyword in _TEXTS:
        value = raw.get(keyword)
        if isinstance(value, str):
            schema[keyword] = value
    if not _SELDOM.isdisjoint(raw):
        _seldom_keywords(raw, schema)
    enum = raw.get("enum")
    if isinstance(enum, list) and enum:
        schema["enum"] = enum
    for keyword in ("const", "default"):
        if keyword in raw:
            schema[keyword] = raw[keyword]
    if "pattern" in schema:
        _examples(raw, schema)
    required = raw.get("required")
    if isinstance(required, list):
        schema["required"] = list(dict.fromkeys(entry for entry in required if isinstance(entry, str)))
    if schema.get("format") == "byte":
        del schema["format"]
        schema["contentEncoding"] = "base64"


def _examples(raw: JsonObject, schema: JsonObject) -> None:
    """Copy the examples of `raw` into `schema`, which has a pattern. Later code tests the pattern with these
    examples.
    """
    declared = raw.get("examples")
    examples = [*(declared if isinstance(declared, list) else ()), raw.get("example")]
    if texts := [example for example in examples if isinstance(example, str)]:
        schema["examples"] = list[JsonValue](texts)


def _seldom_keywords(raw: JsonObject, schema: JsonObject) -> None:
    for keyword in _FLAGS:
        if raw.get(keyword) is True:
            schema[keyword] = True
    if isinstance(raw.get("xml"), dict):
        schema["xml"] = raw["xml"]


def _dependents(raw: JsonObject, schema: JsonObject) -> None:
    declared = raw.get("dependentRequired")
    if isinstance(declared, dict):
        lists = {key: value for key, value in declared.items() if isinstance(value, list)}
        schema["dependentRequired"] = {key: [each for each in lists[key] if isinstance(each, str)] for key in lists}


def _bounds(raw: JsonObject, schema: JsonObject) -> None:
    for keyword in _NUMBERS:
        value = raw.get(keyword)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and (keyword != "multipleOf" or value > 0):
            schema[keyword] = value
    for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if raw.get(exclusive) is True and inclusive in schema:
            schema[exclusive] = schema.pop(inclusive)
    for keyword in _COUNTS:
        value = raw.get(keyword)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            schema[keyword] = value


def _subschemas(raw: JsonObject, schema: JsonObject, names: Names) -> None:
    for keyword in _ONE_SCHEMA:
        value = raw.get(keyword)
        if isinstance(value, list) and keyword == "items":
            schema["prefixItems"] = [_subschema(item, names) for item in value]
        elif isinstance(value, bool) and keyword in (
            "additionalProperties",
            "unevaluatedProperties",
            "unevaluatedItems",
        ):
            schema[keyword] = value
        elif isinstance(value, (dict, bool)):
            schema[keyword] = _subschema(value, names)
    for keyword in _SCHEMA_LISTS:
        value = raw.get(keyword)
        if isinstance(value, list) and value:
            schema[keyword] = [_subschema(item, names) for item in value]
    for keyword in _SCHEMA_MAPS:
        value = raw.get(keyword)
        if isinstance(value, dict):
            schema[keyword] = {key: _subschema(member, names) for key, member in value.items()}


def _discriminator(raw: JsonObject, schema: JsonObject, names: Names) -> None:
    """Convert a discriminator (OpenAPI 3.1, 4.8.25) and add it to `schema`.

    Values of its mapping are references or bare schema names; both are converted to names of schemas. In Swagger 2.0,
    the whole discriminator is only the name of a property.
    """
    declared = raw.get("discriminator")
    if isinstance(declared, str):
        declared = {"propertyName": declared}
    if not isinstance(declared, dict) or not isinstance(declared.get("propertyName"), str):
        return
    mapping = declared.get("mapping")
    targets: JsonObject = {}
    for value, target in mapping.items() if isinstance(mapping, dict) else ():
        if isinstance(target, str):
            targets[value] = names.of(target if "#" in target or "/" in target else f"#/components/schemas/{target}")
    schema["discriminator"] = {"propertyName": declared["propertyName"], "mapping": targets}


def _allow_null(schema: JsonObject) -> None:
    """Apply `nullable: true` of OpenAPI 3.0, or the older `x-nullable`, to `schema`. The keyword may stand beside a
    `$ref`, `allOf`, `anyOf` or `oneOf`.
    """
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "null":
        schema["type"] = [kind, "null"]
        enum = schema.get("enum")
        if isinstance(enum, list) and None not in enum:
            schema["enum"] = [*enum, None]
    elif kind is None and any(keyword in schema for keyword in ("$ref", "allOf", "anyOf", "oneOf", "enum")):
        inner = dict(schema)
        outer: JsonObject = {keyword: inner.pop(keyword) for keyword in _BESIDE_NULL if keyword in inner}
        schema.clear()
        schema.update(outer)
        schema["anyOf"] = [inner, {"type": "null"}]


def _agree(schema: JsonObject) -> None:
    """Change `schema`, which is in JSON Schema 2020-12, in place, if none of the values of its `enum` has its type.

    Values of a schema of the type `string` are left alone: all other scalars can be read as texts.
    """
    kinds = [kind for kind in as_list(schema.get("type")) or [schema.get("type")] if kind != "null"]
    values = as_list(schema.get("enum"))
    if len(kinds) != 1 or kinds[0] not in _PYTHON or all(value is None for value in values):
        return
    kind = str(kinds[0])
    converted = [_converted(value, kind) for value in values]
    if any(_is_of(value, kind) for value in converted):
        schema["enum"] = converted
    elif kind == "array":
        schema["items"] = {"enum": values, **as_object(schema.get("items"))}
        _agree(as_object(schema["items"]))
        del schema["enum"]
    else:
        del schema["type"]


def _is_of(value: JsonValue, kind: str) -> bool:
    return isinstance(value, _PYTHON[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _converted(value: JsonValue, kind: str) -> JsonValue:
    """Return a text as the number or boolean that it stands for if `kind` is such a type, else the value unchanged."""
    if not isinstance(value, str):
        return value
    if kind == "boolean":
        return _BOOLEANS.get(value.strip().lower(), value)
    found = _NUMBER.fullmatch(value.strip())
    if found is None or kind not in ("integer", "number") or (kind == "integer" and found[1]):
        return value
    return float(found[0]) if found[1] else int(found[0])
