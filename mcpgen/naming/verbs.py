"""The verb of an operation that has no usable id: what its path, its summary or its method says is done.

Closed lists, because a word is only taken for a verb where it can hardly be a thing: `merge_requests` are made, not
merged. What is not listed costs a plainer verb, never a wrong one.
"""

import re
from collections.abc import Sequence

from mcpgen.base.names import words

SURE = frozenset(
    re.findall(
        r"\w+",
        """
        acknowledge activate add apply approve archive ask assign attach authorize begin calculate cancel clear
        complete configure confirm connect convert create deactivate decline delete deploy detach disable disconnect
        dismiss enable evaluate execute finalize follow generate get grant insert invalidate invite list lower mark
        modify move mute pause present publish raise recalculate reject register remove rename reopen resend reset
        resolve restart restore resume retrieve retry revert revoke rotate save send set submit terminate unarchive
        unassign unblock unfollow unlink unlock unmute unpin unpublish unregister unstar unsubscribe update validate
        verify
        """,
    )
)
"""Words that are hardly ever things, also before a noun: `present_payment_method`."""

ALSO_THINGS = frozenset(
    re.findall(
        r"\w+",
        """
        accept advance attest backup ban block bump call capture charge check checkout claim clone close combine
        commit compare copy count crawl defer deliver demote deny download duplicate escalate estimate expire export
        fail fetch fill flag forward fund import index join kick launch leave like link load lock login logout match
        merge migrate notify open order parse patch pay pin ping poll post preview print process promote provision
        purge push put query queue read reboot rebuild recover redact redeem reduce refresh refund reindex release
        reload renew reorder repair replace replay report reprocess request rerun reserve return review rollback run
        scan schedule search seal share ship sign snooze split star start stop store subscribe succeed suspend swap
        switch sync tag test track transfer transition translate trigger undo unpause unshare unsuspend upgrade
        upload use void watch withdraw write
        """,
    )
)
"""Words that are verbs as the whole last segment of a write (`/invoices/{id}/pay`), and else things as well."""

_LOOKS = frozenset(
    ["check", "count", "download", "estimate", "export", "find", "lookup", "preview", "search", "validate"]
)
"""What a GET may do beside getting and listing."""

_UNDOES = frozenset(
    re.findall(
        r"\w+",
        """
        cancel clear deactivate decline deny detach disable disconnect dismiss invalidate leave reject reset revoke
        stop terminate unarchive unassign unblock unfollow unlink unlock unmute unpin unpublish unregister unstar
        unsubscribe
        """,
    )
)
"""What a DELETE may do beside deleting."""

_DETERMINERS = frozenset(["a", "an", "all", "any", "each", "every", "existing", "new", "one", "the", "this", "your"])
_BY_METHOD = {"PATCH": "update", "DELETE": "delete", "HEAD": "check", "OPTIONS": "describe"}
_WRITES = ("POST", "PUT", "PATCH")

VERBS = SURE | ALSO_THINGS | _LOOKS | {"describe", "replace", "watch"}
"""Every word that can be the verb of a name."""


_BEFORE_PLURALS = frozenset(["add", "create", "get", "remove", "send", "update"])
"""What is a verb before many things too: `add-models`, where `deploy_keys` are things."""


def of_segment(segment: list[str], method: str) -> int:
    """How many of the words of a last segment are its verb: 1 where it is an action (`/refund`, `/add-models`)."""
    if not segment or (len(segment) > 1 and segment[-1].endswith("s") and segment[0] not in _BEFORE_PLURALS):
        return 0
    if method == "GET":
        sure = segment[0] in _LOOKS and len(segment) == 1
    elif len(segment) == 1:
        sure = segment[0] in SURE or segment[0] in ALSO_THINGS
    else:
        sure = segment[0] in SURE
    return int(sure and method in ("GET", *_WRITES))


_NO_VERBS = frozenset(["patch", "post", "put", "return"])
"""What a summary begins with that is a method, or said of the answer."""


def of_summary(summary: str, method: str, item: Sequence[str] = ()) -> str:
    """The verb that a summary begins with, as an imperative; empty where that says no more than the method. Where the
    path ends in one `item`, a verb before its name is sure.
    """
    said = words(summary)[:2]
    verb = imperative(said[0]) if said else ""
    if verb in _NO_VERBS:
        return ""
    if method in _WRITES:
        is_verb = verb in SURE or (
            verb in ALSO_THINGS and said[1:] and (said[1] in _DETERMINERS or _is_named(said[1], item))
        )
    else:
        is_verb = verb in {"GET": _LOOKS, "DELETE": _UNDOES}.get(method, frozenset())
    return verb if is_verb else ""


def _is_named(word: str, item: Sequence[str]) -> bool:
    return any(each.startswith(word) for each in item)


def of_method(method: str, *, on_item: bool, plural: bool) -> str:
    """The verb that HTTP's method means at a path that ends in a variable (`on_item`) or in a plural."""
    if method == "GET":
        return "list" if plural and not on_item else "get"
    if method == "PUT":
        return "replace" if on_item else "set"
    if method == "POST":
        return "update" if on_item else "create"
    return _BY_METHOD.get(method, method.lower())


def imperative(word: str, known: frozenset[str] = VERBS) -> str:
    """`Creates` → `create`, `applies` → `apply`, where that is one of `known`; else the word as it is."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((form for form in forms if form in known), word)
