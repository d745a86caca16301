# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""A JSON value that is too long, cut along its structure, so that what is left is still such a value.

Whole items of a list are kept from the first on, and what members of an object do not need goes to those that need
more. What was left out is told, never marked by a value that could be taken for one of the upstream's. Pure.
"""

from __future__ import annotations

import json
from typing import Any

MOST_TOLD = 5


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def written(value: Any) -> str:
    """The value as compact JSON, readable as it is."""
    return _ENCODER.encode(value)


def shortened(value: Any, limit: int) -> tuple[Any, list[str]]:
    """The value with at most about `limit` characters of JSON, and what was left out, in words."""
    left_out: list[str] = []
    return _fit(value, limit, "the answer", left_out), left_out


def told(left_out: list[str]) -> str:
    """What was left out, as one clause."""
    more = len(left_out) - MOST_TOLD
    return "; ".join(left_out[:MOST_TOLD]) + (f"; and more in {more} places" if more > 0 else "")


def _fit(value: Any, room: int, name: str, left_out: list[str]) -> Any:
    size = len(written(value))
    if size <= room or not isinstance(value, (str, list, dict)):
        return value
    if isinstance(value, str):
        kept = max(0, room - 2) * len(value) // (size - 2)
        left_out.append(f"{len(value) - kept:,} characters of {name}")
        return value[:kept]
    if isinstance(value, list):
        return _items(value, room, name, left_out)
    return _members(value, room, name, left_out)


def _items(value: list[Any], room: int, name: str, left_out: list[str]) -> list[Any]:
    """The items that fit, one at least: the first is cut where even that does not."""
    kept, left = [], room - 1  # the last item has no comma behind it
    for item in value:
        left -= len(written(item)) + 1
        if left < 0:
            break
        kept.append(item)
    if missing := len(value) - max(1, len(kept)):
        left_out.append(f"{missing:,} of {len(value):,} items of {name}")
    return kept or [_fit(value[0], room - 2, f"the first of {name}", left_out)]


def _members(value: dict[str, Any], room: int, name: str, left_out: list[str]) -> dict[str, Any]:
    """Every member, the longest cut; where the names alone take most of the room, the first members."""
    names = {key: len(written(key)) + 2 for key in value}
    left = room - 1  # as above
    if sum(names.values()) > room // 2:
        kept = {}
        for key, member in value.items():
            left -= names[key] + len(written(member))
            if left < 0:
                break
            kept[key] = member
        left_out.append(f"{len(value) - len(kept):,} of {len(value):,} members of {name}")
        return kept
    left -= sum(names.values())
    sizes = sorted((len(written(member)), key) for key, member in value.items())
    fitted = {}
    for index, (size, key) in enumerate(sizes):
        share = left // (len(sizes) - index)
        fitted[key] = value[key] if size <= share else _fit(value[key], share, key[:64], left_out)
        left -= min(size, share)
    return {key: fitted[key] for key in value}
