"""Find the verb of an operation without a usable operationId: in its path, its summary or its method.

Only words on the lists count as verbs, and only where they can hardly be nouns: a POST to `merge_requests` creates
them, and does not merge. For a verb that is missing here, the name gets a more general verb, never a wrong one.

Plurals become singulars, and path segments without meaning for a name are recognised, such as `api`.
"""

import re
from collections.abc import Sequence

from mcpgen.base.names import words

PREFIX_SEGMENT = re.compile(r"api|rest|v\d+(?:\.\d+)*|\d+(?:\.\d+)+|v\{[^{}]*\}", re.IGNORECASE)
"""Pattern of path segments that only locate an API (`api`) or name its version (`v1`)."""

LOCATING_SEGMENT = re.compile(rf"{PREFIX_SEGMENT.pattern}|\d{{1,2}}", re.IGNORECASE)
"""Pattern of first segments that a path's nouns leave out: those of PREFIX_SEGMENT, and small numbers (`/api/0`)."""

DATE_SEGMENT = re.compile(r"(?:19|20)\d\d-?[01]\d(?:-?[0-3]\d)?(?:-(?:alpha|beta|preview))?|\d+-\d+", re.IGNORECASE)
"""Pattern of segments that are dates or codes (`2026-03`, `2026-09-beta`, `0-3`), which no name needs."""

_ONE_THING = frozenset(
    re.findall(
        r"\w+",
        """
        analytics details diagnostics insights limits metrics preferences settings statistics stats totals
        """,
    )
)
"""Plurals that mean one object: a GET returns the statistics, and lists nothing."""

_IN_IE = frozenset(["calorie", "cookie", "genie", "lie", "movie", "pie", "selfie", "tie", "zombie"])
_IRREGULAR: dict[str, str] = dict(
    re.findall(
        r"(\w+)=(\w+)",
        """
        analyses=analysis atlas=atlas axes=axis bias=bias caches=cache canvas=canvas gas=gas headaches=headache
        heroes=hero indices=index kubernetes=kubernetes lens=lens matrices=matrix vertices=vertex
        """,
    )
)

SURE = frozenset(
    re.findall(
        r"\w+",
        """
        acknowledge activate add apply approve archive ask assign attach authorize begin calculate cancel clear
        complete configure confirm connect convert create deactivate decline delete deploy detach disable disconnect
        dismiss enable evaluate execute extend finalize follow generate get grant insert invalidate invite list lower
        mark modify move mute pause present publish raise recalculate reject register remove rename reopen resend reset
        resolve restart restore resume retrieve retry revert revoke rotate save send set submit terminate unarchive
        unassign unblock unfollow unlink unlock unmute unpin unpublish unregister unstar unsubscribe update upsert
        validate verify
        """,
    )
)
"""Verbs that are hardly ever nouns, even before a noun: `present_payment_method`."""

ALSO_THINGS = frozenset(
    re.findall(
        r"\w+",
        """
        accept advance attest backup ban block bump call capture charge check checkout claim clone close combine commit
        compare copy count crawl decrement defer deliver demote deny download duplicate erase escalate estimate expire
        export fail fetch fill flag forward fund import increment index join kick launch leave like link load lock
        login logout match merge migrate notify open order parse patch pay pin ping poll post preview print probe
        process promote provision pull purge push put query queue read reboot rebuild recover redact redeem reduce
        refresh refund reindex release reload renew reorder repair replace replay reply report reprocess request rerun
        reserve return reverse review rollback run scan schedule seal search share ship shutdown sign snooze split star
        start stop store subscribe succeed suspend swap switch sync tag test toggle track transfer transition translate
        trigger undo unpause unshare unsuspend upgrade upload use void watch withdraw write
        """,
    )
)
"""Verbs that may be nouns. They count only as the whole last segment of the path of a writing method
(`/invoices/{id}/pay`).
"""

_LOOKS = frozenset(
    ["check", "count", "download", "estimate", "export", "find", "lookup", "preview", "search", "validate"]
)
"""Verbs of a GET other than `get` and `list`."""

FILES = frozenset(["download", "export"])
"""Verbs for getting a file, which a name must say: the file is no list and no item."""

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
"""Verbs of a DELETE other than `delete`."""

_DETERMINERS = frozenset(["a", "an", "all", "any", "each", "every", "existing", "new", "one", "the", "this", "your"])
_ONLY_SAID = frozenset(["issue"])
"""Verbs that count in summaries, like ALSO_THINGS, but not as segments of a path."""

