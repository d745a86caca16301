# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Follow JSON Pointers into a response.

In `result` rules, the step `*` selects every item or member. Pure functions.
"""

from __future__ import annotations

from typing import Any

from ..core.wire_formats import ABSENT
from .drop_fields import tokens


def find(value: Any, pointer: str) -> Any:
    """Return the value at a pointer, or ABSENT. A pointer with `*` returns the list of all values that match."""
    steps = tokens(pointer)
    found = _found(value, steps)
    if "*" not in steps:
        return found[0] if found else ABSENT
    several = _found(value, steps[: steps.index("*")])
    return found if any(isinstance(each, (list, dict)) for each in several) else ABSENT


def _found(value: Any, steps: list[str]) -> list[Any]:
    found = [value]
    for step in steps:
        found = [inner for each in found for inner in _step(each, step)]
    return found


def _step(value: Any, step: str) -> list[Any]:
    if step == "*":
        return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    if isinstance(value, dict):
        return [value[step]] if step in value else []
    index = int(step[:9]) if step.isascii() and step.isdecimal() else -1
    if isinstance(value, list) and str(index) == step and index < len(value):
        return [value[index]]
    return []
