"""Decide the guards of a tool: which roles of an operator may use it, which roles and OAuth scopes a caller over HTTP
needs, and whether the user must confirm a call.

If the tools file sets `roles`, `scopes` or `confirm` for the tool, only this value counts.

Otherwise several lists of roles may apply: those of the tools file for the tool's method and for `destructive`, and the
list in the document. Then the tool is for the roles that are in all of them. The scopes are those in the operation's
`security`, and `x-mcp` in the document can add scopes. Without any list, every caller may use the tool.

The most cautious `confirm` of the same places counts. The default is `never`: hosts ask by themselves, and a client
that cannot ask could not use the tool. A document may ask for more confirmation, never for less.
"""

from collections.abc import Mapping, Sequence

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import ROLE, SCOPE, clipped
from mcpgen.model import DESTRUCTIVE, Annotations, CallerScopes, Confirm, Operation
from mcpgen.read.openapi.security import smallest


# The server must know at start which tools it lists, and reads the header then anyway.
def roles_of(
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
        lists += _roles_of_document(operation.extension["roles"], operation, diagnostics)
    if not lists:
        return ()
    common = set(lists[0]).intersection(*lists)
    if not common:
        message = f"The lists of roles for {operation.method} {operation.path} have no role in common."
        hint = "Add one role to all these lists, or set `roles` on the tool."
        diagnostics.add("invalid-value", message, operation.where, hint)
    return tuple(sorted(common))


def _roles_of_document(value: JsonValue, operation: Operation, diagnostics: Diagnostics) -> list[tuple[str, ...]]:
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


_NONE_LIFTED = "`x-mcp` cannot remove scopes that the operation's `security` requires."


# Other people change the document without the owner, so the document may only demand more scopes.
def scopes_of(operation: Operation, diagnostics: Diagnostics) -> CallerScopes:
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


CAUTION: tuple[Confirm, ...] = ("never", "when-supported", "always")
"""Values of `confirm`, from the least to the most cautious."""

CONFIRMATIONS: Mapping[Confirm, str] = {
    "never": "",
    "when-supported": "The user may be asked to confirm each call.",
    "always": "The user is asked to confirm each call.",
}
"""What the description of a tool says of confirmations."""


# Never by default: users whom the host and the server ask before each call learn to accept without reading.
def confirmation_of(
    operation: Operation,
    hints: Annotations,
    kinds: Mapping[str, Confirm],
    consents: Sequence[str],
    diagnostics: Diagnostics,
) -> Confirm:
    """Return when the user must confirm calls of the tool for `operation`.

    `kinds`: HTTP method or `destructive` → the tools file's `confirm` for it. `consents`: names of required inputs such
    as `confirm`, whose only value the server fills in. If a destructive operation has such inputs, the result is at
    least `when-supported`, unless an override sets `confirm`.
    """
    if operation.decided.confirm is not None:
        return operation.decided.confirm
    if hints.destructive and consents:
        kinds = {**kinds, DESTRUCTIVE: max(kinds.get(DESTRUCTIVE, CAUTION[0]), CAUTION[1], key=CAUTION.index)}
        message = (
            f"{operation.method} {clipped(operation.path)} needs {clipped(consents[0])} as a confirmation, which the "
            "server sends by itself. Therefore the server asks the user to confirm. Only `confirm: always` also "
            "refuses the calls of clients that cannot ask."
        )
        hint = "To change this, set `confirm:` in an override."
        diagnostics.add("fixed-confirmation", message, operation.where, hint)
    named = [operation.method, *([DESTRUCTIVE] if hints.destructive else [])]
    found = [kinds.get(kind, CAUTION[0]) for kind in named]
    wanted = operation.extension.get("confirm", CAUTION[0])
    found += [word for word in CAUTION if word == wanted]
    if wanted not in CAUTION:
        message = f"'{clipped(str(wanted))}' does not say when to confirm."
        hint = "Write `when-supported` or `always`."
        diagnostics.add("invalid-extension", message, operation.where.inside("x-mcp", "confirm"), hint)
    return max(found, key=CAUTION.index)
