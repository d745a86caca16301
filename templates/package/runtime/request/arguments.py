# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Check arguments against a tool's input schema. Violations become problems that the model can correct.

The validator library first decides whether the arguments are valid, which is fast. Only in invalid arguments, the
violations are searched for, within the call's time budget. The search stops when it has found more problems than the
model is shown.

Of the formats, date, date-time and uuid are checked. Integers may be written 1.0; true is not an integer. Names that
the schema does not declare are refused, unless the tool's entry in `bindings.json` has the member `open`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..core.limits import Budget, Exhausted
from .argument_errors import MOST_SHOWN, Problem, Problems
from .validators import Validators

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from .validators import SchemaChecker
    from .violations import Violation

HOST_MEMBERS = frozenset(["toolCallId", "task_progress"])
"""Members that hosts add to the arguments of every call: n8n and Cline."""

SECONDS = 30.0
"""Time limit, in seconds, for a check that is not part of a call."""


class Checker:
    """Checker of arguments, with a cache of the tools' compiled validators."""

    __slots__ = ("_ignored", "_validators")

    def __init__(self, ignored: frozenset[str] = frozenset()) -> None:
        """Create the checker. `ignored`: names that no open tool accepts, because hosts add them to the arguments."""
        self._validators = Validators()
        self._ignored = ignored

    def fits(self, tool: Tool, arguments: dict[str, Any]) -> bool:
        """Return True if the arguments have no problems."""
        named = tool.schema.get("properties", {})
        is_known = arguments.keys() <= named.keys() or not self._strange(tool, arguments)
        return is_known and _is_valid(self._validators.of(tool, tool.schema), arguments)

    def check(self, tool: Tool, arguments: dict[str, Any], budget: Budget | None = None) -> Problems:
        """Return the problems of the arguments: unknown names first, then violations in the order of the schema."""
        strange = self._strange(tool, arguments)
        judge = self._validators.of(tool, tool.schema)
        fits = _is_valid(judge, arguments)
        if fits and not strange:
            return Problems()
        if not fits and (broken := _broken(arguments)):
            return broken
        budget = budget or Budget(SECONDS, time.monotonic)
        return _explained(tool, strange, None if fits else judge, arguments, budget)

    def _strange(self, tool: Tool, arguments: dict[str, Any]) -> list[str]:
        """Return the first few argument names that the tool does not accept, in the order of the call."""
        known, is_open = known_names(tool), tool.binding.get("open", False)
        strange = (name for name in arguments if name not in known and (not is_open or name in self._ignored))
        return list(islice(strange, MOST_SHOWN + 1))


def known_names(tool: Tool) -> dict[str, None]:
    """Return the names of a tool's arguments, in order."""
    return dict.fromkeys([*tool.schema.get("properties", {}), *tool.binding.get("also", ())])


def _is_valid(judge: SchemaChecker, arguments: dict[str, Any]) -> bool:
    try:
        return judge.is_valid(arguments)
    except UnicodeEncodeError:  # jsonschema_rs fails on some lone surrogates; treat the arguments as invalid
        return False


def _explained(
    tool: Tool, strange: list[str], judge: SchemaChecker | None, arguments: dict[str, Any], budget: Budget
) -> Problems:
    """Return the problems to show to the model: the unknown names in `strange`, then violations of the schema.

    `judge`: checker of the schema that the arguments violate, or None if they violate none.
    """
    # Imported here: needed only for invalid arguments.
    from . import wording
    from .original_names import originals
    from .schema_walk import SchemaWalk

    known = known_names(tool)
    found = Problems()
    set_by_api = tool.binding.get("body", {}).get("setByApi", ())
    found.add(wording.unknown("", name, known, set_by_api, originals(tool.binding)) for name in strange)
    if judge is None:
        return found
    violations: list[Violation] = []
    try:
        for violation in SchemaWalk(judge, budget).violations_of(arguments):
            # Skip unknown top-level names: they were reported above, or `bindings.json` allows them.
            if violation.path or violation.keyword not in ("additionalProperties", "unevaluatedProperties"):
                violations.append(violation)
            if len(violations) > MOST_SHOWN:
                break
    except Exhausted:
        found.complete = False
    for violation in _in_order(violations, list(known)):
        try:
            found.add(wording.problems(violation))
        except Exhausted:
            found.complete = False
    if not found:
        found.add(_roughly(tool, judge, arguments))
    return found


def _roughly(tool: Tool, judge: SchemaChecker, arguments: dict[str, Any]) -> Iterator[Problem]:
    """Yield one problem per invalid argument, without details.

    Used if a search for details would exceed the time budget.
    """
    from . import wording  # imported here: needed only for invalid arguments

    for name in tool.schema.get("properties", {}):
        pointer = f"#/properties/{name.replace('~', '~0').replace('/', '~1')}"
        if name in arguments and not judge.is_part_valid(pointer, arguments[name]):
            yield Problem(wording.shown_name(name), "does not fit its schema, and holds too much to say where")


def _in_order(violations: list[Violation], known: list[str]) -> list[Violation]:
    """Return violations in the order in which `known` lists the arguments.

    A `type` violation is dropped if the same value also violates `enum` or `const`.
    """
    listed = {violation.path for violation in violations if violation.keyword in ("enum", "const")}
    told = [violation for violation in violations if violation.keyword != "type" or violation.path not in listed]
    position: dict[Any, int] = {name: index for index, name in enumerate(known)}
    return sorted(told, key=lambda violation: position.get(_first(violation), -1))


def _first(violation: Violation) -> str | int:
    """Return the name of the top-level argument that contains a violation."""
    if violation.path:
        return violation.path[0]
    return violation.detail if violation.keyword == "required" else ""


def _broken(arguments: dict[str, Any]) -> Problems:
    """Return a problem for each argument that contains a lone surrogate."""
    found = Problems()
    if _is_text(arguments):
        return found
    from . import wording  # imported here: needed only for invalid arguments

    broken = (name for name, value in arguments.items() if not _is_text({name: value}))
    found.add(Problem(wording.shown_name(name), "expected text without lone surrogates") for name in broken)
    return found


def _is_text(value: dict[str, Any]) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
