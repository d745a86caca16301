# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Evaluate conditions on a response, such as `/status == finished`, and find errors that a successful response states.

The server's owner has written the conditions in a tools file. Pure functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT
from .pointers import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tables.table import Condition, View

_FLAGS = ("ok", "success", "succeeded")


def any_holds(conditions: Sequence[Condition], status: int, value: Any, mark: str = "") -> bool:
    """Return True if any of the conditions holds for a response with this status and this JSON value, or ABSENT.

    `mark`: prefix of those strings in `value` that stand for numbers (projection.mark).
    """
    return any(_is_met(each, status, value, mark) for each in conditions)


def names_status(conditions: Sequence[Condition], status: int) -> bool:
    """Return True if a condition such as `status == 404` names this HTTP status. Conditions with `!=` name none."""
    named = (each for each in conditions if "pointer" not in each and "not" not in each)
    return any(_alike(status, value) for each in named for value in each.get("values", ()))


def has_failed(rules: View, status: int, value: Any, mark: str = "") -> bool:
    """Return True if the `result` rules of a tool say that a successful response means a failed call.

    A response of GraphQL means that if it has errors and no data. With data, it is a partial result.
    """
    if "graphql" in rules and isinstance(value, dict) and value.get("errors") and value.get("data") is None:
        return True
    return any_holds(rules.get("failed", ()), status, value, mark)


def states_error(value: Any) -> bool:
    """Return True if a JSON value has the usual form of an error: a member `errors` or `error` with a value, or a flag
    such as `ok` that is false.
    """
    if not isinstance(value, dict):
        return False
    return bool(value.get("errors") or value.get("error")) or any(value.get(flag) is False for flag in _FLAGS)


def _is_met(condition: Condition, status: int, value: Any, mark: str) -> bool:
    found: Any = status
    if "pointer" in condition:
        found = find(value, condition["pointer"]) if value is not ABSENT else ABSENT
        if mark and isinstance(found, str) and found.startswith(mark):
            found = float(found.removeprefix(mark))
        if "values" not in condition:
            return found is not ABSENT and bool(found)
        if found is ABSENT:
            return False  # a missing member meets no condition, not even one with `!=`
    one = any(_alike(found, each) for each in condition.get("values", ()))
    return one is not ("not" in condition)


def _alike(found: Any, wanted: Any) -> bool:
    """Return True if two values are equal.

    Letter case of texts is ignored, and a number equals its text, such as 1 and "1".
    """
    if isinstance(found, bool) or isinstance(wanted, bool) or found is None or wanted is None:
        return found is wanted
    return found == wanted or str(found).casefold() == str(wanted).casefold()
