"""Draw schemas, valid and invalid, and instances of the valid ones, as hypothesis strategies.

Valid schemas are for OpenAPI 3.1 and refer to one another by the names in DEFINITIONS; `as_3_0` converts one to the
dialect of 3.0. A simple generator guesses instances, and a validator keeps those that the original schema accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import strategies as st

Schema: TypeAlias = dict[str, Any]
NAMES = ("D0", "D1", "D2")
KEYS = ("a", "b", "c", "any key", "id")

SCALAR_VALUES = st.none() | st.booleans() | st.integers(-5, 12) | st.sampled_from([0.5, 2.0, "", "a", "ab", "b", "1"])


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _some(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    return st.fixed_dictionaries({}, optional=optional)


def _joined(*parts: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return st.tuples(*parts).map(lambda found: {key: value for part in found for key, value in part.items()})


NUMBERS = st.integers(-3, 9) | st.sampled_from([0.5, 2.0, 3.5])
TEXTS = _joined(
    st.just({"type": "string"}),
    _some(
        enum=st.lists(st.sampled_from(["a", "ab", "b", "", 1]), min_size=1, max_size=3),
        minLength=st.integers(0, 2),
        pattern=st.sampled_from(["^a", "b$", "^(?=a)", "["]).filter(lambda text: text != "["),
        format=st.sampled_from(["uri", "nonsense"]),
        const=st.sampled_from(["a", "b"]),
        default=SCALAR_VALUES,
        description=st.sampled_from(["Text.", "**x**"]),
    ),
)
COUNTS = _joined(
    st.sampled_from([{"type": "integer"}, {"type": "number"}]),
    _some(
        enum=st.lists(NUMBERS, min_size=1, max_size=4),
        minimum=NUMBERS,
        maximum=NUMBERS,
        exclusiveMinimum=NUMBERS,
        exclusiveMaximum=NUMBERS,
        multipleOf=st.sampled_from([1, 2, 0.5]),
        default=SCALAR_VALUES,
    ),
)
LEAVES = st.one_of(
    TEXTS,
    COUNTS,
    st.just({"type": "boolean"}),
    st.just({}),
    st.sampled_from(NAMES).map(reference),
    st.sampled_from(
        [["string", "null"], ["integer", "null"], ["string", "integer"], ["boolean", "string", "null"]]
    ).map(lambda types: {"type": types}),
)


def _objects(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return _joined(
        st.sampled_from([{"type": "object"}, {"type": "object"}, {"type": ["object", "null"]}]),
        _some(
            properties=st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
            required=st.lists(st.sampled_from(KEYS), max_size=2, unique=True),
            additionalProperties=st.booleans() | inner,
            patternProperties=st.dictionaries(st.sampled_from(["^a", "y$"]), inner, max_size=1),
        ),
    )


def _arrays(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return _joined(
        st.just({"type": "array"}),
        _some(
            items=inner,
            prefixItems=st.lists(inner, min_size=1, max_size=2),
            minItems=st.integers(0, 1),
            maxItems=st.integers(1, 3),
            uniqueItems=st.booleans(),
            default=st.lists(SCALAR_VALUES, max_size=2),
        ),
    )


def _unions(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    branches = st.lists(inner | st.just({"type": "null"}), min_size=1, max_size=3)
    many = st.lists(inner, min_size=9, max_size=11)
    return st.one_of(
        st.builds(lambda found: {"anyOf": found}, branches | many),
        st.builds(lambda found: {"oneOf": found}, branches),
        st.builds(lambda found: {"allOf": found}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda whole, found: {**whole, "anyOf": found}, _objects(inner), st.lists(_objects(inner), max_size=2)
        ),
        st.builds(
            lambda whole, found: {**whole, "allOf": found}, _objects(inner), st.lists(_objects(inner), max_size=2)
        ),
        st.builds(lambda name, whole: {**reference(name), **whole}, st.sampled_from(NAMES), _objects(inner)),
    )


VALID: st.SearchStrategy[Schema] = st.recursive(
    LEAVES, lambda inner: _objects(inner) | _arrays(inner) | _unions(inner), max_leaves=10
)
DEFINITIONS: st.SearchStrategy[dict[str, Schema]] = st.fixed_dictionaries(dict.fromkeys(NAMES, VALID))


_NOT_IN_3_0 = ("const", "enum", "default", "prefixItems", "patternProperties")


def as_3_0(schema: Any) -> Any:
    """Convert a schema of OpenAPI 3.1 to the dialect of 3.0.

    Drop `prefixItems`, `patternProperties`, keywords beside `$ref`, and all but one of several non-null types.
    """
    if isinstance(schema, list):
        return [as_3_0(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    found: Schema = {key: as_3_0(value) for key, value in schema.items() if key not in _NOT_IN_3_0}
    found |= {key: schema[key] for key in ("enum", "default") if key in schema}
    if "const" in schema:
        found["enum"] = [schema["const"]]
    types = schema.get("type")
    if isinstance(types, list):
        plain = [kind for kind in types if kind != "null"]
        found["type"] = plain[0]
        if "null" in types:
            found["nullable"] = True
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if exclusive in schema:
            found[bound], found[exclusive] = schema[exclusive], True
    return found


def meaning_of_3_0(schema: Any) -> Any:
    """Convert a schema of OpenAPI 3.0 to JSON Schema 2020-12, by OpenAPI 3.0.3 (4.7.24).

    The compiler must agree with the result.
    """
    if isinstance(schema, list):
        return [meaning_of_3_0(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    found = {key: value if key in ("enum", "default") else meaning_of_3_0(value) for key, value in schema.items()}
    if found.pop("nullable", False) and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
        if "enum" in found and None not in found["enum"]:
            found["enum"] = [*found["enum"], None]
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if found.pop(exclusive, False) and bound in found:
            found[exclusive] = found.pop(bound)
    return found


# -- Instances of schemas ---------------------------------------------------------------------------------------------

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]
ANYTHING = st.one_of(
    st.booleans(),
    NUMBERS,
    st.sampled_from(["", "a", "text"]),
    st.just({"k": 1}),
    st.lists(st.integers(0, 2), max_size=2),
)


def instance(draw: Draw, schema: Any, definitions: dict[str, Schema], depth: int = 6) -> Any:
    """Draw a value that `schema` probably accepts."""
    if not isinstance(schema, dict) or depth == 0:
        return draw(ANYTHING)
    parts = [
        part for part in [definitions.get(str(schema.get("$ref")).rpartition("/")[2]), *schema.get("allOf", [])] if part
    ]
    parts += [draw(st.sampled_from(schema[keyword])) for keyword in ("anyOf", "oneOf") if schema.get(keyword)]
    if {"type", "enum", "const"} & schema.keys() or not parts:
        parts.append({key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")})
    else:
        return (
            instance(draw, parts[0], definitions, depth - 1)
            if len(parts) == 1
            else _merged(draw, parts, definitions, depth)
        )
    return _merged(draw, parts, definitions, depth) if len(parts) > 1 else _of_one(draw, parts[0], definitions, depth)


def _merged(draw: Draw, parts: list[Schema], definitions: dict[str, Schema], depth: int) -> Any:
    values = [instance(draw, part, definitions, depth - 1) for part in parts]
    if all(isinstance(value, dict) for value in values):
        return {key: member for value in values for key, member in value.items()}
    return draw(st.sampled_from(values))


def _of_one(draw: Draw, schema: Schema, definitions: dict[str, Schema], depth: int) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    types = schema.get("type")
    kind = draw(st.sampled_from(types)) if isinstance(types, list) else types
    if kind == "object":
        known = schema.get("properties", {})
        keys = {*schema.get("required", []), *draw(st.sets(st.sampled_from([*known, "ay", "further"]), max_size=3))}
        rest = schema.get("additionalProperties", {})
        return {key: instance(draw, known.get(key, rest), definitions, depth - 1) for key in sorted(keys)}
    if kind == "array":
        items = [*schema.get("prefixItems", [])]
        length = draw(st.integers(schema.get("minItems", 0), schema.get("maxItems", 3)))
        items += [schema.get("items", {})] * max(0, length - len(items))
        return [instance(draw, item, definitions, depth - 1) for item in items[:length]]
    if kind in ("integer", "number"):
        edges = [schema[key] for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if key in schema]
        near = [edge + step for edge in edges for step in (-1, 0, 1)]
        return draw(st.sampled_from(near) if near else NUMBERS)
    if kind == "string":
        return draw(st.sampled_from(["a", "ab", "b", "", "bbb", "a text"]))
    return {"null": None, "boolean": True}.get(str(kind), draw(ANYTHING))


# -- Values that are no schemas ---------------------------------------------------------------------------------------

KEYWORDS = st.sampled_from([
    "type", "enum", "const", "default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "multipleOf",
    "minLength", "maxItems", "items", "prefixItems", "properties", "required", "additionalProperties", "allOf", "anyOf",
    "oneOf", "not", "if", "$ref", "nullable", "readOnly", "discriminator", "description", "title", "example",
    "contentEncoding", "contentMediaType", "x-other", "deprecated",
])  # fmt: skip
WORDS = st.sampled_from([
    "string", "integer", "object", "array", "null", "String", "file", "", "#", "#/components/schemas/D0",
    "#/components/schemas/missing", "http://127.0.0.1:9/x", "date-time", "binary", "[", "(a+)+$", "base64", "image/png",
])  # fmt: skip
HUGE = st.sampled_from([10**30, -(10**400), 1e308, 2**53 + 1])
GARBAGE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | HUGE | WORDS | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYWORDS, inner, max_size=4)
        | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=2)
    ),
    max_leaves=25,
)
