# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Match a URI against a URI template of RFC 6570, level 1, in linear time. Pure."""

from __future__ import annotations

_PARTS = "/?#&"


def pieces(template: str) -> tuple[list[str], list[str]]:
    """Return the literal texts of a URI template, and the names of the variables between them."""
    first, *rest = template.split("{")
    parts = [part.partition("}") for part in rest]
    return [first, *(literal for _, _, literal in parts)], [name for name, _, _ in parts]


def matched(uri: str, literals: list[str], names: list[str]) -> dict[str, str] | None:
    """Return the values of a template's variables, as written in `uri`, or None if the template does not match.

    A value lies within one URI segment and ends at the first occurrence of the literal text that follows. The last
    value ends with the URI. Other splits need not be tried: they would only move text from one variable into another.
    """
    at, end = len(literals[0]), len(uri) - len(literals[-1])
    if not (uri.startswith(literals[0]) and uri.endswith(literals[-1])):
        return None
    found = {}
    for number, name in enumerate(names, 1):
        stop = uri.find(literals[number], at + 1) if number < len(names) else end
        value = uri[at:stop] if stop > at else ""
        if not value or any(mark in value for mark in _PARTS):
            return None
        found[name], at = value, stop + len(literals[number])
    return found


def decoded(found: dict[str, str]) -> dict[str, object] | None:
    """Return the percent-decoded values of the variables, or None if a value is not UTF-8."""
    from urllib.parse import unquote  # imported here: few URIs have variables

    try:
        return {name: unquote(value, errors="strict") for name, value in found.items()}
    except UnicodeDecodeError:
        return None
