"""`roles:` of the tools file: whose operators offer a tool, of one tool or of a kind of them."""

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.names import ROLE, clipped
from mcpgen.toolsfile.confirmation import kind_of

_WRITE = "Write a list of names such as [admin]: letters, digits and `_.:-`, at most 64 of them."


def of_tool(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> tuple[str, ...] | None:
    """What is said of one tool, an empty list being that it needs none; None where nothing is."""
    value = entry.get("roles")
    # What is no list was reported with the other keys.
    return _names(value, where.inside("roles"), diagnostics) if isinstance(value, list) else None


def of_server(server: JsonObject, where: Where, diagnostics: Diagnostics) -> dict[str, tuple[str, ...]]:
    """What is said of methods, and of all tools that are destructive."""
    found: dict[str, tuple[str, ...]] = {}
    for written, value in as_object(server.get("roles")).items():
        place = where.inside("roles", written)
        kind = kind_of(written, place, diagnostics)
        if kind and (names := _names(value, place, diagnostics)):
            found[kind] = names
    return found


def _names(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(name, str) and ROLE.fullmatch(name) for name in value):
        return tuple(sorted({str(name) for name in value}))
    diagnostics.add("invalid-value", f"'{clipped(str(value))}' is not a list of roles.", where, _WRITE)
    return None
