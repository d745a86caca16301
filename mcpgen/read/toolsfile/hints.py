"""Read short settings of one tool: `annotations:`, `timeout:`, `requires:`, `redirects:`, `lookups:` and others.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Mapping
from typing import get_args

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.model import Capability, Pages, Redirects

_REDIRECTS: Mapping[str, Redirects] = {word: word for word in get_args(Redirects)}
_CAPABILITIES: Mapping[str, Capability] = {word: word for word in get_args(Capability)}
_PAGES: Mapping[str, Pages] = {word: word for word in get_args(Pages)}
LONGEST = 3600
"""Longest timeout of one call, in seconds."""


# The author of a handwritten tool knows how it behaves, so its hints count as written.
def hints(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Mapping[str, bool]:
    """Return the tool annotations of a tool in the tools file: name in MCP (such as `readOnlyHint`) → value."""
    found = as_object(entry.get("annotations"))
    if found.get("readOnlyHint") is True and found.get("destructiveHint") is True:
        message = (
            "A tool cannot have both readOnlyHint and destructiveHint: a tool that changes nothing destroys nothing."
        )
        place = where.inside("annotations", "destructiveHint")
        diagnostics.add("invalid-value", message, place, "Leave one of readOnlyHint and destructiveHint out.")
    return {name: value for name, value in found.items() if isinstance(value, bool)}


def timeout(entry: JsonObject) -> float | None:
    """Return how many seconds a call may take, or None if `timeout` is missing."""
    value = entry.get("timeout")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= LONGEST:
        return value
    return None


def logging(entry: JsonObject) -> bool | None:
    """Return whether clients can ask for log messages, or None if `logging` is missing."""
    value = entry.get("logging")
    return value if isinstance(value, bool) else None


def requires(entry: JsonObject) -> tuple[Capability, ...] | None:
    """Return the client capabilities that a tool needs, or None if `requires` is missing."""
    value = entry.get("requires")
    if not isinstance(value, list):
        return None
    return tuple(
        dict.fromkeys(_CAPABILITIES[each] for each in value if isinstance(each, str) and each in _CAPABILITIES)
    )


def redirects(entry: JsonObject) -> Redirects | None:
    """Return which redirects a call follows (`redirects`), or None if the key is missing."""
    value = entry.get("redirects")
    return _REDIRECTS.get(value) if isinstance(value, str) else None


def lookups(entry: JsonObject) -> bool | None:
    """Return whether a call may give names in place of ids, or None if `lookups` is missing."""
    value = entry.get("lookups")
    return value if isinstance(value, bool) else None


def pages(entry: JsonObject) -> Pages | None:
    """Return whether a call fetches one page or all pages, or None if `pages` is missing."""
    value = entry.get("pages")
    return _PAGES.get(value) if isinstance(value, str) else None


def portable(entry: JsonObject) -> bool | None:
    """Return whether a handwritten schema must work with every client, or None if `portable` is missing."""
    value = entry.get("portable")
    return value if isinstance(value, bool) else None
