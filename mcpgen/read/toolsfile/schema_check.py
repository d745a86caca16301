"""Check the structure of a tools file: which keys are allowed where, and which type of value each key takes.

`schema.json` beside this module is the only description of the format. Editors and this module both use it, so every
key that an editor offers is also accepted here. Unknown keys, missing keys and values of the wrong type are reported
here, with their place and a suggestion. The modules that read a value check its meaning.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, lookup, tokens
from mcpgen.base.names import clipped, did_you_mean, near
from mcpgen.base.names import nearest as nearest
from mcpgen.read.toolsfile import key_suggestions

PATH = Path(__file__).with_name("schema.json")

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "object": ((dict,), "a mapping"),
    "array": ((list,), "a list"),
    "string": ((str,), "a text"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
}
_NAMED = ("tool", "resource", "prompt", "parameter", "link")
"""Definitions in the schema of items that have a `name`. Messages refer to such an item by its name, as in "tool
'ping'".
"""


@cache
def schema() -> JsonObject:
    """Return the JSON Schema of the tools file, as it is published."""
    return as_object(json.loads(PATH.read_text(encoding="utf-8")))


def check(value: JsonObject, where: Where, diagnostics: Diagnostics) -> None:
    """Report each part of a tools file that violates the JSON Schema of tools files. `value`: the file's contents."""
    _Walk(diagnostics).visit(value, schema(), _Position(where, "The file", "", "", "", "file"))


def check_part(value: JsonObject, noun: str, where: Where, diagnostics: Diagnostics) -> None:
    """Report each violation in the object `value`, to which a `$ref` of the tools file leads. `noun`: the definition in
    `schema.json` that `value` must match, such as `parameter`. `where`: the place of `value`.
    """
    around = _Position(where, "", "", "", "", "")
    node = as_object(as_object(schema()["$defs"])[noun])
    _Walk(diagnostics).visit(value, node, replace(around.item(0, noun, value.get("name")), where=where))


def check_kind(value: JsonValue, kinds: tuple[str, ...], label: str, where: Where, diagnostics: Diagnostics) -> None:
    """Report a value whose type is not in `kinds`. `label` names the value at the beginning of the message."""
    _Walk(diagnostics).visit(value, {"type": [*kinds]}, _Position(where, label, "", "", "", ""))


def keys(noun: str) -> tuple[str, ...]:
    """Return the property names of the `$defs` schema `noun` in the JSON Schema of tools files."""
    return tuple(as_object(as_object(as_object(schema()["$defs"])[noun])["properties"]))


def is_valid(noun: str, key: str, value: JsonValue) -> bool:
    """Return True if `value` is valid for the property `key` in the `$defs` schema `noun`."""
    found = Diagnostics()
    node = as_object(as_object(as_object(as_object(schema()["$defs"])[noun])["properties"])[key])
    _Walk(found).visit(value, node, _Position(Where(""), "", "", "", "", ""))
    return not found


def described(noun: str, key: str) -> str:
    """Return the description of a property in the JSON Schema of tools files: `key` in the `$defs` schema `noun`."""
    return _described(as_object(as_object(as_object(schema()["$defs"])[noun])["properties"]), key)


@dataclass(frozen=True, slots=True)
class _Position:
    """A place in the tools file during the check, with the words by which messages describe it.

    `label`: name of the value at the beginning of a message. `inside`: phrase for the place of its members, such as "
    of 'result' of tool 'ping'". `owner`: phrase for the nearest enclosing item with a name, such as " of tool 'ping'".
    `key`: key of the value. `noun`: name of the definition in the schema's `$defs` that the value must match, such as
    `tool`; "" if the value has none.
    """

    where: Where
    label: str
    inside: str
    owner: str
    key: str
    noun: str

    def member(self, key: str, noun: str) -> "_Position":
        quoted = f"'{clipped(key)}'"
        owner = f" of {quoted}" if noun == "override" else self.owner
        inside = owner if noun == "override" else f" of {quoted}{self.owner}"
        return _Position(self.where.inside(key), f"The value of {quoted}{self.inside}", inside, owner, key, noun)

    def item(self, index: int, noun: str, name: JsonValue) -> "_Position":
        place = self.where.inside(index)
        if noun in _NAMED and isinstance(name, str) and name:
            called = f"{noun} '{clipped(name)}'"
            return _Position(place, called[0].upper() + called[1:], f" of {called}", f" of {called}", "", noun)
        called = f"tem {index + 1}{self.inside}"
        return _Position(place, f"I{called}", f" of i{called}", self.owner, "", noun)