_MADE_TO = re.compile(r"(?:force|trigger|cause|tell)s? .{0,40}? to (\w+)", re.IGNORECASE)
_BY_METHOD = {"PATCH": "update", "DELETE": "delete", "HEAD": "check", "OPTIONS": "describe"}
_WRITES = ("POST", "PUT", "PATCH")

VERBS = SURE | ALSO_THINGS | _LOOKS | {"describe", "replace", "show", "watch"}
"""Every word that can be the verb of a name."""


_BEFORE_PLURALS = frozenset(["add", "create", "get", "remove", "send", "update"])
"""Words that are verbs even before a plural: `add-models` is an action, whereas `deploy_keys` are things."""


def of_segment(segment: list[str], method: str) -> int:
    """Return how many words at the beginning of a path's last segment are a verb: 1 for `/refund` and `/add-models`, 0
    for a noun.
    """
    if not segment or (len(segment) > 1 and segment[-1].endswith("s") and segment[0] not in _BEFORE_PLURALS):
        return 0
    if method == "GET":
        sure = segment[0] in _LOOKS and len(segment) == 1
    elif len(segment) == 1:
        sure = segment[0] in SURE or segment[0] in ALSO_THINGS
    else:
        sure = segment[0] in SURE
    return int(sure and method in ("GET", *_WRITES))


def is_object(segment: list[str], summary: str) -> bool:
    """Return True if a summary uses the verb of a path's last segment as a noun, after another verb.

    `PUT /tags/{tag}/release` with "Update a tag's release note" does not release a tag.
    """
    said = words(summary)
    is_other = bool(said) and imperative(said[0]) in SURE - {segment[0]}
    return is_other and len(segment) == 1 and segment[0] in ALSO_THINGS and segment[0] in said[1:]


_NO_VERBS = frozenset(["patch", "post", "put", "return"])
"""First words of a summary that do not count as its verb: names of HTTP methods, and `return`, which describes the
response.
"""


def of_summary(summary: str, method: str, item: Sequence[str] = ()) -> str:
    """Return the imperative of the verb with which a summary begins. Return "" if there is no such verb, or if the verb
    says no more than the HTTP method.

    `item`: words that name the item at the end of the path. For POST, PUT and PATCH, a verb that may also be a
    noun (`charge`) counts only before one of these words or a determiner.
    """
    made_to = _MADE_TO.match(summary)
    said = words(summary)[:2] if made_to is None or made_to[1].lower() not in VERBS else [made_to[1].lower(), "the"]
    verb = imperative(said[0]) if said else ""
    # the summary begins with one of _NO_VERBS, or with several verbs, as in `Creates/modifies/deletes`
    if verb in _NO_VERBS or {imperative(each) for each in said[1:]} & SURE:
        return ""
    if method in _WRITES:
        is_verb = verb in SURE or (
            verb in ALSO_THINGS | _ONLY_SAID and said[1:] and (said[1] in _DETERMINERS or _is_named(said[1], item))
        )
    else:
        is_verb = verb in {"GET": _LOOKS, "DELETE": _UNDOES}.get(method, frozenset())
    return verb if is_verb else ""


def _is_named(word: str, item: Sequence[str]) -> bool:
    return any(each.startswith(word) for each in item)


def of_method(method: str, *, on_item: bool, plural: bool) -> str:
    """Return the verb for an HTTP method.

    `on_item`: True if the path ends in a variable. `plural`: True if the noun of the tool's name is a plural.
    """
    if method == "GET":
        return "list" if plural and not on_item else "get"
    if method == "PUT":
        return "replace" if on_item else "set"
    if method == "POST":
        return "update" if on_item else "create"
    return _BY_METHOD.get(method, method.lower())


def imperative(word: str, known: frozenset[str] = VERBS) -> str:
    """Return the imperative of a verb (`creates` → `create`, `applies` → `apply`) if the set `known` contains this
    imperative. Otherwise return `word` unchanged.
    """
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((form for form in forms if form in known), word)


# -- plurals -----------------------------------------------------------------------------------------------------------


def is_one_thing(noun: list[str]) -> bool:
    return noun[-1:] != [] and noun[-1] in _ONE_THING


def is_plural(noun: list[str]) -> bool:
    return bool(noun) and singular(noun[-1]) != noun[-1]


def singular(word: str) -> str:
    """Return the singular of a plural (`policies` → `policy`), and any other word unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "news", "series", "status")):
        return word
    if word.endswith("ies"):
        return word[:-1] if word[:-1] in _IN_IE else word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "aliases", "nuses", "ruses", "tuses")):
        return word[:-2]
    return word[:-1]
