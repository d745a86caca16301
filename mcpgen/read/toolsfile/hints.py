"""What the tools file says of one tool in a word or a number: `annotations:`, `timeout:`, `redirects:`, `portable:`.

What cannot be read here the shape of the file has told.
"""

from collections.abc import Mapping
from typing import get_args

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.model import Redirects

_REDIRECTS: Mapping[str, Redirects] = {word: word for word in get_args(Redirects)}
LONGEST = 3600
"""Seconds that one call may take at most."""


# Decision 0127: Hints and timeouts of a tools file count as written.
def hints(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Mapping[str, bool]:
    """The hints of MCP that were written, by their names there."""
    found = as_object(entry.get("annotations"))
    if found.get("readOnlyHint") is True and found.get("destructiveHint") is True:
        message = "A tool that changes nothing cannot destroy anything."
        place = where.inside("annotations", "destructiveHint")
        diagnostics.add("invalid-value", message, place, "Leave one of readOnlyHint and destructiveHint out.")
    return {name: value for name, value in found.items() if isinstance(value, bool)}


def timeout(entry: JsonObject) -> float | None:
    """Seconds that a call may take; None where nothing is said."""
    value = entry.get("timeout")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= LONGEST:
        return value
    return None


def redirects(entry: JsonObject) -> Redirects | None:
    """What is done about redirects; None where nothing is said."""
    value = entry.get("redirects")
    return _REDIRECTS.get(value) if isinstance(value, str) else None


def portable(entry: JsonObject) -> bool | None:
    """Whether a schema written by hand is to be one that every client takes; None where nothing is said."""
    value = entry.get("portable")
    return value if isinstance(value, bool) else None
