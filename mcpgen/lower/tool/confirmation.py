"""Decide whether the user must confirm a call of a tool.

If the tools file sets `confirm` for the tool, this value counts. Otherwise the most cautious of these values counts:
`confirm` in the tools file for the tool's HTTP method, `confirm` there for `destructive` tools, and `confirm` under
`x-mcp` in the document. The default is `never`: hosts ask by themselves, and a client that cannot ask could not use the
tool. A document may ask for more confirmation, never for less.
"""

from collections.abc import Mapping, Sequence

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.model import DESTRUCTIVE, Annotations, Confirm, Operation

CAUTION: tuple[Confirm, ...] = ("never", "when-supported", "always")
"""Values of `confirm`, from the least to the most cautious."""

SENTENCES: Mapping[Confirm, str] = {
    "never": "",
    "when-supported": "The user may be asked to confirm each call.",
    "always": "The user is asked to confirm each call.",
}
"""What the description of a tool says of confirmations."""


# Never by default: users whom the host and the server ask before each call learn to accept without reading.
def derive(
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
