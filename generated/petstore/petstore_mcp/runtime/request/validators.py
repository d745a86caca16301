# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ask the validator library whether values satisfy JSON Schemas, and cache compiled validators.

The library fetches nothing, and each check takes time linear in the size of the value. Patterns run in linear time. A
pattern that has no linear form, or is too large, is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from ..text.patterns import options

if TYPE_CHECKING:
    from ..core.catalog import Tool

MOST_VALIDATORS = 128
"""Maximum number of validators in the cache.

A validator takes some tens of microseconds to build and some tens of kilobytes of memory. Its patterns take at most 2
MiB, which the compiler ensures.
"""

# Formats that are not checked, because servers disagree on their exact form. Only date, date-time and uuid are checked.
_DOUBTFUL = (
    *("duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference"),
    *("json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template"),
)

Formats = dict[str, Callable[[str], bool]]


class SchemaChecker:
    """Checker for one schema and its subschemas. `schema`: the schema without patterns that only the API checks.

    `is_valid(value)` checks a value against the whole schema. The other methods check a value against a subschema, or
    one keyword of a subschema. The subschema is named by a JSON Pointer as a URI fragment (RFC 6901 section 6).
    """

    __slots__ = ("_formats", "_keywords", "_parts", "is_valid", "schema")

    def __init__(self, schema: dict[str, Any], formats: Formats, unchecked: Collection[str] = ()) -> None:
        """Compile the schema. `unchecked` lists patterns that are not checked here, only by the API."""
        self.schema = _without_patterns(schema, unchecked) if unchecked else schema
        self._formats = formats
        self._parts: jsonschema_rs.ValidatorMap | None = None
        self._keywords: dict[str, Callable[[Any], bool]] = {}
        try:
            self.is_valid = _build(self.schema, formats).is_valid
        except (
            jsonschema_rs.ValidationError
        ):  # this version of jsonschema_rs refuses a pattern: leave such patterns out
            self.schema = _without_patterns(self.schema, _refused(self.schema))
            self.is_valid = _build(self.schema, formats).is_valid

    def is_part_valid(self, pointer: str, value: Any) -> bool:
        """Return True if `value` is valid against the subschema at `pointer`. Raise KeyError if there is none."""
        if self._parts is None:
            self._parts = jsonschema_rs.validator_map_for(self.schema, **options(self._formats))
        return self._parts[pointer].is_valid(value)

    def is_keyword_valid(self, pointer: str, keyword: str, rule: dict[str, Any], value: Any) -> bool:
        """Return True if `value` satisfies one keyword of the subschema at `pointer`.

        `rule` is a schema that contains only this keyword.
        """
        place = f"{pointer}/{keyword}"
        if place not in self._keywords:
            dialect = {"$schema": self.schema["$schema"]} if "$schema" in self.schema else {}
            self._keywords[place] = _build({**dialect, **rule}, self._formats).is_valid
        return self._keywords[place](value)


class Validators:
    """Cache of schema checkers, one per tool.

    With `exact`, all formats are checked, otherwise only date, date-time and uuid. `exact` is for results, since
    clients check all formats in results too.
    """

    __slots__ = ("_built", "_formats")

    def __init__(self, *, exact: bool = False) -> None:
        self._built: dict[str, SchemaChecker] = {}
        self._formats: Formats = {} if exact else dict.fromkeys(_DOUBTFUL, _accept)

    def of(self, tool: Tool, schema: dict[str, Any]) -> SchemaChecker:
        """Return the checker for `schema`, a schema of `tool`."""
        if tool.name not in self._built:
            if len(self._built) >= MOST_VALIDATORS:
                del self._built[next(iter(self._built))]
            self._built[tool.name] = SchemaChecker(schema, self._formats, tool.binding.get("unchecked", ()))
        return self._built[tool.name]


def _build(schema: dict[str, Any], formats: Formats) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema, **options(formats))


def _accept(value: str) -> bool:
    return True


def _refused(schema: Any) -> list[str]:
    """Return the patterns of a schema that the validator library refuses, because it cannot compile them within its
    limit.
    """
    return [pattern for pattern in _patterns(schema) if not _is_compilable(pattern)]


def _is_compilable(pattern: str) -> bool:
    try:
        _build({"pattern": pattern}, {})
    except jsonschema_rs.ValidationError:
        return False
    return True


def _patterns(schema: Any) -> Iterator[str]:
    """Yield the patterns of a schema: values of `pattern`, and keys of `patternProperties`."""
    if isinstance(schema, list):
        for item in schema:
            yield from _patterns(item)
    elif isinstance(schema, dict):
        for name, member in schema.items():
            yield from _of_member(name, member)
            if name not in ("enum", "const"):
                yield from _patterns(member)


def _without_patterns(schema: Any, unchecked: Collection[str]) -> Any:
    """Return the schema without the patterns in `unchecked`."""
    if isinstance(schema, list):
        return [_without_patterns(item, unchecked) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: member if name in ("enum", "const") else _without_patterns(member, unchecked)
        for name, member in schema.items()
        if not any(pattern in unchecked for pattern in _of_member(name, member))
    }


def _of_member(name: str, member: Any) -> list[str]:
    """Return the patterns that the member `name` of a schema is or contains as keys."""
    if name == "pattern" and isinstance(member, str):
        return [member]
    return list(member) if name == "patternProperties" and isinstance(member, dict) else []
