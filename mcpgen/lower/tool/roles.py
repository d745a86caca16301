"""Which roles of an operator a tool is for.

What its owner said of a tool counts; else every list that fits its kind, the document's own among them, and a tool is
for the roles that are in all of these. No list is no restriction.
"""

from collections.abc import Mapping

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import ROLE, clipped
from mcpgen.model import DESTRUCTIVE, Annotations, Operation


def derive(
    operation: Operation, hints: Annotations, kinds: Mapping[str, tuple[str, ...]], diagnostics: Diagnostics
) -> tuple[str, ...]:
    """The roles of which an operator needs one, sorted, none where none is needed; `kinds` is what the owner said of
    methods.
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
        message = f"No role is among all that {operation.method} {operation.path} needs."
        hint = "Name a role that all of them have, or give the tool roles of its own."
        diagnostics.add("invalid-value", message, operation.where, hint)
    return tuple(sorted(common))


def _asked(value: JsonValue, operation: Operation, diagnostics: Diagnostics) -> list[tuple[str, ...]]:
    """What the document says."""
    names = value if isinstance(value, list) else []
    found = tuple(name for name in names if isinstance(name, str) and ROLE.fullmatch(name))
    if found and len(found) == len(names):
        return [found]
    message = f"'{clipped(str(value))}' is not a list of roles."
    diagnostics.add("invalid-extension", message, operation.where.inside("x-mcp", "roles"), "Write [admin] or so.")
    return []
