"""Read `roles:` of the tools file: which operators offer a tool, or all tools of a kind.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.base.names import ROLE
from mcpgen.read.toolsfile.confirmation import KINDS


def of_tool(entry: JsonObject) -> tuple[str, ...] | None:
    """Return the roles of one tool, or None if nothing is said. An empty list means that it needs no role."""
    return _names(entry.get("roles"))


def of_server(server: JsonObject) -> dict[str, tuple[str, ...]]:
    """Return the roles by method, and by DESTRUCTIVE for all destructive tools."""
    found = {kind: _names(value) for kind, value in as_object(server.get("roles")).items() if kind in KINDS}
    return {kind: names for kind, names in found.items() if names is not None}


def _names(value: JsonValue) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(name, str) and ROLE.fullmatch(name) for name in value):
        return tuple(sorted({str(name) for name in value}))
    return None
