# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Define paths to values inside of parsed configuration: keys of mappings, and indexes of lists."""

from __future__ import annotations

from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

ABSENT: Any = object()


def look_up(value: Any, path: Path) -> Any:
    """Return the value at a path inside of `value`, or ABSENT if there is none."""
    for step in path:
        is_item = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not is_item and not (isinstance(value, dict) and step in value):
            return ABSENT
        value = value[step]
    return value
