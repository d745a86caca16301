"""Decide which OAuth scopes a caller over HTTP needs for a tool.

If the tools file sets `scopes` for the tool, only these count. Otherwise the scopes in the operation's `security`
count, and `x-mcp` in the document can add scopes. Without scopes, every caller may call the tool.
"""

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import SCOPE, clipped
from mcpgen.model import CallerScopes, Operation
from mcpgen.read.openapi.caller_scopes import smallest

_NONE_LIFTED = "`x-mcp` cannot remove scopes that the operation's `security` requires."


# Other people change the document without the owner, so the document may only demand more scopes.
def derive(operation: Operation, diagnostics: Diagnostics) -> CallerScopes:
    """Return the alternative sets of scopes. A caller needs all scopes of one set; () means that no scopes are
    needed.
    """
    if operation.decided.scopes is not None:
        return (operation.decided.scopes,) if operation.decided.scopes else ()
    described = operation.security.caller_scopes
    if "scopes" not in operation.extension:
        return described
    added = _added(operation.extension["scopes"], described, operation, diagnostics)
    return smallest(added | frozenset(each) for each in described or ((),))


def _added(value: JsonValue, described: CallerScopes, operation: Operation, diagnostics: Diagnostics) -> frozenset[str]:
    """Return the scopes in `value`, the `scopes` of the operation's `x-mcp`.

    Report a list that is invalid, or that is empty although `security` requires scopes (`described`).
    """
    where = operation.where.inside("x-mcp", "scopes")
    names = value if isinstance(value, list) else [None]
    found = frozenset(name for name in names if isinstance(name, str) and SCOPE.fullmatch(name))
    if len(found) < len({str(name) for name in names}):
        message = f"'{clipped(str(value))}' is not a list of scopes."
        diagnostics.add("invalid-extension", message, where, "Write the scopes as a list such as [records.write].")
    elif not names and described:
        hint = "To require no scopes, write `scopes: []` in an override of the tools file."
        diagnostics.add("invalid-extension", _NONE_LIFTED, where, hint)
    return found
