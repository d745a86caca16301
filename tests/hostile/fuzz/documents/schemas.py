"""Families of hostile schemas: recursion, nested unions, schemas that each refer twice to the next one, and very many
equal parts.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.hostile.fuzz.documents.frame import KEYWORDS, Schema, api, leaf, ref, within


def graph(chance: Random, size: int) -> Any:
    """Return schemas that refer to each other at random, with recursion of every kind."""
    count = max(2, size // 4)
    fan = chance.choice((2, 2, 3, 6, 30))
    words = chance.sample(KEYWORDS, chance.randrange(1, 4))
    used = 0
    schemas: dict[str, Schema] = {}
    for number in range(count):
        parts = [ref(f"S{chance.randrange(count)}") for _ in range(chance.randrange(1, fan + 1))]
        parts += [leaf(chance) for _ in range(chance.randrange(2))]
        used += len(parts)
        schemas[f"S{number}"] = within(chance.choice(words), parts)
        if used > 4 * size:
            break
    return api(chance, schemas)


def mutual(chance: Random, size: int) -> Any:
    """Return a few schemas, each a union of all of them."""
    count = min(max(2, size // 8), 60)
    words = chance.sample(KEYWORDS[:5], chance.randrange(1, 3))
    names = [f"S{number}" for number in range(count)]
    schemas = {}
    for name in names:
        inner = within(chance.choice(words), [ref(other) for other in names])
        if chance.random() < 0.5:
            inner = {"type": "object", "required": ["v"], "properties": {"v": inner, name: leaf(chance)}}
        schemas[name] = inner
    return api(chance, schemas)


def ladder(chance: Random, size: int) -> Any:
    """Return schemas that each refer two or three times to the next one, so that the number of paths grows
    exponentially.
    """
    words = chance.sample(KEYWORDS, chance.randrange(1, 4))
    fan = chance.choice((2, 2, 3, 5))
    schemas = {"S0": leaf(chance)}
    for rung in range(1, min(size, 400) + 1):
        below = [ref(f"S{rung - 1}") for _ in range(fan)]
        if chance.random() < 0.3:
            below[0] = within(chance.choice(words), [below[0], leaf(chance)])
        schemas[f"S{rung}"] = within(chance.choice(words), below)
    return api(chance, dict(reversed(schemas.items())))


def chain(chance: Random, size: int) -> Any:
    """Return schemas that each refer once to the next one."""
    word = chance.choice(KEYWORDS)
    schemas: dict[str, Schema] = {"S0": within(word, [ref(f"S{size - 1}")]) if chance.random() < 0.3 else leaf(chance)}
    for number in range(1, size):
        schemas[f"S{number}"] = within(word, [ref(f"S{number - 1}")])
    return api(chance, dict(reversed(schemas.items())))


def wide(chance: Random, size: int) -> Any:
    """Return one schema with very many properties, alternatives or other parts of one kind."""
    part: Callable[[int], Schema] = chance.choice(
        (
            lambda number: {"const": f"v{number}"},
            lambda number: {"const": number},
            lambda number: {"type": "string", "enum": [f"v{number}"]},
            lambda number: {"enum": [number, {"a": number}]},
            lambda number: {"type": "object", "properties": {f"p{number}": {"type": "string"}}},
            lambda number: {
                "type": "object",
                "properties": {"kind": {"const": f"k{number}"}, "v": {"maximum": number}},
            },
            lambda number: {"required": [f"p{number}"]},
            lambda number: {"type": "array", "items": {"const": number}},
            lambda number: {"title": f"T{number}", "description": f"Part {number}.", "type": "object"},
            lambda number: {"pattern": f"^a{number}$"},
            lambda number: leaf(chance),
            lambda number: {"allOf": [{"properties": {f"p{number}": {}}}, {"anyOf": [{"minimum": number}, {}]}]},
        )
    )
    keyword = chance.choice(KEYWORDS[:7])
    schema = within(keyword, [part(number) for number in range(size)])
    if chance.random() < 0.3:
        schema = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    if chance.random() < 0.2:
        schema = {"allOf": [schema, within(chance.choice(KEYWORDS[:4]), [part(number) for number in range(size)])]}
    return api(chance, {"S": schema})


def listed(chance: Random, size: int) -> Any:
    """Return schemas with long lists of enum values, property names or discriminator mappings."""
    names = [f"n{number}" for number in range(size)]
    schema: Schema = chance.choice(
        (
            {"type": "string", "enum": names},
            {"enum": [*names, *range(size)]},
            {"type": ["string", "integer"], "enum": [*names[: size // 2], *range(size // 2)]},
            {"type": "object", "properties": {"a": {}}, "required": names},
            {"type": "object", "properties": {name: {} for name in names}, "required": names},
            {"type": "object", "properties": {f"{name}[]": {"type": "string"} for name in names}},
            {"type": "object", "properties": {f"{name}-{'é' * 40}": {"type": "string"} for name in names[:2000]}},
            {"type": "object", "dependentRequired": dict.fromkeys(names, names[:3])},
            {"type": "object", "patternProperties": {f"^{name}": {} for name in names}},
            {"type": ["string"] * size},
            {"default": names, "type": "array", "items": {"type": "string"}},
            {"default": {name: name for name in names}, "type": "object"},
            {"const": names},
            {"enum": [names, names]},
            {"allOf": [{"enum": names}, {"enum": names[::-1]}]},
        )
    )
    if chance.random() < 0.5:
        schema = {"type": "object", "properties": {"v": schema, "w": schema}, "required": ["v"]}
    return api(chance, {"S": schema})


def discriminated(chance: Random, size: int) -> Any:
    """Return unions with discriminators, whose alternatives contain the union again."""
    count = min(size, 3000)
    names = [f"S{number}" for number in range(count)]
    mapping = {f"m{number}": ref(name)["$ref"] for number, name in enumerate(names)}
    base: Schema = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}
    base |= {"discriminator": {"propertyName": "kind", "mapping": mapping}}
    if chance.random() < 0.7:
        base[chance.choice(("oneOf", "anyOf"))] = [ref(name) for name in names]
    part = chance.choice((ref("Base"), leaf(chance)))
    schemas = {name: {"allOf": [part, {"properties": {f"p{name}": ref(chance.choice(names))}}]} for name in names}
    return api(chance, {"Base": base, **schemas})


def deep(chance: Random, size: int) -> Any:
    """Return schemas that are nested as deeply as a document may be."""
    words = chance.sample(KEYWORDS[:8], chance.randrange(1, 4))
    made = []
    for number in range(max(1, size // 40)):
        schema = leaf(chance)
        for _ in range(chance.choice((10, 30, 60, 88))):
            schema = within(chance.choice(words), [schema, leaf(chance)] if chance.random() < 0.3 else [schema])
        made.append((f"S{number}", schema))
    return api(chance, dict(made))


def combined(chance: Random, size: int) -> Any:
    """Return schemas with `allOf`, whose subschemas contradict, repeat and multiply each other."""
    count = max(2, size // 6)
    names = [f"p{number}" for number in range(max(1, count // chance.choice((1, 2, 10))))]

    def part() -> Schema:
        some = {name: chance.choice((leaf(chance), ref("S"), {})) for name in chance.sample(names, min(4, len(names)))}
        extra = chance.choice(({}, {"anyOf": [leaf(chance), leaf(chance)]}, {"oneOf": [{"required": list(some)}, {}]}))
        return {"type": "object", "properties": some, "required": list(some)[:1], **extra}

    schemas = {"S": {"allOf": [part() for _ in range(count)]}, "T": {"allOf": [ref("S"), ref("S"), part(), ref("T")]}}
    return api(chance, schemas)


def anchored(chance: Random, size: int) -> Any:
    """Return schemas with an `$id` inside schemas with an `$id`, and references to these ids."""
    schemas: dict[str, Schema] = {}
    for number in range(max(2, size // 3)):
        target = chance.choice((f"#a{number - 1}", f"r{number - 1}", f"#/components/schemas/S{number - 1}", "#node"))
        schema: Schema = {"$id": f"r{number}", "$anchor": f"a{number}", "items": {"$ref": target}}
        if chance.random() < 0.5:
            schema |= {"$dynamicAnchor": "node", "anyOf": [{"$dynamicRef": "#node"}, {"$ref": f"r{number // 2}"}]}
        schemas[f"S{number}"] = schema
    return {**api(chance, schemas), "$self": "https://a.example/openapi.json"}
