"""Decide whether a person confirms a call of a tool.

The owner's word on the tool counts, else the most cautious word on its kinds. The default is never: hosts ask by
themselves, and a client that cannot ask would lose the tool. A document may ask for more confirmation, never for less.
"""

from collections.abc import Mapping, Sequence

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.lower.text.prose import shortened
from mcpgen.lower.tool.descriptions import LONGEST
from mcpgen.model import DESTRUCTIVE, Annotations, Confirm, Operation

CAUTION: tuple[Confirm, ...] = ("never", "when-supported", "always")
"""The answers from the least to the most cautious."""

_TOLD: Mapping[Confirm, str] = {
    "when-supported": "The user may be asked to confirm each call.",
    "always": "The user is asked to confirm each call.",
}


def told(description: str, confirm: Confirm) -> str:
    """Return `description` with a sentence that says when a person must confirm the call; unchanged if never."""
    if confirm not in _TOLD:
        return description
    return f"{shortened(description, LONGEST - len(_TOLD[confirm]) - 1)} {_TOLD[confirm]}"


# Decision 0092: Nothing is confirmed unless somebody asked for it.
def derive(
    operation: Operation,
    hints: Annotations,
    kinds: Mapping[str, Confirm],
    consents: Sequence[str],
    diagnostics: Diagnostics,
) -> Confirm:
    """Return when to confirm calls of the tool for `operation`.

    `kinds`: the owner's decision by method. `consents`: inputs that confirm the effect to the API and that the server
    fills in. The user is asked instead, if the client can.
    """
    if operation.decided.confirm is not None:
        return operation.decided.confirm
    if hints.destructive and consents:
        kinds = {**kinds, DESTRUCTIVE: max(kinds.get(DESTRUCTIVE, CAUTION[0]), CAUTION[1], key=CAUTION.index)}
        message = f"The server sends {clipped(consents[0])} by itself, by which {operation.method} "
        message += (
            f"{clipped(operation.path)} requires a confirmation. Therefore the server asks users for a "
            "confirmation, if their client can ask."
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
