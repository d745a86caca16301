"""Check the structure of a tools file: which keys are allowed where, and which type of value each key takes.

`schema.json` beside this module is the only description of the format, with the files to which it refers: those of
features that have a room of their own. Editors and this module both use it, so every key that an editor offers is also
accepted here. Unknown keys, missing keys and values of the wrong type are reported here, with their place and a
suggestion. The modules that read a value check its meaning.

Some wrong keys come from habit with OpenAPI, with other tools, or with older YAML formats. Keys are compared ignoring
case, `_` and `-`.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, lookup, tokens
from mcpgen.base.names import clipped, did_you_mean, near
from mcpgen.base.names import nearest as nearest

_BASE_URL = "Write the URL of the API under `base_url`."
_AT_SERVER = "Write this key under `server`."
_REQUEST = "Write method and path in one line: `request: GET /path`."
_ARGUMENTS = "Under `arguments`, write each value that the model fills in as `name: type`."
_HEADERS = "Write header fields under `send: {headers: …}`. To send an argument as a header field, write `in: header`."
_SELECT = "Choose operations with `include: [{tag: …}]`, by tag, path, method or id."

_RIGHT_KEYS: dict[str, dict[str, str]] = {
    "file": {
        **dict.fromkeys(("url", "servers", "serverurl", "host", "endpoint", "apiurl", "baseuri"), _BASE_URL),
        **dict.fromkeys(
            ("name", "title", "version", "instructions", "logging", "output", "fields", "lookups", "pages", "confirm"),
            _AT_SERVER,
        ),
        **dict.fromkeys(("description", "info"), "Write the server's name, title and instructions under `server`."),
        **dict.fromkeys(
            ("auth", "authentication", "authorization", "securityschemes", "credentials"),
            "Describe credentials under `security`: `api_key: {type: apiKey, in: header, name: X-API-Key}`.",
        ),
        **dict.fromkeys(
            ("spec", "specs", "document", "documents", "source", "sources", "swagger", "apis"),
            "List API descriptions under `openapi`: `openapi: [{document: FILE}]`.",
        ),
        **dict.fromkeys(
            ("schemas", "parameters", "responses", "definitions", "requestbodies"), "Write this key under `components`."
        ),
        "paths": (
            "Write a list `tools`, in which each tool has its `request`, or name an OpenAPI document under `openapi`."
        ),
        "headers": (
            "Describe credentials under `security`. Write other header fields in each tool, under `send: {headers: …}`."
        ),
        "env": (
            "A tools file sets no environment variables; `mcpgen inspect` lists the variables that the server reads."
        ),
        "resourcetemplates": "A resource with `{name}` in its `uri` is a template: write it under `resources`.",
        "timeout": (
            "Write this key in a tool. The operator sets the timeout of all other tools with the environment variable "
            "whose name ends in _TIMEOUT."
        ),
        "roles": "Write this key under `server`, with a list for each HTTP method, or in a tool.",
        "scopes": "Write this key in a tool, or in an override.",
    },
    "server": {
        **dict.fromkeys(("url", "baseurl", "host"), "Write the URL of the API under `base_url`, beside `server`."),
        "description": "Write what a model should know under `instructions`.",
    },
    "tool": {
        **dict.fromkeys(("operationid", "id"), "Use the key `name` instead."),
        **dict.fromkeys(("requestbody", "payload", "data", "json"), "Use the key `body` instead."),
        "summary": "Write a few words for people as `title`, and the text for models as `description`.",
        **dict.fromkeys(("method", "path", "url", "endpoint", "route", "http", "uri", "verb"), _REQUEST),
        **dict.fromkeys(("schema", "inputschema", "jsonschema"), "Use the key `inputSchema` instead."),
        **dict.fromkeys(("params", "args", "query", "properties", "input", "inputs", "queryparameters"), _ARGUMENTS),
        **dict.fromkeys(("headers", "header", "cookies"), _HEADERS),
        **dict.fromkeys(("servers", "server", "host"), _BASE_URL),
        **dict.fromkeys(
            ("auth", "authentication", "credentials"), "Write the credentials that the tool needs under `security`."
        ),
        **dict.fromkeys(("response", "returns"), "Describe the responses under `responses`, as in OpenAPI."),
        **dict.fromkeys(
            ("readonlyhint", "destructivehint", "idempotenthint", "openworldhint", "hints", "readonly", "destructive"),
            "Write hints under `annotations`: `annotations: {readOnlyHint: true}`.",
        ),
        "required": "Write `required` in each required argument: `city: string required`.",
        **dict.fromkeys(
            ("hide", "enabled", "disabled"), "Remove a tool that you do not want, or write it as a comment."
        ),
    },
    "override": {
        **dict.fromkeys(("hidden", "disabled", "skip", "exclude", "enabled", "ignore"), "Write `hide: true`."),
        **dict.fromkeys(("parameters", "params", "args", "properties"), "Use the key `arguments` instead."),
        "summary": "Write a few words for people as `title`, and the text for models as `description`.",
        "inputschema": "The schema comes from the OpenAPI document; change single arguments under `arguments`.",
        "operationid": "Use the key `name` instead.",
    },
    "argument_change": {
        **dict.fromkeys(("hidden", "skip", "exclude"), "Write `hide: true`."),
        **dict.fromkeys(("const", "fixed"), "For a value that is always sent, use the key `value`."),
        **dict.fromkeys(("type", "enum", "format"), "Write this key under `schema`."),
    },
    "document": {
        **dict.fromkeys(
            ("url", "path", "file", "spec", "source", "src", "location"), "Use the key `document` instead."
        ),
        **dict.fromkeys(("tags", "tag", "operations", "filter", "filters", "select", "only"), _SELECT),
        **dict.fromkeys(
            ("name", "namespace"), "To begin the names of the document's tools with a word, write `prefix`."
        ),
    },
    "send": {
        **dict.fromkeys(("params", "parameters"), "Use the key `query` instead."),
        **dict.fromkeys(("json", "data", "payload", "form"), "Use the key `body` instead."),
    },
    "result": {
        **dict.fromkeys(("jq", "path", "pointer", "jsonpath", "filter"), "Use the key `select`, with a JSON Pointer."),
        "template": "Use the key `text` instead.",
        **dict.fromkeys(("drop", "omit", "exclude", "redact"), "Use the key `remove` instead."),
    },
    "resource": {
        "url": "Write the address of the resource as `uri`. If a GET request fetches it, write `request: GET /path`.",
        **dict.fromkeys(("content", "contents", "body", "data"), "Use the key `text`, or `file`."),
        **dict.fromkeys(("path", "method", "endpoint"), "Write a `file`, or `request: GET /path`."),
        **dict.fromkeys(("contenttype", "type"), "Use the key `mimeType` instead."),
        "uritemplate": "Use the key `uri` instead.",
    },
    "prompt": {
        **dict.fromkeys(
            ("template", "text", "content", "prompt"), "Write messages: `messages: [{role: user, text: …}]`."
        ),
        **dict.fromkeys(("params", "parameters", "args"), "Use the key `arguments` instead."),
    },
    "message": {**dict.fromkeys(("content", "message"), "Use the key `text` instead.")},
    "parameter": {
        **dict.fromkeys(
            ("type", "format", "enum", "default", "items", "pattern", "properties", "const", "nullable", "title"),
            "Write this key under `schema`.",
        ),
        **dict.fromkeys(
            ("minimum", "maximum", "minlength", "maxlength", "minitems", "maxitems", "uniqueitems", "multipleof"),
            "Write this key under `schema`.",
        ),
    },
    "annotations": {"title": "Write this key in the tool, beside `annotations`."},
}
"""Definition in `schema.json` of the containing object → wrong key → what to write instead."""

_YES, _NO = ("yes", "on", "y", "true"), ("no", "off", "n", "false")
_METHODS = ("GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS")
_LEADING_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

PATH = Path(__file__).with_name("schema.json")
_FILE = re.compile(r'^( *)(.*)\{"\$ref": "([^#"]+)"\}', re.MULTILINE)
"""Reference of `schema.json` to another file."""

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


def published() -> str:
    """Return the text of the JSON Schema of the tools file: `schema.json`, with the files to which it refers."""

    def inserted(found: re.Match[str]) -> str:
        text = (PATH.parent / found[3]).read_text(encoding="utf-8").rstrip()
        return found[1] + found[2] + text.replace("\n", f"\n{found[1]}")

    return _FILE.sub(inserted, PATH.read_text(encoding="utf-8"))


@cache
def schema() -> JsonObject:
    """Return the JSON Schema of the tools file, as it is published."""
    return as_object(json.loads(published()))


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


def valid(entry: JsonObject, keys: Iterable[str], noun: str) -> dict[str, Any]:
    """Return the members of `entry` under `keys` that the `$defs` schema `noun` allows."""
    return {key: entry[key] for key in keys if key in entry and is_valid(noun, key, entry[key])}


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
            hint = _right_kind(value, kinds, at.key) or f"Write {wanted}."
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
        for missing in (str(name) for name in as_list(node.get("required")) if name not in value):
            self._add("missing-key", f"{at.label} lacks the key '{missing}'.", at, _described(properties, missing))
        choices = [str(name) for each in as_list(node.get("oneOf")) for name in as_list(as_object(each)["required"])]
        if choices and not any(name in value for name in choices):
            wanted, hints = "' or '".join(choices), (_described(properties, name) for name in choices)
            self._add("missing-key", f"{at.label} lacks the key '{wanted}'.", at, " ".join(hints))
        if len(value) < _number(node, "minProperties", 0):
            self._add("invalid-value", f"{at.label} is empty.", at, f"Write {' or '.join(properties) or 'a member'}.")

    def _member(self, key: str, value: JsonValue, node: JsonObject, at: _Position) -> None:
        self.visit(value, node, at.member(key, _noun(node)))

    def _unknown(self, key: str, known: list[str], at: _Position) -> None:
        hint = _right_key(at.noun, key) or nearest(key, known)
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
                hint = _right_request_line(value) if at.noun == "request" else _right_request_line(value, ("GET",))
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


# -- suggestions for wrong keys ----------------------------------------------------------------------------------------


def _right_key(container: str, written: str) -> str:
    """Return what to write in place of the unknown key `written`, or "" if there is no suggestion. `container`: name of
    the definition in `$defs` for the object that contains the key.
    """
    return _RIGHT_KEYS.get(container, {}).get(written.casefold().replace("_", "").replace("-", ""), "")


def _right_kind(value: JsonValue, kinds: Sequence[str], name: str) -> str:
    """Return what to write in place of a value of the wrong type, or "" if there is no suggestion.

    `kinds`: the expected JSON Schema types. `name`: the key of the value.
    """
    if isinstance(value, dict) and "array" in kinds:
        return "Write a list: begin each item with `- `."
    if isinstance(value, list) and "object" in kinds:
        beside = " For a list of Parameter Objects, use the key `parameters`." if name == "arguments" else ""
        return f"Write a mapping: `NAME: …` instead of each `- `.{beside}"
    if isinstance(value, dict) and name == "request":
        return "Write method and path in one line, as in `GET /path`."
    if isinstance(value, str):
        return _in_place_of_text(value, kinds)
    if isinstance(value, (bool, int, float)) and "string" in kinds:
        return "Write the value in quotes, which makes it a text."
    return ""


def _in_place_of_text(value: str, kinds: Sequence[str]) -> str:
    word = value.strip().casefold()
    if "boolean" in kinds and word in (*_YES, *_NO):
        return f"Write {json.dumps(word in _YES)}, without quotes."
    number = _LEADING_NUMBER.match(word)
    if number is not None and ("integer" in kinds or "number" in kinds):
        return f"Write the number alone, without quotes: {number[0]}."
    if "array" in kinds:
        return "Write a list: `[…]`, or a line for each item, which begins with `- `."
    return ""


def _right_request_line(written: str, methods: Sequence[str] = _METHODS) -> str:
    """Return advice on how to correct `written`, an invalid value of `request:`.

    Example of advice: "Begin with the method, GET or POST."
    """
    method, _, path = written.strip().partition(" ")
    path = path.strip()
    if "://" in written:
        return "Write only the path, as in `GET /path`; write the URL of the API under `base_url`."
    if not path:
        if method.startswith("/"):
            return f"Begin with the method: `{methods[0]} {clipped(method)}`."
        return f"Write method and path, as in `{methods[0]} /path`."
    if method not in methods and method.upper() in methods:
        return f"Write the method in capitals: `{method.upper()} {clipped(path)}`."
    if method not in methods:
        return f"Begin with the method, {' or '.join(methods)}."
    if not path.startswith("/"):
        return f"Begin the path with `/`: `{method} /{clipped(path)}`."
    return (
        f"Write one space between method and path, and %20 for other spaces: `{method} "
        f"{clipped('%20'.join(path.split()))}`."
    )
