"""The shape of a tools file: which keys stand where, and what kind of value each takes.

`schema.json` beside this module is the one description of the format: editors complete by it, and this walks it. So a
key that an editor offers is a key that is read. What a value means is for the readers; here an unknown key, a missing
one, and a value of another kind are told with their place, and with the nearest key or value.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, lookup, tokens
from mcpgen.names import clipped, nearest

PATH = Path(__file__).with_name("schema.json")

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "object": ((dict,), "a mapping"),
    "array": ((list,), "a list"),
    "string": ((str,), "a text"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
}


@cache
def schema() -> JsonObject:
    """The JSON Schema of the tools file, as it is published."""
    return as_object(json.loads(PATH.read_text(encoding="utf-8")))


def check(value: JsonObject, where: Where, diagnostics: Diagnostics) -> None:
    """Report everything in a tools file that does not have the shape of one."""
    _Walk(diagnostics).visit(value, schema(), where, "The file")


class _Walk:
    """One walk over a value and the schema side by side. A value of the wrong kind is not looked into."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics

    def visit(self, value: JsonValue, node: JsonObject, where: Where, label: str) -> None:
        """`label` is what `value` is called at the beginning of a sentence."""
        node = _resolved(node)
        if not self._is_of_its_kind(value, node, where, label):
            return
        if isinstance(value, dict):
            self._mapping(value, node, where, label)
        elif isinstance(value, list):
            self._list(value, node, where, label)
        else:
            self._scalar(value, node, where, label)

    def _add(self, code: str, message: str, where: Where, hint: str) -> None:
        self._diagnostics.add(code, message, where, hint)

    def _is_of_its_kind(self, value: JsonValue, node: JsonObject, where: Where, label: str) -> bool:
        kinds = _types(node)
        if not kinds or any(_is(value, kind) for kind in kinds):
            return True
        wanted = " or ".join(_KINDS[kind][1] for kind in kinds)
        if value is None:
            self._add("invalid-value", f"{label} is empty.", where, f"Write {wanted}, or leave the key out.")
            return False
        quoted = isinstance(value, (int, float)) and "string" in kinds
        hint = f"Write {wanted}." if not quoted else "Put it in quotes, which makes it a text."
        self._add("invalid-value", f"{label} is not {wanted}.", where, hint)
        return False

    def _mapping(self, value: JsonObject, node: JsonObject, where: Where, label: str) -> None:
        properties = as_object(node.get("properties"))
        patterns = [re.compile(pattern) for pattern in as_object(node.get("patternProperties"))]
        others, names = node.get("additionalProperties", {}), as_object(node.get("propertyNames"))
        for key, member in value.items():
            place = where.inside(key)
            if key in properties:
                self.visit(member, as_object(properties[key]), place, f"The value of {key!r}")
            elif any(pattern.search(key) for pattern in patterns):
                continue
            elif others is False:
                self._unknown(key, list(properties), place)
            elif "enum" in names and key not in as_list(names["enum"]):
                self._unknown(key, [str(name) for name in as_list(names["enum"])], place)
            else:
                self.visit(member, as_object(others), place, f"The value of '{clipped(key)}'")
        demanded = [str(name) for name in as_list(node.get("required"))]
        for missing in (name for name in demanded if name not in value):
            self._add("missing-key", f"{label} lacks the key {missing!r}.", where, _described(properties, missing))
        if len(value) < _number(node, "minProperties", 0):
            self._add("invalid-value", f"{label} is empty.", where, f"Write {' or '.join(properties) or 'a member'}.")

    def _unknown(self, key: str, known: list[str], where: Where) -> None:
        hint = nearest(key, known)
        self._add("unknown-key", f"Nothing reads the key '{clipped(key)}'.", where, hint)

    def _list(self, value: list[JsonValue], node: JsonObject, where: Where, label: str) -> None:
        if len(value) < _number(node, "minItems", 0):
            self._add("invalid-value", f"{label} is an empty list.", where, "Write at least one item.")
        inside = label[:1].lower() + label[1:]
        for index, item in enumerate(value):
            name = f"Item {index + 1} of {inside.removeprefix('the value of ')}"
            self.visit(item, as_object(node.get("items")), where.inside(index), name)

    def _scalar(self, value: JsonValue, node: JsonObject, where: Where, label: str) -> None:
        choices = [node["const"]] if "const" in node else as_list(node.get("enum"))
        if choices and not any(type(value) is type(choice) and value == choice for choice in choices):
            near = nearest(value, [str(choice) for choice in choices]) if isinstance(value, str) else ""
            hint = near or "Write " + " or ".join(json.dumps(choice) for choice in choices) + "."
            self._add("invalid-value", f"{label} is {_shown(value)}, which it cannot be.", where, hint)
        if isinstance(value, str):
            if "pattern" in node and not re.search(as_text(node["pattern"]), value):
                code = "invalid-name" if label.endswith(("'name'", "'prefix'")) else "invalid-value"
                examples = [str(example) for example in as_list(node.get("examples"))]
                hint = nearest(value, examples) if examples else as_text(node.get("description"))
                self._add(code, f"{label} cannot be {_shown(value)}.", where, hint)
            elif len(value) < _number(node, "minLength", 0):
                self._add("invalid-value", f"{label} is an empty text.", where, as_text(node.get("description")))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self._range(value, node, where, label)

    def _range(self, value: float, node: JsonObject, where: Where, label: str) -> None:
        bounds: tuple[tuple[str, Callable[[float, float], bool], str], ...] = (
            ("minimum", lambda number, bound: number >= bound, "at least"),
            ("exclusiveMinimum", lambda number, bound: number > bound, "more than"),
            ("maximum", lambda number, bound: number <= bound, "at most"),
        )
        for keyword, holds, words in bounds:
            bound = node.get(keyword)
            if isinstance(bound, (int, float)) and not holds(value, bound):
                message = f"{label} is {_shown(value)}, which is out of range."
                self._add("invalid-value", message, where, f"Write {words} {bound}.")


def _resolved(node: JsonObject) -> JsonObject:
    while "$ref" in node:
        node = as_object(lookup(schema(), tokens(as_text(node["$ref"]).removeprefix("#"))))
    return node


def _types(node: JsonObject) -> list[str]:
    kinds = node.get("type", [])
    return [str(kind) for kind in kinds] if isinstance(kinds, list) else [str(kinds)]


def _is(value: JsonValue, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind][0])


def _number(node: JsonObject, keyword: str, default: int) -> int:
    found = node.get(keyword, default)
    return found if isinstance(found, int) else default


def _described(properties: JsonObject, key: str) -> str:
    """What the key is, as the schema tells it."""
    return as_text(_resolved(as_object(properties.get(key))).get("description"))


def _shown(value: JsonValue) -> str:
    return f"'{clipped(value)}'" if isinstance(value, str) else clipped(json.dumps(value))
