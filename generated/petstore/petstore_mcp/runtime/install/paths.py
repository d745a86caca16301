# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Paths to values inside of configuration: keys of mappings, and indexes of lists."""

from __future__ import annotations

from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

ABSENT: Any = object()


def look_up(value: Any, path: Path) -> Any:
    """Return what stands at a path of a value, or ABSENT."""
    for step in path:
        is_item = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not is_item and not (isinstance(value, dict) and step in value):
            return ABSENT
        value = value[step]
    return value
