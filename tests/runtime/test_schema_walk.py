"""Compare the schema violations that the runtime finds with those of jsonschema_rs, over schemas with every keyword."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from package.runtime.core.limits import Budget, Exhausted
from package.runtime.request.arguments import SchemaChecker
from package.runtime.request.violations import SchemaWalk

CASES = 2500
SCALARS: list[Any] = [0, 1, 2.5, "a", "ab", "abc", True, None, "2026-01-01", 3, -1, 10]
NAMES = ["a", "b", "c"]
CLOSED = {"falseSchema", "additionalProperties", "unevaluatedProperties"}
"""Keywords by which jsonschema_rs reports a forbidden member of an object. Which one it reports depends on the other
keywords.
"""


class Drawn:
    """Generator of random schemas and values from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def root(self) -> dict[str, Any]:
        """Return a schema whose definitions refer only to later ones, so that no schema is recursive."""
        definitions = {"D": self.schema(1, ["#/$defs/E~1~0%20x"]), "E/~ x": self.schema(1, [])}
        made = self.schema(3, ["#/$defs/D", "#/$defs/E~1~0%20x"])
        return {**(made if isinstance(made, dict) else {"allOf": [made]}), "$defs": definitions}

    def schema(self, depth: int, references: list[str]) -> Any:
        if self._random.random() < 0.05:
            return self._random.choice([True, False])
        made: dict[str, Any] = {}
        for _ in range(self._random.choice([1, 1, 2, 2, 3])):
            makers = {**self._plain(), **(self._inner(depth, references) if depth else {})}
            if references:
                makers["$ref"] = lambda: self._random.choice(references)
            keyword = self._random.choice(list(makers))
            made[keyword] = makers[keyword]()
            if keyword == "if":
                made |= {name: self.schema(depth - 1, references) for name in ("then", "else")}
        return made

    def _plain(self) -> dict[str, Callable[[], Any]]:
        pick, sample = self._random.choice, self._random.sample
        return {
            "type": lambda: pick(["object", "array", "string", "integer", ["string", "null"], "number"]),
            "enum": lambda: sample(SCALARS, 3),
            "const": lambda: pick(SCALARS),
            "minimum": lambda: pick([0, 2, 5]),
            "exclusiveMaximum": lambda: pick([1, 3]),
            "minLength": lambda: pick([1, 2, 3]),
            "multipleOf": lambda: pick([2, 0.5, 3]),
            "pattern": lambda: pick(["^a", "b$", "c"]),
            "format": lambda: pick(["date", "uuid", "email"]),
            "required": lambda: sample(NAMES, 2),
            "minItems": lambda: pick([1, 2, 3]),
            "uniqueItems": lambda: True,
            "maxProperties": lambda: 1,
            "propertyNames": lambda: {"maxLength": 1},
            "dependentRequired": lambda: {"a": ["b"]},
            "additionalProperties": lambda: False,
            "unevaluatedProperties": lambda: False,
        }

    def _inner(self, depth: int, references: list[str]) -> dict[str, Callable[[], Any]]:
        def inner() -> Any:
            return self.schema(depth - 1, references)

        return {
            "properties": lambda: {name: inner() for name in self._random.sample(NAMES, 2)},
            "additionalProperties": inner,
            "patternProperties": lambda: {"^[ab]": inner()},
            "items": inner,
            "prefixItems": lambda: [inner(), inner()],
            "contains": inner,
            "allOf": lambda: [inner(), inner()],
            "anyOf": lambda: [inner(), inner()],
            "oneOf": lambda: [inner(), inner()],
            "not": inner,
            "if": inner,
            "dependentSchemas": lambda: {"a": inner()},
        }

    def value(self, depth: int) -> Any:
        kind = self._random.random()
        if not depth or kind < 0.3:
            return self._random.choice(SCALARS)
        count = self._random.choice([0, 1, 2, 3])
        if kind < 0.6:
            return [self.value(depth - 1) for _ in range(count)]
        return {name: self.value(depth - 1) for name in self._random.sample([*NAMES, "d", "ab"], count)}


def budget(steps: int = 200_000) -> Budget:
    return Budget(30, time.monotonic, steps)


def of_the_library(validator: Any, value: Any) -> set[tuple[tuple[Any, ...], str]]:
    """Validate `value` with jsonschema_rs, and return the path and keyword of each error, in the form of `_told`."""
    return {_told(tuple(error.instance_path), error.kind.name) for error in validator.iter_errors(value)}


def of_ours(judge: SchemaChecker, value: Any) -> set[tuple[tuple[Any, ...], str]]:
    return {_told(each.path, each.keyword) for each in SchemaWalk(judge, budget()).violations_of(value)}


def _told(path: tuple[Any, ...], keyword: str) -> tuple[tuple[Any, ...], str]:
    """Return path and keyword of an error in a form that is the same for jsonschema_rs and the runtime.

    If a member is forbidden, one of them reports the path of the object, and the other the path of the member. The path
    returned is that of the object.
    """
    return (path[:-1] if keyword == "falseSchema" else path, "closed" if keyword in CLOSED else keyword)


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_what_the_library_finds(seed: int) -> None:
    drawn, wrong = Drawn(seed), 0
    for _ in range(CASES):
        schema, value = drawn.root(), drawn.value(3)
        judge = SchemaChecker(schema, {})
        expected = of_the_library(jsonschema_rs.validator_for(schema, validate_formats=True, offline=True), value)
        assert judge.is_valid(value) == (not expected)
        if expected:
            wrong += 1
            found = of_ours(judge, value)
            assert found - {_closed(each) for each in found} == expected - {_closed(each) for each in expected}, schema
            assert bool(found) is bool(expected)
    assert wrong > CASES // 4


def _closed(told: tuple[tuple[Any, ...], str]) -> tuple[tuple[Any, ...], str]:
    return told if told[1] == "closed" else ((), "")


LOOP: dict[str, Any] = {"$ref": "#/$defs/A", "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}}
DEEP: Any = "x"
for _ in range(120):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("schema", "value", "path"),
    [
        (LOOP, 5, ()),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"type": "array"}, {"$ref": "#/$defs/A"}]}}}, {}, ()),
        ({"$defs": {"A": {"items": {"$ref": "#/$defs/A"}, "type": "array"}}, "$ref": "#/$defs/A"}, DEEP, (0,) * 120),
        ({"$anchor": "here", "properties": {"a": {"$ref": "#here"}}, "required": ["b"]}, {"a": {}, "b": 1}, ("a",)),
    ],
)  # fmt: skip
def test_schemas_that_refer_to_themselves_end(schema: dict[str, Any], value: Any, path: tuple[Any, ...]) -> None:
    found = [each.path for each in SchemaWalk(SchemaChecker(schema, {}), budget()).violations_of(value)]
    assert all(each == path for each in found)


def test_the_steps_of_a_walk_are_counted() -> None:
    judge = SchemaChecker({"additionalProperties": {"type": "integer"}}, {})
    walk = SchemaWalk(judge, budget(1000)).violations_of({f"n{number}": 1 for number in range(2000)} | {"z": "x"})
    with pytest.raises(Exhausted):
        list(walk)


def test_a_wrong_item_far_behind_is_found_in_few_steps() -> None:
    judge = SchemaChecker({"items": {"type": "integer"}}, {})
    [found] = SchemaWalk(judge, budget(5000)).violations_of([1] * 100_000 + ["x"])
    assert found.path == (100_000,)
