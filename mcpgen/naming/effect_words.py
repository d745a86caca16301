"""Word lists for the effect of an operation: whether it reads, adds, changes or removes.

The words come from the operationId, path and summary.

This module holds only data; `lower/tool/effects.py` has the rule. The lists for adding and reading must be right,
because they let a call pass without a confirmation; a missing word only costs a confirmation. The lists for changes may
hold too much: they only make the tool annotations more cautious.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


ADDS = _words(
    """
    add append begin broadcast clone create duplicate emit enqueue enroll initiate insert install invite join notify
    redeliver register rerequest rerun resend retry send start submit subscribe upload
    """
)
"""Verbs that are hardly ever nouns, and that create something without changing what exists.

`import`, `save`, `publish` and `deploy` are left out because they may replace something, and `run` and `execute`
because nobody knows what runs.
"""

CREATES = _words("add append create insert send submit upload")
"""Verbs of ADDS that never name a group of operations. A word after them is therefore a noun: `create_data_set`."""

ADDS_TOO = _words(
    """
    award backup book bookmark build comment copy export follow fork issue launch like pin ping record reply report
    reserve schedule share snapshot star trigger vote
    """
)
"""Words that are verbs for adding, and also nouns.

These words count as verbs before a determiner (`a`, `the`), and as the whole last segment of a path.
"""

ADDS_FIRST = _words("post request")
"""Verbs for adding that count only at the beginning of a sentence.

In an id or a path, `post` is a method and `request` a noun.
"""

READS = _words(
    """
    aggregate autocomplete browse compare count describe diff estimate explain fetch find get inspect list lookup
    preview query retrieve search suggest
    """
)
"""Verbs that only read."""

FETCHES = _words("fetch get list retrieve")
"""Verbs that say at the beginning of a summary that the operation only reads, whatever its path and id are about."""

READS_FIRST = _words("has head is read show view wait")
"""Words that mean reading only as the first word: not in `mark_all_as_read`."""

COMPUTES = _words("analyse analyze calculate check compute eval evaluate lint match parse render validate")
"""Verbs that only examine their input.

In the path of an item these verbs act on the item instead: `/domains/{domain}/validate`.
"""

FILTERS = _words("filter")
"""Words that mean a search as the last segment of a path, but not in an id or a summary."""

ASKS_FOR = _words("fetch get obtain retrieve")
HANDED_OUT = _words("code credential credentials key link nonce otp password secret session ticket token url")
"""Nouns for things that a request creates and returns. Getting a token, for example, creates a token."""

ENDINGS = _words(
    """
    cancellation deactivation deletion destruction disconnection erasure garbage refunds removal reversal reversals
    revocation suspension termination truncation
    """
)
"""Nouns for ending, taking back or removing something: a refund takes back a payment."""

ENDS = ENDINGS | _words(
    """
    abort ban cancel clear deactivate delete deprovision destroy disable disconnect drop erase evict flush invalidate
    kick kill logout overwrite prune purge redact refund remove reset revoke rollback suspend terminate truncate
    uninstall unlink void wipe
    """
)
"""Verbs and nouns for ending, taking back or removing something. They count at any position."""

ANYTHING = _words("action actions command commands execute graphql rpc statement statements")
"""Last segments of paths that say nothing about the effect, because the request body says what is done: `/commands`."""

CHANGES = ENDS | _words(
    """
    accept acknowledge activate adjust advance amend approve attach authorize bind capture change complete confirm
    connect convert decline decrease decrement demote deny deprecate detach disallow dismiss edit enable execute
    expire extend finalize forbid impersonate increase increment indicate interrupt leave lower mark migrate
    modify move mute patch pause promote publish put quarantine raise reactivate reassign rebuild recalculate
    reconnect recreate refresh regenerate reindex reject reload rename renew reopen reorder replace reprocess
    resolve restart restore restrict resume retire revert rotate save set shrink shutdown switch sync synchronize
    toggle transition trash trim unarchive unassign unban unblock undo unfollow unlock unmute unpause unpin
    unpublish unregister unshare unstack unstar unsubscribe unsuspend update upgrade upsert verify withdraw write
    """
)
"""Verbs that change something that exists, and are hardly ever nouns.

Words on no list are ignored: in `assign_and_create`, only `create` counts.
"""

CHANGES_TOO = _words(
    """
    archive block charge close end exit fail halt hangup lock merge pay quit reboot recover reduce release reverse
    revise rewrite split stop swap terminate transfer
    """
)
"""Words that are verbs for changing, and also nouns. They count only where a verb is expected: as the first or the last
word.
"""

NO_AIMS = _words("change complete")
"""Words that are no verbs of the operation if `to` precedes them: `subject to change`."""

PROGRAMS = _words("command commands cql cypher graphql gremlin influxql script sql statement statements")
"""Nouns for query languages in which a query can also write."""

DESTROYS = ENDS | _words("archive detach expire merge transfer")
"""Words in the title of a tool that mean deletion or removal."""

DETERMINERS = _words("a all an another any each every existing multiple new one several some the this your")
"""Words that introduce a noun. A word before them is therefore a verb: `copy the file`."""

MANNERS = _words(
    "admin async batch beta bulk deprecated experimental force internal mass multi partial please quick v1 v2"
)
"""Adverbs and versions that may precede a verb. Words that end in `ly` count as adverbs too."""

PARTICLES = _words("down in off out up")
"""Particles that change the meaning of the verb before them: `check out` does not check."""

# -- Words that show whether an operation changes something although its method, such as GET, only reads ---------------

GETS = _words("calculate convert download export generate resolve verify watch")
"""Verbs that only read in an operation with GET, in addition to READS."""

AT_THE_END = _words("close launch notify open pay post push reboot run start stop sync trigger")
"""Words that are verbs at the end of the operationId of a GET (`dialog_open`), and may be nouns elsewhere."""

SWITCHES = (ENDS - ENDINGS) | _words(
    "activate archive detach enable merge restart send shutdown stop transfer trigger unsubscribe"
)
"""Verbs that show that a GET changes something, if they are the last segment of its path: `/jobs/{id}/restart`."""
