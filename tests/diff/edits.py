"""Draw schemas with only the keywords that all clients accept, and list the edits of each schema (one change each).

The effect of each edit (`narrowed`, `widened` and so on) is known by construction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from hypothesis import strategies as st

Schema: TypeAlias = dict[str, Any]
Effect: TypeAlias = Literal["narrowed", "widened", "both", "words", "gone", "added"]
"""Effect of an edit on the accepted values. `gone` and `added` are for object members, whose names callers know."""


class Edit(NamedTuple):
    what: str
    effect: Effect
    schema: Schema

    def under(self, place: str, schema: Schema) -> Edit:
        return Edit(f"{place}: {self.what}", self.effect, schema)


TEXTS: st.SearchStrategy[Schema] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "description": "Some text."},
        {"type": "string", "enum": ["a", "b", "c"]},
        {"type": "string", "pattern": "^a"},
        {"type": "string", "format": "date"},
    ]
)
NUMBERS: st.SearchStrategy[Schema] = st.sampled_from(
    [
        {"type": "integer"},
        {"type": "integer", "minimum": 1, "maximum": 90, "default": 5},
        {"type": "number", "minimum": 0.5},
        {"type": "number", "maximum": 9},
    ]
)
LEAVES: st.SearchStrategy[Schema] = TEXTS | NUMBERS | st.just({"type": "boolean"})


def _nested(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    members = st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, min_size=1, max_size=3)
    objects = members.flatmap(
        lambda found: st.lists(st.sampled_from(sorted(found)), unique=True).map(
            lambda required: {"type": "object", "properties": found, **({"required": required} if required else {})}
        )
    )
    return st.one_of(
        objects,
        objects,
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda items: {"type": "array", "items": items, "minItems": 1, "maxItems": 5}, inner),
        st.builds(lambda rest: {"type": "object", "additionalProperties": rest}, inner),
        st.builds(lambda one: {"anyOf": [one, {"type": "null"}]}, inner.filter(lambda one: "anyOf" not in one)),
        st.builds(lambda one, other: {"anyOf": [one, other]}, TEXTS, objects),
    )


SCHEMAS: st.SearchStrategy[Schema] = st.recursive(LEAVES, _nested, max_leaves=6)


def edits(schema: Schema) -> Iterator[Edit]:
    """Yield an edit for each change that this module can make to `schema`."""
    yield Edit("described", "words", {**schema, "description": "Quite other words."})
    yield from _of_alternatives(schema)
    kind = schema.get("type")
    if isinstance(kind, str):
        yield Edit("null too", "widened", {"anyOf": [schema, {"type": "null"}]})
        yield Edit("another type", "both", {"type": "boolean" if kind != "boolean" else "string"})
    if kind in ("integer", "number"):
        yield from _of_numbers(schema)
    elif kind == "string":
        yield from _of_texts(schema)
    elif kind == "array":
        yield from _of_arrays(schema)
    elif kind == "object":
        yield from _of_members(schema)


def _of_alternatives(schema: Schema) -> Iterator[Edit]:
    branches: list[Schema] = schema.get("anyOf", [])
    for place, branch in enumerate(branches):
        others = branches[:place], branches[place + 1 :]
        left = [*others[0], *others[1]]
        yield Edit(f"alternative {place} gone", "narrowed", left[0] if len(left) == 1 else {"anyOf": left})
        for edit in edits(branch):
            # These two edits are skipped: null may be allowed already, and the new type may belong to another
            # alternative.
            if edit.what not in ("null too", "another type") and branch != {"type": "null"}:
                yield edit.under(f"alternative {place}", {**schema, "anyOf": [*others[0], edit.schema, *others[1]]})
    if branches:
        yield Edit(
            "alternative added",
            "widened",
            {**schema, "anyOf": [*branches, {"type": "boolean"}]}
            if all(branch.get("type") != "boolean" for branch in branches)
            else {**schema, "anyOf": [*branches, {"type": "array", "items": {"const": "new"}, "minItems": 7}]},
        )


def _of_numbers(schema: Schema) -> Iterator[Edit]:
    low, high = schema.get("minimum", -50), schema.get("maximum", 950)
    yield Edit("minimum raised", "narrowed", {**schema, "minimum": low + 1})
    yield Edit("maximum lowered", "narrowed", {**schema, "maximum": high - 1})
    yield Edit("a step", "narrowed", {**schema, "multipleOf": 2})
    for keyword in ("minimum", "maximum"):
        if keyword in schema:
            yield Edit(f"no {keyword}", "widened", {key: schema[key] for key in schema if key != keyword})
    if schema["type"] == "integer":
        yield Edit("any number", "widened", {**schema, "type": "number"})
    else:
        yield Edit("whole numbers", "narrowed", {**schema, "type": "integer"})


def _of_texts(schema: Schema) -> Iterator[Edit]:
    if values := schema.get("enum"):
        yield Edit("a value gone", "narrowed", {**schema, "enum": values[1:]})
        yield Edit("a value more", "widened", {**schema, "enum": [*values, "new"]})
        yield Edit("any text", "widened", {"type": "string"})
        return
    yield Edit(
        "values listed",
        "narrowed",
        {**schema, "enum": ["a"]} if "format" not in schema else {**schema, "enum": ["2020-01-01"]},
    )
    yield Edit("a longest", "narrowed", {**schema, "maxLength": 30})
    for keyword in ("pattern", "format"):
        if keyword in schema:
            yield Edit(f"no {keyword}", "widened", {key: schema[key] for key in schema if key != keyword})


def _of_arrays(schema: Schema) -> Iterator[Edit]:
    yield Edit("more needed", "narrowed", {**schema, "minItems": schema.get("minItems", 0) + 1})
    if "maxItems" in schema:
        yield Edit("more allowed", "widened", {**schema, "maxItems": 6})
        yield Edit("fewer allowed", "narrowed", {**schema, "maxItems": 4})
    for edit in edits(schema["items"]):
        yield edit.under("items", {**schema, "items": edit.schema})


def _of_members(schema: Schema) -> Iterator[Edit]:
    members: Schema = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    if rest := schema.get("additionalProperties"):
        for edit in edits(rest):
            yield edit.under("others", {**schema, "additionalProperties": edit.schema})
        return
    yield Edit("closed", "narrowed", {**schema, "additionalProperties": False})
    yield Edit("a member more", "added", {**schema, "properties": {**members, "new": {"type": "string"}}})
    for name, member in members.items():
        if len(members) > 1:
            left = {key: value for key, value in members.items() if key != name}
            needed = [key for key in required if key != name]
            yield Edit(f"{name} gone", "gone", {**schema, "properties": left, "required": needed})
        if name in required:
            yield Edit(f"{name} optional", "widened", {**schema, "required": [key for key in required if key != name]})
        else:
            yield Edit(f"{name} required", "narrowed", {**schema, "required": [*required, name]})
        for edit in edits(member):
            yield edit.under(name, {**schema, "properties": {**members, name: edit.schema}})
