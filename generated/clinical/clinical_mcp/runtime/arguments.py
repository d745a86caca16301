# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Checks arguments against a tool's input schema: every violation at once, as problems that a model can mend.

Of the formats, date, date-time and uuid are checked. Integers may be written 1.0; true is none. Names that the schema
does not have are refused on top, unless the binding is `open`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .refusal import Problem
from .validators import Validators

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

    from .catalog import Tool


class Checker:
    """Checks arguments; keeps the validators of the tools it has seen."""

    __slots__ = ("_validators",)

    def __init__(self) -> None:
        self._validators = Validators()

    def check(self, tool: Tool, arguments: dict[str, Any]) -> list[Problem]:
        """What is wrong: unknown arguments first, the others in the order of the schema."""
        named = tool.schema.get("properties", {})
        strange = [] if arguments.keys() <= named.keys() else _strange(tool, arguments)
        errors: list[ValidationError] | None
        try:
            errors = list(self._validators.of(tool.name, tool.schema).iter_errors(arguments))
        except UnicodeEncodeError:
            errors = None
        if not strange and errors == []:
            return []
        from . import wording  # most arguments are right

        known = dict.fromkeys([*named, *tool.binding.get("also", ())])
        if errors is None:
            names = [wording.shown_name(name) for name in _broken(arguments)]
            return [Problem(name, "expected text without lone surrogates") for name in names]
        found = [wording.unknown("", name, known) for name in strange]
        listed = {tuple(error.instance_path) for error in errors if error.kind.name in ("enum", "const")}
        # Where the values are listed, the type goes without saying.
        errors = [error for error in errors if error.kind.name != "type" or tuple(error.instance_path) not in listed]
        position: dict[Any, int] = {name: index for index, name in enumerate(known)}
        for error in sorted(errors, key=lambda error: position.get(_first(error), -1)):
            # What the root of the schema says of unknown names has been said, or is overruled by the binding.
            if error.instance_path or error.kind.name not in ("additionalProperties", "unevaluatedProperties"):
                found += wording.problems(error, tool.schema)
        return list({str(problem): problem for problem in found}.values())


def _strange(tool: Tool, arguments: dict[str, Any]) -> list[str]:
    """The arguments that the tool does not know, in the order of the call."""
    if tool.binding.get("open"):
        return []
    known = {*tool.schema.get("properties", {}), *tool.binding.get("also", ())}
    return [name for name in arguments if name not in known]


def _first(error: ValidationError) -> str | int:
    """The argument that a violation is about."""
    return error.instance_path[0] if error.instance_path else getattr(error.kind, "property", "")


def _broken(arguments: dict[str, Any]) -> list[str]:
    """The arguments that hold a lone surrogate, which the validator cannot read."""
    found = []
    for name, value in arguments.items():
        try:
            json.dumps({name: value}, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            found.append(name)
    return found
