# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Checks arguments against a tool's input schema: every violation at once, as problems that a model can mend.

The only importer of the validator. It fetches nothing, and patterns run in linear time; a pattern that has no linear
form is not checked. Of the formats, date, date-time and uuid are. Integers may be written 1.0; true is
none. Names that the schema does not have are refused on top, unless the binding is `open`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from . import wording
from .refusal import Problem

if TYPE_CHECKING:
    from .catalog import Tool

MOST_VALIDATORS = 256
"""Kept at a time. One costs some tens of microseconds to build, and some tens of kilobytes to keep."""

# Formats on whose exact form servers differ; what is left (date, date-time, uuid) is asserted.
_DOUBTFUL = (
    *("duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference"),
    *("json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template"),
)


class Checker:
    """Checks arguments; keeps the validators of the tools it has seen."""

    __slots__ = ("_validators",)

    def __init__(self) -> None:
        self._validators: dict[str, jsonschema_rs.Validator] = {}

    def check(self, tool: Tool, arguments: dict[str, Any]) -> list[Problem]:
        """What is wrong: unknown arguments first, the others in the order of the schema."""
        known = tool.schema.get("properties", {})
        strange = [] if tool.binding.get("open") else [name for name in arguments if name not in known]
        found = [wording.unknown("", name, known) for name in strange]
        try:
            errors = list(self._validator(tool).iter_errors(arguments))
        except UnicodeEncodeError:
            names = [wording.shown_name(name) for name in _broken(arguments)]
            return [Problem(name, "expected text without lone surrogates") for name in names]
        listed = {tuple(error.instance_path) for error in errors if error.kind.name in ("enum", "const")}
        # Where the values are listed, the type goes without saying.
        errors = [error for error in errors if error.kind.name != "type" or tuple(error.instance_path) not in listed]
        position: dict[Any, int] = {name: index for index, name in enumerate(known)}
        for error in sorted(errors, key=lambda error: position.get(_first(error), -1)):
            # What the root of the schema says of unknown names has been said, or is overruled by the binding.
            if error.instance_path or error.kind.name not in ("additionalProperties", "unevaluatedProperties"):
                found += wording.problems(error, tool.schema)
        return list({str(problem): problem for problem in found}.values())

    def _validator(self, tool: Tool) -> jsonschema_rs.Validator:
        if tool.name not in self._validators:
            if len(self._validators) >= MOST_VALIDATORS:
                del self._validators[next(iter(self._validators))]
            try:
                self._validators[tool.name] = _build(tool.schema)
            except jsonschema_rs.ValidationError:
                self._validators[tool.name] = _build(_without_patterns(tool.schema))
        return self._validators[tool.name]


def _first(error: jsonschema_rs.ValidationError) -> str | int:
    """The argument that a violation is about."""
    return error.instance_path[0] if error.instance_path else getattr(error.kind, "property", "")


def _build(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        schema,
        validate_formats=True,
        formats=dict.fromkeys(_DOUBTFUL, _accept),
        pattern_options=jsonschema_rs.RegexOptions(),
        offline=True,
    )


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


def _broken(arguments: dict[str, Any]) -> list[str]:
    """The arguments that hold a lone surrogate, which the validator cannot read."""
    found = []
    for name, value in arguments.items():
        try:
            json.dumps({name: value}, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            found.append(name)
    return found
