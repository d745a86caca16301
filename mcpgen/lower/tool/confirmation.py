"""Whether a person is asked before a tool is called.

What its owner said of a tool counts; else what the owner said of its kind, the most cautious of what fits; else never:
hosts ask by themselves, and one that cannot be asked would lose the tool. A document may ask for more, never for less.
"""

from collections.abc import Mapping, Sequence

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.lower.text.prose import shortened
from mcpgen.lower.tool.descriptions import LONGEST
from mcpgen.model import DESTRUCTIVE, Annotations, Confirm, Operation

CAUTION: tuple[Confirm, ...] = ("never", "when-supported", "always")
"""From the least to the most cautious."""

_TOLD: Mapping[Confirm, str] = {
    "when-supported": "The user may be asked to confirm each call.",
    "always": "The user is asked to confirm each call.",
}


def told(description: str, confirm: Confirm) -> str:
    """The description of a tool, and what a model must know about its calls."""
    if confirm not in _TOLD:
        return description
    return f"{shortened(description, LONGEST - len(_TOLD[confirm]) - 1)} {_TOLD[confirm]}"


def derive(
    operation: Operation,
    hints: Annotations,
    kinds: Mapping[str, Confirm],
    consents: Sequence[str],
    diagnostics: Diagnostics,
) -> Confirm:
    """When to ask about calls of the tool for `operation`; `kinds` is what its owner said of methods. `consents` are
    confirmations that the API wants and the server fills in: in their place the user is asked, where that can be done.
    """
    if operation.decided.confirm is not None:
        return operation.decided.confirm
    if hints.destructive and consents:
        kinds = {**kinds, DESTRUCTIVE: max(kinds.get(DESTRUCTIVE, CAUTION[0]), CAUTION[1], key=CAUTION.index)}
        message = f"The server sends {clipped(consents[0])} by itself, by which {operation.method} "
        message += f"{clipped(operation.path)} wants to be confirmed; users are asked where their client can."
        hint = "`confirm:` in an override says otherwise."
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
