"""Read `roles:` of the tools file: roles for one tool, for all tools with a given HTTP method, or for
all destructive tools.

A tool is offered only if the operator's setting, or the caller's access token, has one of the roles of the tool.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.base.names import ROLE
from mcpgen.read.toolsfile.confirmation import KINDS


def of_tool(entry: JsonObject) -> tuple[str, ...] | None:
    """Return the roles for one tool, or None if `roles` is missing. An empty list means that no role is needed."""
    return _names(entry.get("roles"))


def of_server(server: JsonObject) -> dict[str, tuple[str, ...]]:
    """Return HTTP method → roles, one of which is needed to use the tools with this method. The key DESTRUCTIVE stands
    for all destructive tools.
    """
    found = {kind: _names(value) for kind, value in as_object(server.get("roles")).items() if kind in KINDS}
    return {kind: names for kind, names in found.items() if names is not None}


def _names(value: JsonValue) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(name, str) and ROLE.fullmatch(name) for name in value):
        return tuple(sorted({str(name) for name in value}))
    return None
