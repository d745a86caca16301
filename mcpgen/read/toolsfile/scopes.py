"""Read `scopes:` of the tools file: the OAuth scopes that a caller over HTTP needs for a tool or a resource.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.names import SCOPE


def of_tool(entry: JsonObject) -> tuple[str, ...] | None:
    """Return the scopes of one tool, or None if `scopes` is missing. An empty list means that callers need no scope."""
    value = entry.get("scopes")
    if isinstance(value, list) and all(isinstance(scope, str) and SCOPE.fullmatch(scope) for scope in value):
        return tuple(sorted({str(scope) for scope in value}))
    return None
