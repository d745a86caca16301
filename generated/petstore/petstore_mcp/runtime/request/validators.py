# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Verdicts of JSON Schemas, from a library that was built once and is kept.

The library fetches nothing, and gives each verdict in time that is linear in the value. Patterns run in linear time; a
pattern that has no linear form, or takes too much memory, is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from ..text.patterns import options

if TYPE_CHECKING:
    from ..core.catalog import Tool

MOST_VALIDATORS = 128
"""Kept at a time. One costs some tens of microseconds to build and some tens of kilobytes to keep; its patterns take no
more than the compiler lets pass, which is 2 MiB."""

# Formats on whose exact form servers differ; what is left (date, date-time, uuid) is asserted.
_DOUBTFUL = (
    *("duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference"),
    *("json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template"),
)

Formats = dict[str, Callable[[str], bool]]


class Judge:
    """Verdicts of one schema and of its parts. `schema` is the one that is checked, `is_valid` the verdict of it all.

    A part is named by a JSON Pointer as a URI fragment (RFC 6901 section 6).
    """

    __slots__ = ("_formats", "_keywords", "_parts", "is_valid", "schema")

    def __init__(self, schema: dict[str, Any], formats: Formats, unchecked: Collection[str] = ()) -> None:
        """`unchecked` are patterns that the compiler leaves to the API."""
        self.schema = _without_patterns(schema, unchecked) if unchecked else schema
        self._formats = formats
        self._parts: jsonschema_rs.ValidatorMap | None = None
        self._keywords: dict[str, Callable[[Any], bool]] = {}
        try:
            self.is_valid = _build(self.schema, formats).is_valid
        except jsonschema_rs.ValidationError:  # for a pattern that this release of the library does not take
            self.schema = _without_patterns(schema, None)
            self.is_valid = _build(self.schema, formats).is_valid

    def is_part_valid(self, pointer: str, value: Any) -> bool:
        """Return the verdict of the part at that pointer. Raises KeyError where there is none."""
        if self._parts is None:
            self._parts = jsonschema_rs.validator_map_for(self.schema, **options(self._formats))
        return self._parts[pointer].is_valid(value)

    def is_keyword_valid(self, pointer: str, keyword: str, rule: dict[str, Any], value: Any) -> bool:
        """Return the verdict of one keyword of the part at that pointer. `rule` is a schema with this keyword alone."""
        place = f"{pointer}/{keyword}"
        if place not in self._keywords:
            dialect = {"$schema": self.schema["$schema"]} if "$schema" in self.schema else {}
            self._keywords[place] = _build({**dialect, **rule}, self._formats).is_valid
        return self._keywords[place](value)


class Validators:
    """The judges of the tools that were seen, for one of their schemas. With `exact`, all formats are asserted: of
    what is sent to clients that do so too."""

    __slots__ = ("_built", "_formats")

    def __init__(self, *, exact: bool = False) -> None:
        self._built: dict[str, Judge] = {}
        self._formats: Formats = {} if exact else dict.fromkeys(_DOUBTFUL, _accept)

    def of(self, tool: Tool, schema: dict[str, Any]) -> Judge:
        """Return the judge of that schema of that tool."""
        if tool.name not in self._built:
            if len(self._built) >= MOST_VALIDATORS:
                del self._built[next(iter(self._built))]
            self._built[tool.name] = Judge(schema, self._formats, tool.binding.get("unchecked", ()))
        return self._built[tool.name]


def _build(schema: dict[str, Any], formats: Formats) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema, **options(formats))


def _accept(value: str) -> bool:
    return True


def _without_patterns(schema: Any, unchecked: Collection[str] | None) -> Any:
    """Return the schema without those patterns; without any where they are None."""
    if isinstance(schema, list):
        return [_without_patterns(item, unchecked) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: member if name in ("enum", "const") else _without_patterns(member, unchecked)
        for name, member in schema.items()
        if not _is_left_out(name, member, unchecked)
    }


def _is_left_out(name: str, member: Any, unchecked: Collection[str] | None) -> bool:
    """Return whether a member is a pattern, or holds one among its names, that is not checked."""
    patterns = [member] if name == "pattern" and isinstance(member, str) else []
    if name == "patternProperties" and isinstance(member, dict):
        patterns = list(member)
    return any(unchecked is None or pattern in unchecked for pattern in patterns)
