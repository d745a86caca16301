"""Decide which roles of an operator, or of a caller over HTTP, may use a tool.

If the tools file sets `roles` for the tool, only these count. Otherwise several lists may apply: those of the tools
file for the tool's method and for `destructive`, and the list in the document. Then the tool is for the roles that are
in all of them. Without any list, no role is needed.
"""

from collections.abc import Mapping

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import ROLE, clipped
from mcpgen.model import DESTRUCTIVE, Annotations, Operation


# The server must know at start which tools it lists, and reads the header then anyway.
def derive(
    operation: Operation, hints: Annotations, kinds: Mapping[str, tuple[str, ...]], diagnostics: Diagnostics
) -> tuple[str, ...]:
    """Return the roles that allow the use of the tool, sorted. One of them is enough; () means that none is needed.

    `kinds`: HTTP method or `destructive` → the roles in the tools file for all such tools.
    """
    if operation.decided.roles is not None:
        return operation.decided.roles
    named = [operation.method, *([DESTRUCTIVE] if hints.destructive else [])]
    lists = [kinds[kind] for kind in named if kind in kinds]
    if "roles" in operation.extension:
        lists += _asked(operation.extension["roles"], operation, diagnostics)
    if not lists:
        return ()
    common = set(lists[0]).intersection(*lists)
    if not common:
        message = f"The lists of roles for {operation.method} {operation.path} have no role in common."
        hint = "Add one role to all these lists, or set `roles` on the tool."
        diagnostics.add("invalid-value", message, operation.where, hint)
    return tuple(sorted(common))


def _asked(value: JsonValue, operation: Operation, diagnostics: Diagnostics) -> list[tuple[str, ...]]:
    """Return the document's roles as the only item of a list. If `value` is no list of roles, report it, return []."""
    names = value if isinstance(value, list) else []
    found = tuple(name for name in names if isinstance(name, str) and ROLE.fullmatch(name))
    if found and len(found) == len(names):
        return [found]
    message = f"'{clipped(str(value))}' is not a list of roles."
    diagnostics.add(
        "invalid-extension",
        message,
        operation.where.inside("x-mcp", "roles"),
        "Write the roles as a list such as [admin].",
    )
    return []
