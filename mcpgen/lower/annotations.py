"""The four hints of MCP from the semantics of HTTP (RFC 9110, section 9.2), made more cautious by what an operation
calls itself.

A hint that errs towards safety costs a question too many; one that errs the other way costs data. So words can only
take away: a GET that cancels something is not read-only, a POST that deletes is destructive. Only the owner can say the
opposite.
"""

from mcpgen.jsonvalue import JsonObject, as_object
from mcpgen.model import Annotations, Operation
from mcpgen.names import words

_BY_METHOD = {
    "GET": Annotations(read_only=True, destructive=False, idempotent=True),
    "HEAD": Annotations(read_only=True, destructive=False, idempotent=True),
    "OPTIONS": Annotations(read_only=True, destructive=False, idempotent=True),
    "QUERY": Annotations(read_only=True, destructive=False, idempotent=True),
    "POST": Annotations(read_only=False, destructive=False, idempotent=False),
    "PUT": Annotations(read_only=False, destructive=True, idempotent=True),
    "PATCH": Annotations(read_only=False, destructive=True, idempotent=False),
    "DELETE": Annotations(read_only=False, destructive=True, idempotent=True),
}
_UNKNOWN = Annotations(read_only=False, destructive=True, idempotent=False)
"""Of a method that HTTP itself does not define."""

DESTROYS = frozenset(
    (
        *("archive", "cancel", "clear", "delete", "destroy", "drop", "erase", "invalidate", "kill", "merge", "purge"),
        *("refund", "remove", "reset", "revoke", "terminate", "transfer", "unlink", "wipe"),
    )
)
_CHANGES = DESTROYS | {
    *("activate", "deactivate", "disable", "enable", "logout", "restart", "send", "shutdown", "stop", "trigger"),
    "unsubscribe",
}
_LOOKS_UP = frozenset(["search", "query", "validate", "preview", "count", "estimate", "calculate", "lookup"])


def derive(operation: Operation) -> Annotations:
    """The hints of the tool for `operation`."""
    hints = _BY_METHOD.get(operation.method, _UNKNOWN)
    said = _action_words(operation)
    if (hints.read_only and said & _CHANGES) or (operation.method == "POST" and said & DESTROYS):
        hints = Annotations(read_only=False, destructive=True, idempotent=False)
    elif operation.method == "POST" and said & _LOOKS_UP:
        hints = Annotations(read_only=False, destructive=False, idempotent=True)
    return _more_cautious(hints, as_object(operation.extension.get("annotations")))


def _action_words(operation: Operation) -> set[str]:
    """The words in which an operation says what it does: the first of its id and of its summary, and its last static
    segment.
    """
    static = [segment for segment in operation.path.split("/") if segment and "{" not in segment]
    first = [words(operation.id or "")[:1], words(operation.summary)[:1], words(static[-1])[:1] if static else []]
    return {word for found in first for word in found}


def _more_cautious(hints: Annotations, declared: JsonObject) -> Annotations:
    """A document can warn, never reassure: it was not written by the one who runs the server."""
    read_only = hints.read_only and declared.get("readOnlyHint") is not False
    destructive = hints.destructive or declared.get("destructiveHint") is True or (hints.read_only and not read_only)
    idempotent = hints.idempotent and declared.get("idempotentHint") is not False
    return Annotations(read_only, destructive, idempotent)
