"""Guess values that satisfy a schema, as callers would send them. A validator keeps the valid ones.

Objects have only members that the schema lists, or that `additionalProperties` allows.
"""

from __future__ import annotations

from random import Random
from typing import Any

import jsonschema_rs

Schema = dict[str, Any]

_DEEPEST = 6
_TEXTS = ("", "a", "ab", "abc", "b", "1", "x-y", "A1", "https://a.example/b", "a@b.example", "a" * 40)
_FORMATS = {
    "date": ("2020-02-29", "1999-12-31"),
    "date-time": ("2020-02-29T12:00:00Z", "1999-12-31T23:59:59+01:00"),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000",),
}
_ANY: tuple[Any, ...] = (None, True, False, 0, 1, -1, 2.5, "", "a", [], [1], {}, {"k": "v"})
_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


def instances(schema: Schema, chance: Random, count: int) -> list[Any]:
    """Return at most `count` valid values of `schema`; fewer if guesses fail."""
    validator = jsonschema_rs.Draft202012Validator(schema)
    guesses = (_Guess(schema, chance).value(schema, 0) for _ in range(count * 2))
    return [value for value in guesses if validator.is_valid(value)][:count]


class _Guess:
    """Generator of random values for one schema. It resolves references."""

    def __init__(self, root: Schema, chance: Random) -> None:
        self._root = root
        self._chance = chance

    def value(self, node: Any, depth: int) -> Any:
        """Return a random value that probably satisfies `node`."""
        if not isinstance(node, dict) or not node or depth > _DEEPEST:
            return self._chance.choice(_ANY)
        node = self._plain(node, 0)
        listed = [node["const"]] if "const" in node else node.get("enum")
        if listed:
            return self._chance.choice(listed)
        return self._of_type(self._type(node), node, depth)

    def _plain(self, node: Schema, depth: int) -> Schema:
        """Return `node` as one schema without references and unions: merged with its references, its `allOf` and one
        random alternative.
        """
        beside = [node[key] for key in ("$ref",) if key in node]
        parts = [self._resolved(reference) for reference in beside] + list(node.get("allOf", ()))
        parts += [self._chance.choice(node[key]) for key in ("anyOf", "oneOf") if node.get(key)]
        found = {key: value for key, value in node.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
        for part in parts if depth < _DEEPEST else ():
            if isinstance(part, dict):
                found = _joined(found, self._plain(part, depth + 1))
        return found

    def _resolved(self, reference: str) -> Any:
        node: Any = self._root
        for token in reference.removeprefix("#").split("/")[1:]:
            node = node[token.replace("~1", "/").replace("~0", "~")]
        return node

    def _type(self, node: Schema) -> str:
        kinds = node.get("type")
        if isinstance(kinds, list):
            return str(self._chance.choice(kinds))
        if kinds is None and ("properties" in node or "required" in node):
            return "object"
        return str(kinds or self._chance.choice(_TYPES))

    def _of_type(self, kind: str, node: Schema, depth: int) -> Any:
        if kind == "object":
            return self._object(node, depth)
        if kind == "array":
            return self._array(node, depth)
        if kind in ("integer", "number"):
            return self._number(node, kind)
        if kind == "string":
            return self._text(node)
        return None if kind == "null" else self._chance.random() < 0.5

    def _number(self, node: Schema, kind: str) -> Any:
        limits = [node[key] for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if key in node]
        step = node.get("multipleOf", 1)
        near = [*limits, *(limit + step for limit in limits), *(limit - step for limit in limits)]
        found = self._chance.choice([*near, *near, 0, step, -step, step * 7, *([0.5, 1e6] if kind == "number" else [])])
        return int(found) if kind == "integer" else found

    def _text(self, node: Schema) -> str:
        if node.get("format") in _FORMATS and "pattern" not in node:
            return self._chance.choice(_FORMATS[node["format"]])
        low, high = node.get("minLength", 0), node.get("maxLength", 10_000)
        text = self._chance.choice([*_TEXTS, "a" * low, "a" * min(high, 300)])
        return str(text.ljust(low, "a")[:high])

    def _array(self, node: Schema, depth: int) -> list[Any]:
        fewest = node.get("minItems", 0)
        count = self._chance.choice((fewest, fewest, fewest + 1, min(node.get("maxItems", fewest + 2), 8)))
        places = node.get("prefixItems", [])
        schemas = [places[at] if at < len(places) else node.get("items", {}) for at in range(count)]
        return [self.value(schema, depth + 1) for schema in schemas]

    def _object(self, node: Schema, depth: int) -> Schema:
        members, required = node.get("properties", {}), node.get("required", ())
        share = self._chance.choice((0.0, 0.3, 1.0)) if depth < 3 else 0.0
        names = [name for name in members if name in required or self._chance.random() < share]
        found = {name: self.value(members[name], depth + 1) for name in names}
        rest = node.get("additionalProperties")
        if isinstance(rest, dict) and self._chance.random() < 0.5:
            found["k"] = self.value(rest, depth + 1)
        return found


def _joined(one: Schema, other: Schema) -> Schema:
    """Merge two schemas.

    Entries of `properties` and of `required` are joined. Of any other keyword in both, the value in `other` is used.
    """
    found = {**one, **other}
    if "properties" in one and "properties" in other:
        found["properties"] = {**one["properties"], **other["properties"]}
    if "required" in one and "required" in other:
        found["required"] = [*one["required"], *other["required"]]
    return found
