# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Validators of JSON Schemas, built once and kept; and what else their engine for patterns is good for.

They fetch nothing, and patterns run in linear time; a pattern that has no linear form is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import jsonschema_rs

MOST_VALIDATORS = 256
"""Kept at a time. One costs some tens of microseconds to build, and some tens of kilobytes to keep."""

# Formats on whose exact form servers differ; what is left (date, date-time, uuid) is asserted.
_DOUBTFUL = (
    *("duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference"),
    *("json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template"),
)


class Validators:
    """The validators of the tools that were seen, for one of their schemas. With `exact`, all formats are asserted: of
    what is sent to clients that do so too."""

    __slots__ = ("_built", "_formats")

    def __init__(self, *, exact: bool = False) -> None:
        self._built: dict[str, jsonschema_rs.Validator] = {}
        self._formats: dict[str, Callable[[str], bool]] = {} if exact else dict.fromkeys(_DOUBTFUL, _accept)

    def of(self, tool: str, schema: dict[str, Any]) -> jsonschema_rs.Validator:
        """The validator for that schema of that tool."""
        if tool not in self._built:
            if len(self._built) >= MOST_VALIDATORS:
                del self._built[next(iter(self._built))]
            try:
                self._built[tool] = _build(schema, self._formats)
            except jsonschema_rs.ValidationError:
                self._built[tool] = _build(_without_patterns(schema), self._formats)
        return self._built[tool]


def _build(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]]) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        schema, validate_formats=True, formats=formats, pattern_options=jsonschema_rs.RegexOptions(), offline=True
    )


def finder(words: Collection[str]) -> Callable[[str], bool]:
    """What says whether a text holds one of some words, which are ASCII letters and digits or nothing.

    All are looked for at once, a megabyte in a tenth of a millisecond; Python takes three for a word.
    """
    if not words:
        return lambda text: False
    holds = _build({"pattern": "|".join(words)}, {}).is_valid

    def found(text: str) -> bool:
        try:
            return holds(text)
        except UnicodeEncodeError:  # for a lone surrogate, which only a hook can have made
            return any(word in text for word in words)

    return found


def _accept(value: str) -> bool:
    return True


def _without_patterns(schema: Any) -> Any:
    """The schema without `pattern` and `patternProperties`, which may ask for what no linear engine does."""
    if isinstance(schema, list):
        return [_without_patterns(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: member for name, member in schema.items() if not (name == "pattern" and isinstance(member, str))}
    kept.pop("patternProperties", None)
    return {name: member if name in ("enum", "const") else _without_patterns(member) for name, member in kept.items()}
