"""The four hints of MCP from the semantics of HTTP (RFC 9110, section 9.2), made more cautious by what an operation
calls itself.

A hint that errs towards safety costs a question too many; one that errs the other way costs data. So words can only
take away: a GET that cancels something is not read-only, a POST that deletes is destructive. Only the owner can say the
opposite.
"""

import re
from collections.abc import Mapping
from itertools import pairwise

from mcpgen.jsonvalue import JsonObject, as_object
from mcpgen.lower.verbs import ALSO_THINGS, SURE, imperative
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
    re.findall(
        r"\w+",
        """
        abort archive ban cancel clear deactivate delete destroy detach disable drop erase evict expire flush
        invalidate kick kill logout merge overwrite purge redact refund remove reset revoke rollback suspend terminate
        transfer uninstall unlink void wipe
        """,
    )
)
"""Words of what cannot be taken back, or takes something away."""

_READS = frozenset(
    re.findall(
        r"\w+",
        """
        browse check compare count describe download estimate export fetch find get has head info is list lookup preview
        query read retrieve search show status validate view watch
        """,
    )
)
"""Verbs behind which other words are things: `list_merge_requests` merges nothing."""

_SWITCHES = frozenset(["activate", "enable", "restart", "send", "shutdown", "stop", "trigger", "unsubscribe"])
"""What a last segment says of a GET that changes something: `/jobs/{id}/restart`."""

_COMPUTES = frozenset(["calculate", "convert", "evaluate", "generate", "get", "list", "resolve", "retrieve", "verify"])
"""Verbs of a GET that are no change of anything."""

_AT_THE_END = frozenset(
    ["close", "launch", "notify", "open", "pay", "post", "push", "reboot", "run", "start", "stop", "sync", "trigger"]
)
"""Words that are things as well, but verbs where they end an id: `dialog_open`."""

_ONLY_DESTROYS = DESTROYS - ALSO_THINGS
_LOOKS_UP = frozenset(["calculate", "estimate", "lookup", "preview", "query", "search", "validate"])


def derive(operation: Operation) -> Annotations:
    """The hints of the tool for `operation`."""
    hints = _BY_METHOD.get(operation.method, _UNKNOWN)
    said = _actions(operation)
    changes = said & (DESTROYS | SURE | _AT_THE_END) - _READS - _COMPUTES
    if (hints.read_only and changes) or (operation.method == "POST" and said & DESTROYS):
        hints = Annotations(read_only=False, destructive=True, idempotent=False)
    elif operation.method == "POST" and said & _LOOKS_UP and not changes:
        hints = Annotations(read_only=False, destructive=False, idempotent=True)
    return _as_written(_more_cautious(hints, as_object(operation.extension.get("annotations"))), operation.hints)


def _actions(operation: Operation) -> set[str]:
    """The words in which an operation says what it does: the verb of its id, the verbs of its summary, and its last
    static segment where that is an action.
    """
    static = [segment for segment in operation.path.partition("#")[0].split("/") if segment and "{" not in segment]
    return {
        *_verb_of_id(words(operation.id or "")),
        *_verbs_of_summary(operation.summary),
        *(_verb_of_segment(words(static[-1])) if static else ()),
    }


def _verb_of_id(found: list[str]) -> list[str]:
    """The first word that can only be a verb; without one the last word, as in `chat_delete` and `dialog_open`."""
    if found and found[-1] in _READS:  # `inviteRequests_list`
        return found[-1:]
    sure = [word for word in found if word in _READS or word in SURE or word in _ONLY_DESTROYS]
    return sure[:1] or [word for word in found[-1:] if word in DESTROYS | _AT_THE_END]


def _verbs_of_summary(summary: str) -> list[str]:
    """The first word as an imperative, and what destroys behind an `and`: `Searches and deletes` → search, delete."""
    found = [imperative(word, DESTROYS | SURE | _READS) for word in words(summary)]
    first = [word for word in found[:1] if word not in _AT_THE_END]
    return [*first, *(word for before, word in pairwise(found) if before == "and" and word in DESTROYS)]


def _verb_of_segment(found: list[str]) -> list[str]:
    """The words of an action: the first or the last, unless the last is a plural, which makes it a thing."""
    is_thing = not found or (len(found) > 1 and found[-1].endswith("s"))
    return [] if is_thing else [word for word in (found[0], found[-1]) if word in DESTROYS | _SWITCHES | _LOOKS_UP]


def _more_cautious(hints: Annotations, declared: JsonObject) -> Annotations:
    """A document can warn, never reassure: it was not written by the one who runs the server."""
    warned = declared.get("destructiveHint") is True
    read_only = hints.read_only and declared.get("readOnlyHint") is not False and not warned
    destructive = hints.destructive or warned or (hints.read_only and not read_only)
    idempotent = hints.idempotent and declared.get("idempotentHint") is not False
    return Annotations(read_only, destructive, idempotent)


def _as_written(hints: Annotations, written: Mapping[str, bool]) -> Annotations:
    """The owner may say anything. What they leave open follows what they say: what only reads destroys nothing, and
    what does not only read may destroy.
    """
    read_only = written.get("readOnlyHint", hints.read_only and not written.get("destructiveHint", False))
    changed = hints.read_only and not read_only
    return Annotations(
        read_only,
        written.get("destructiveHint", not read_only and (hints.destructive or changed)),
        written.get("idempotentHint", read_only or (hints.idempotent and not changed)),
        written.get("openWorldHint", hints.open_world),
    )
