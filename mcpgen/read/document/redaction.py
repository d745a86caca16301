"""Remove values that may be secrets from a document, before any other code reads it.

The name of a value is the nearest key around it: of a property, a parameter, a header, a variable or an extension. So
one walk serves all formats. `base/secrets.py` has the rule. What is left of the document can be copied anywhere.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, pointer
from mcpgen.base.names import clipped, environment_suffix
from mcpgen.base.secrets import (
    LEFT_OUT,
    holds_key,
    is_reference,
    is_secret_name,
    may_be_secret,
    without_secrets,
)
from mcpgen.read.document.document import Document

MARK = "x-mcpgen-credential"
"""Member of a parameter or a pair whose constant was removed. The server reads the value from its environment."""

_VALUES = frozenset(("default", "const", "example", "examples", "enum", "value", "values", "initial", "current"))
"""Keys of values of the thing that an object describes."""

_SAME = _VALUES | frozenset(
    ("schema", "items", "allOf", "anyOf", "oneOf", "not", "content", "prefixItems", "additionalProperties")
)
"""Keys whose values have the name of the object around them."""

_PROSE = frozenset(
    (
        *("description", "summary", "title", "$ref", "operationId", "pattern", "type", "in", "name", "format", "tags"),
        *("required", "propertyName", "documentation", "instructions", "message", "text", "raw", "info", "request"),
        *("script", "exec", "$comment", "response", "mode", "language", "document", "key", "operation", "select"),
    )
)
"""Keys of texts that are judged by their look alone. `key` names a pair."""

_TABLES = frozenset(
    ("security", "scopes", "mapping", "dependentRequired", "overrides", "aliases", "lookups", "encoding", "fields")
)
"""Keys of objects whose members are not named after the values that they hold."""

_UNNAMED = (("server",), ("login",))
"""Paths of objects in a tools file whose texts are judged by their look alone: `pin` lists tools, and `token` says
where an answer has the token.
"""

_CONSTANTS = frozenset(("const", "enum"))
_EXAMPLE_KEYS = frozenset(("example", "examples"))
_CREDENTIAL_FIELDS = frozenset(("authorization", "proxy-authorization", "cookie"))
_KEPT = frozenset(
    ("none", "null", "true", "false", "bearer", "basic", "string", "integer", "number", "boolean", "file")
)
"""Words that name no secret in any place."""
_LONGEST_KEPT = 10
_MOST_KNOWN = 100_000
"""Texts whose verdict is kept, because most texts occur many times."""

_LEFT_PAIR = re.compile(rf"([?&])[^=&#?]*={LEFT_OUT}(?:&|(?=#|$))")
_PATHS = frozenset(("path", "flatPath", "raw", "url", "request", "rootUrl", "baseUrl", "servicePath", "base_url"))
"""Keys of paths and URLs, beside the keys of `paths`."""

_PATH_PART = re.compile(r"[^/{}\s]+")
_LABEL = re.compile(rf"([\w.-]+)(?:=|:\s?[\"']?){LEFT_OUT}")
_LITERAL = re.compile(r'\b([A-Za-z_]\w*)(\s*:\s*)"(?:[^"\\]|\\.)*"')
_FORCED = " secret"
_LEAST_PIN = 100
_EXAMPLES, _KEYS, _IN_PATH = "examples", "keys in examples", "a part of the path"


def redacted(document: Document, diagnostics: Diagnostics) -> Document:
    """Return `document` without values that may be secrets. Report each name once, with its first place."""
    walk = _Walk(document)
    value = walk.value(document.value, (), "", "")
    walk.report(diagnostics)
    return document if value is document.value else replace(document, value=value)


@dataclass(slots=True)
class _LeftOut:
    where: Where
    is_constant: bool
    count: int = 1


class _Gone:
    """Type of the value that replaces a removed one inside this module."""


_GONE = _Gone()
_Path = tuple[str | int, ...]


class _Walk:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._texts: dict[str, str] = {}
        self._clean_keys: set[str] = set()
        self._clean_texts: set[tuple[str, str, JsonValue]] = set()  # key, name and text: most texts occur many times
        self._found: dict[str, _LeftOut] = {}
        root = as_object(document.value)
        is_collection = "item" in root or "collection" in root
        self._argument = "{{secret_in_path}}" if is_collection else "{secret_in_path}"

    def value(self, value: JsonValue, path: _Path, key: str, name: str) -> JsonValue:
        """Return a value without secrets: the same object, if it has none."""
        found = self._judged(value, path, key, name)
        return None if isinstance(found, _Gone) else found

    def report(self, diagnostics: Diagnostics) -> None:
        """Report what was removed: each name once, all examples in one note, and those with a key in another."""
        for name, found in self._found.items():
            shown = clipped(without_secrets(name.removesuffix(_FORCED)) or "value")
            times = f" ({found.count} places)" if found.count > 1 else ""
            variable = f"the environment variable whose name ends in _{environment_suffix(shown)}"
            if name == _EXAMPLES:
                message = f"Values of examples look like secrets, so they were left out{times}."
                diagnostics.add("secret-left-out", message, found.where, "Calls do not need these values.")
            elif name == _KEYS:
                message = f"An example holds a key that looks real, so it was left out{times}."
                hint = "If the key is real, revoke it, and remove it from the document."
                diagnostics.add("secret-left-out", message, found.where, hint)
            elif name == _IN_PATH:
                message = f"A part of a path may be a secret, so the argument `secret_in_path` replaces it{times}."
                hint = "Let a hook set the argument from an environment variable of your choice."
                diagnostics.add("secret-constant", message, found.where, hint)
            elif found.is_constant:
                message = f"The fixed value of '{shown}' may be a secret, so it was left out{times}."
                hint = f"Describe it under `security` and set {variable}, or let a hook read it from the environment."
                diagnostics.add("secret-constant", message, found.where, hint)
            else:
                message = f"A value of '{shown}' may be a secret, so it was left out{times}."
                hint = (
                    "Calls do not need this text."
                    if name in _PROSE
                    else f"If each call needs the value, describe it under `security`, and set {variable}."
                )
                diagnostics.add("secret-left-out", message, found.where, hint)

    def _judged(self, value: JsonValue, path: _Path, key: str, name: str) -> "JsonValue | _Gone":
        if isinstance(value, dict):
            return self._object(value, path, key, name)
        if isinstance(value, list):
            return self._list(value, path, key, name)
        if isinstance(value, str):
            return self._text(value, path, key, name)
        return value

    def _object(self, node: JsonObject, path: _Path, key: str, name: str) -> JsonObject:
        if "name" in node or "key" in node:
            name = _own_name(node, key) or name
        if (
            ("format" in node and node["format"] == "password")
            or ("type" in node and node["type"] == "secret")
            or ("writeOnly" in node and node["writeOnly"] is True)
        ):
            name = name if is_secret_name(name) else f"{name}{_FORCED}"
        is_choice = "enum" in node and len(as_list(node["enum"])) > 1
        changes: dict[str, tuple[str, JsonValue | _Gone]] = {}
        for member, each in node.items():
            label = member if member in self._clean_keys else self._key(member, (*path, member), key)
            found: JsonValue | _Gone = each
            if each.__class__ is str or each.__class__ is list:
                is_unnamed = (is_choice and member in _VALUES) or path in _UNNAMED
                inside = "" if is_unnamed else _name_of(member, key, name)
                if (member, inside, each.__class__ is str and each) not in self._clean_texts:
                    found = self._judged(each, (*path, member), member, inside)
            elif isinstance(each, dict):
                found = self._object(each, (*path, member), member, name if member in _SAME else member)
            elif member in _VALUES and _is_number(each) and "token" not in name.lower() and is_secret_name(name):
                found = self._removed(name, path)
            if found is not each or label is not member:
                changes[member] = label, found
        return _changed(node, changes) if changes else node

    def _list(self, items: list[JsonValue], path: _Path, key: str, name: str) -> list[JsonValue] | _Gone:
        clean = self._clean_texts
        found = [
            each
            if each.__class__ is str and (key, name, each) in clean
            else self._judged(each, (*path, index), key, name)
            for index, each in enumerate(items)
        ]
        if all(one is other for one, other in zip(found, items, strict=True)):
            return items
        kept: list[JsonValue] = [each for each in found if not isinstance(each, _Gone)]
        return _GONE if key == "enum" and len(kept) < len(items) else kept

    def _text(self, text: str, path: _Path, key: str, name: str) -> str | _Gone:
        if key == "query" and "{" in text:  # a GraphQL document
            text = self._without_literals(text, path)
        if name.lower() in _CREDENTIAL_FIELDS and not is_reference(text):
            return _without_credentials(text)
        if name and not is_reference(text) and text[:_LONGEST_KEPT].lower() not in _KEPT and may_be_secret(name, text):
            cleaned = self._clean(text)
            if "://" not in text or cleaned == text:
                return self._removed(name, path, text)
        if key in _PATHS:
            text = self._path(text, path)
        cleaned = self._clean(text)
        if cleaned != text:
            label = _LABEL.search(without_secrets(text))
            self._removed(label[1] if label else name or key, path, text)
        else:
            self._clean_texts.add((key, name, cleaned))
        return cleaned

    def _clean(self, text: str) -> str:
        if text not in self._texts:
            if len(self._texts) >= _MOST_KNOWN:
                self._texts.clear()
                self._clean_texts.clear()
                self._clean_keys.clear()
            found = without_secrets(text)
            if found != text and "?" in text:
                found = _LEFT_PAIR.sub(r"\1", found).rstrip("?&")
            self._texts[text] = found
        return self._texts[text]

    def _without_literals(self, text: str, path: _Path) -> str:
        def left(match: re.Match[str]) -> str:
            if not is_secret_name(match[1]):
                return match[0]
            self._removed(match[1], path)
            return f'{match[1]}{match[2]}"{LEFT_OUT}"'

        return _LITERAL.sub(left, text)

    def _key(self, member: str, path: _Path, key: str) -> str:
        """Return a key without secrets. In a path, an argument replaces a secret."""
        if key == "paths":
            member = self._path(member, path)
        cleaned = self._clean(member)
        if cleaned != member:
            self._removed(key or "key", path)
        elif key != "paths":
            self._clean_keys.add(member)
        return cleaned

    def _path(self, text: str, path: _Path) -> str:
        """Return a path or URL with an argument in place of each part that may be a secret."""
        found = self._path_text(text)
        if found != text:
            self._removed(_IN_PATH, path)
        return found

    def _path_text(self, text: str) -> str:
        front = re.match(r"[^?#]*", text)
        assert front is not None, "the pattern may match nothing"
        # decoded, since the signs of an encoded sentence look random
        plain = _PATH_PART.sub(
            lambda part: self._argument if may_be_secret("", unquote(part[0])) else part[0], front[0]
        )
        return plain + text[front.end() :]

    def _place(self, path: _Path) -> Where:
        """Return the place of a removed value, without secrets that are keys around it."""
        known = pointer("", *path)
        shown = pointer(
            "", *(without_secrets(self._path_text(each)) if isinstance(each, str) else each for each in path)
        )
        if shown == known:
            return self._document.where(known)
        return Where(self._document.name, shown, *self._document.positions([known])[known])

    def _removed(self, name: str, path: _Path, text: str = "") -> _Gone:
        if any(each in _EXAMPLE_KEYS or str(each).startswith("x-") for each in path if each != "x-mcp"):
            name = _KEYS if holds_key(text) else _EXAMPLES
        is_constant = not _CONSTANTS.isdisjoint(path[-2:]) or "send" in path
        place = self._place(path)
        if found := self._found.get(name):
            found.count += 1
            if is_constant and not found.is_constant:
                found.where, found.is_constant = place, True
        else:
            self._found[name] = _LeftOut(place, is_constant)
        return _GONE


def _changed(node: JsonObject, changes: Mapping[str, "tuple[str, JsonValue | _Gone]"]) -> JsonObject:
    """Return an object with new keys and values for the keys in `changes`, and a mark if it lost its constant."""
    changed: JsonObject = {}
    for member, each in node.items():
        label, found = changes.get(member, (member, each))
        if not isinstance(found, _Gone):
            changed[label] = found
    is_pair = isinstance(node.get("key"), str) and "value" in node and "value" not in changed
    if is_pair or ("in" in node and _is_constant(node) and not _is_constant(changed)):
        changed[MARK] = True
    return changed


def _name_of(member: str, key: str, name: str) -> str:
    """Return the name of the text or list `member` of an object at `key`. "" means that only its look counts."""
    if member in _SAME:
        return name
    return "" if member in _PROSE or key in _TABLES else member


def _is_number(value: JsonValue) -> bool:
    """Return True for a number that may be a PIN or a card number, not for a small one or a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) >= _LEAST_PIN


def _without_credentials(text: str) -> str:
    """Return the value of `Authorization` or `Cookie` without its credentials: its scheme, or the names of cookies."""
    if "=" in text and ("; " in text or " " not in text):
        return re.sub(r"=[^;]*", f"={LEFT_OUT}", text)
    first, blank, _ = text.strip().partition(" ")
    return f"{first} {LEFT_OUT}" if blank else LEFT_OUT


def _own_name(node: JsonObject, key: str) -> str:
    """Return the name of a parameter, or of a pair of a name and a value; else ""."""
    name = node.get("name")
    if isinstance(name, str) and ("in" in node or "value" in node or "default" in node):
        return name
    pair = node.get("key")
    # the member `key` of an API key in a Postman collection is the name of a header
    return pair if isinstance(pair, str) and "value" in node and key != "apikey" else ""


def _is_constant(node: JsonObject) -> bool:
    """Return True if a parameter has one fixed value."""
    schemas: Iterable[JsonObject] = (node, as_object(node.get("schema")))
    return any("const" in each or len(as_list(each.get("enum"))) == 1 for each in schemas)
