"""Derive the four hints of MCP from HTTP's semantics (RFC 9110, section 9.2), and from words in the operation's id,
path, summary and description.

A hint that is too cautious only makes a host ask the user; a hint that is too bold can cost data. So for GET and
other safe methods, words only add caution: a GET that cancels something is not read-only. HTTP does not define what a
POST does, so its words decide: a POST that deletes is destructive. Only the tools file can make a hint less cautious.
"""

from collections.abc import Mapping

from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.lower.tool import effects
from mcpgen.lower.tool.effects import Effect
from mcpgen.model import Annotations, Operation

_BY_METHOD = {
    "GET": Annotations(read_only=True, destructive=False, idempotent=True),
    "HEAD": Annotations(read_only=True, destructive=False, idempotent=True),
    "OPTIONS": Annotations(read_only=True, destructive=False, idempotent=True),
    "QUERY": Annotations(read_only=True, destructive=False, idempotent=True),
    "PUT": Annotations(read_only=False, destructive=True, idempotent=True),
    "PATCH": Annotations(read_only=False, destructive=True, idempotent=False),
    "DELETE": Annotations(read_only=False, destructive=True, idempotent=True),
}
_UNKNOWN = Annotations(read_only=False, destructive=True, idempotent=False)
"""Hints for methods that HTTP does not define, and for operations that change something although their method only
reads.
"""

_OF_POST: Mapping[Effect, Annotations] = {
    "reads": Annotations(read_only=True, destructive=False, idempotent=True),
    "looks": Annotations(read_only=False, destructive=False, idempotent=True),
    "adds": Annotations(read_only=False, destructive=False, idempotent=False),
    "changes": _UNKNOWN,
    "unsaid": _UNKNOWN,
}
"""Effect of a POST → its hints. The effect comes from the operation's words, since HTTP does not define what a POST
does (RFC 9110, section 9.3.3).
"""


def derive(operation: Operation, definitions: Mapping[str, JsonObject]) -> Annotations:
    """Return the hints of the tool for `operation`. `definitions`: the schemas to which its responses refer."""
    hints = _BY_METHOD.get(operation.method, _UNKNOWN)
    if operation.method == "POST":
        hints = _OF_POST[effects.of_post(operation, definitions)]
    elif hints.read_only and effects.acts(operation):
        hints = _UNKNOWN
    return as_written(_more_cautious(hints, as_object(operation.extension.get("annotations"))), operation.decided.hints)


def _more_cautious(hints: Annotations, declared: JsonObject) -> Annotations:
    """Apply the hints of the document. These hints can only add caution, since the document's author does not run the
    server.
    """
    warned = declared.get("destructiveHint") is True
    read_only = hints.read_only and declared.get("readOnlyHint") is not False and not warned
    destructive = hints.destructive or warned or (hints.read_only and not read_only)
    idempotent = hints.idempotent and declared.get("idempotentHint") is not False
    return Annotations(read_only, destructive, idempotent)


def as_written(hints: Annotations, written: Mapping[str, bool]) -> Annotations:
    """Apply the hints of the project's owner, which replace all others.

    If the project's owner sets only `readOnlyHint`, `destructiveHint` follows: a read-only tool destroys nothing, any
    other tool may.
    """
    read_only = written.get("readOnlyHint", hints.read_only and not written.get("destructiveHint", False))
    changed = hints.read_only and not read_only
    return Annotations(
        read_only,
        written.get("destructiveHint", not read_only and (hints.destructive or changed)),
        written.get("idempotentHint", read_only or (hints.idempotent and not changed)),
        written.get("openWorldHint", hints.open_world),
    )