class _Walk:
    """Walk over a value and its schema side by side. The members of a value of the wrong type are not checked."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics

    def visit(self, value: JsonValue, node: JsonObject, at: _Position) -> None:
        node = _resolved(node)
        if not self._is_of_its_kind(value, node, at):
            return
        if not self._is_a_choice(value, node, at):
            return
        if isinstance(value, dict):
            self._mapping(value, node, at)
        elif isinstance(value, list):
            self._list(value, node, at)
        elif isinstance(value, str):
            self._text(value, node, at)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self._range(value, node, at)

    def _add(self, code: str, message: str, at: _Position, hint: str) -> None:
        self._diagnostics.add(code, message, at.where, hint)

    def _is_of_its_kind(self, value: JsonValue, node: JsonObject, at: _Position) -> bool:
        kinds = _types(node)
        if not kinds or any(_is(value, kind) for kind in kinds):
            return True
        wanted = ", or ".join(_KINDS[kind][1] for kind in kinds)
        if value is None:
            self._add("invalid-value", f"{at.label} is empty.", at, f"Write {wanted}, or leave the key out.")
        else:
            hint = key_suggestions.kind(value, kinds, at.key) or f"Write {wanted}."
            self._add("invalid-value", f"{at.label} is not {wanted}.", at, hint)
        return False

    def _is_a_choice(self, value: JsonValue, node: JsonObject, at: _Position) -> bool:
        choices = [node["const"]] if "const" in node else as_list(node.get("enum"))
        if not choices or any(_equal(value, choice) for choice in choices):
            return True
        close = near(value, [str(choice) for choice in choices]) if isinstance(value, str) else []
        listed = ", ".join(choice if isinstance(choice, str) else json.dumps(choice) for choice in choices)
        hint = f"Write {listed}, or leave the key out." if "const" in node else f"Use one of {listed}."
        hint = did_you_mean(close) or hint
        self._add("invalid-value", f"{at.label} is {shown(value)}, which is not allowed here.", at, hint)
        return False

    def _mapping(self, value: JsonObject, node: JsonObject, at: _Position) -> None:
        properties = as_object(node.get("properties"))
        patterns = [_compiled(pattern) for pattern in as_object(node.get("patternProperties"))]
        others, names = node.get("additionalProperties", {}), as_object(node.get("propertyNames"))
        for key, member in value.items():
            if key in properties:
                self._member(key, member, as_object(properties[key]), at)
            elif any(pattern.search(key) for pattern in patterns):
                continue
            elif others is False:
                self._unknown(key, list(properties), at)
            elif "enum" in names and key not in as_list(names["enum"]):
                self._unknown(key, [str(name) for name in as_list(names["enum"])], at)
            else:
                self._member(key, member, as_object(others), at)
        demanded = [str(name) for name in as_list(node.get("required"))]
        choices = [as_list(as_object(choice).get("required")) for choice in as_list(node.get("oneOf"))]
        if choices and not any(set(names) <= value.keys() for names in choices):
            demanded += map(str, choices[0])
        for missing in (name for name in demanded if name not in value):
            self._add("missing-key", f"{at.label} lacks the key '{missing}'.", at, _described(properties, missing))
        if len(value) < _number(node, "minProperties", 0):
            self._add("invalid-value", f"{at.label} is empty.", at, f"Write {' or '.join(properties) or 'a member'}.")

    def _member(self, key: str, value: JsonValue, node: JsonObject, at: _Position) -> None:
        self.visit(value, node, at.member(key, _noun(node)))

    def _unknown(self, key: str, known: list[str], at: _Position) -> None:
        hint = key_suggestions.key(at.noun, key) or nearest(key, known)
        self._add("unknown-key", f"The key '{clipped(key)}'{at.inside} is unknown.", at.member(key, ""), hint)

    def _list(self, value: list[JsonValue], node: JsonObject, at: _Position) -> None:
        if len(value) < _number(node, "minItems", 0):
            self._add("invalid-value", f"{at.label} is an empty list.", at, "Write at least one item.")
        items = as_object(node.get("items"))
        for index, item in enumerate(value):
            self.visit(item, items, at.item(index, _noun(items), as_object(item).get("name")))

    def _text(self, value: str, node: JsonObject, at: _Position) -> None:
        described = _about(at.key, as_text(node.get("description")))
        if "pattern" in node and not _compiled(as_text(node["pattern"])).search(value):
            code = "invalid-name" if at.key in ("name", "prefix") else "invalid-value"
            hint = nearest(value, [str(example) for example in as_list(node.get("examples"))]) or described
            if at.key == "request":
                hint = (
                    key_suggestions.request_line(value)
                    if at.noun == "request"
                    else key_suggestions.request_line(value, ("GET",))
                )
            self._add(code, f"{at.label} cannot be {shown(value)}.", at, hint)
        elif len(value) < _number(node, "minLength", 0):
            self._add("invalid-value", f"{at.label} is an empty text.", at, described)

    def _range(self, value: float, node: JsonObject, at: _Position) -> None:
        bounds: tuple[tuple[str, Callable[[float, float], bool], str], ...] = (
            ("minimum", lambda number, bound: number >= bound, "at least"),
            ("exclusiveMinimum", lambda number, bound: number > bound, "more than"),
            ("maximum", lambda number, bound: number <= bound, "at most"),
        )
        for keyword, holds, words in bounds:
            bound = node.get(keyword)
            if isinstance(bound, (int, float)) and not holds(value, bound):
                message = f"{at.label} is {shown(value)}, which is out of range."
                self._add("invalid-value", message, at, f"Write {words} {bound}.")


def _resolved(node: JsonObject) -> JsonObject:
    while "$ref" in node:
        node = as_object(lookup(schema(), tokens(as_text(node["$ref"]).removeprefix("#"))))
    return node


def _noun(node: JsonObject) -> str:
    """Return the name of the definition to which a schema's `$ref` leads, or "" if it has none."""
    return as_text(node.get("$ref")).rpartition("/")[2]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of the schema (ECMA-262).

    `$` is translated: in ECMA-262 it matches only at the end, in Python also before a final line break.
    """
    return re.compile(re.sub(r"(?<!\\)\$$", r"\\Z", pattern))


def _types(node: JsonObject) -> list[str]:
    kinds = node.get("type", [])
    return [str(kind) for kind in kinds] if isinstance(kinds, list) else [str(kinds)]


def _is(value: JsonValue, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind][0])


def _equal(value: JsonValue, other: JsonValue) -> bool:
    """Return True if two values are equal in JSON Schema: 1 equals 1.0, but true does not equal 1."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def _number(node: JsonObject, keyword: str, default: int) -> int:
    found = node.get(keyword, default)
    return found if isinstance(found, int) else default


def _described(properties: JsonObject, key: str) -> str:
    """Return the description of a key in the schema, as a hint."""
    return _about(key, as_text(_resolved(as_object(properties.get(key))).get("description")))


def _about(key: str, description: str) -> str:
    """Return a hint: a key and its description. Without the key, the hint would not show what the description is
    about.
    """
    return f"`{key}`: {description}" if key and description else description


def shown(value: JsonValue) -> str:
    """Return a value as shown in a message: text in quotes, other values as JSON."""
    return f"'{clipped(value)}'" if isinstance(value, str) else clipped(json.dumps(value))
