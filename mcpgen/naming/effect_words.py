"""The words by which operations say what they do, by their effect. Data alone: `lower/tool/effects.py` has the rule.

The lists of words that add or read must be right, because they let a call pass without a question. A missing word only
costs a question. The lists of words that change may hold too much: they only make hints more cautious.
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
"""Verbs that are hardly ever nouns and create something without changing what exists.

`import`, `save`, `publish` and `deploy` are left out because they may replace something, and `run` and `execute`
because nobody knows what runs.
"""

CREATES = _words("add append create insert send submit upload")
"""Verbs of ADDS that never name a group of operations: the word behind them is a noun (`create_data_set`)."""

ADDS_TOO = _words(
    """
    award backup book bookmark build comment copy export follow fork issue launch like pin ping record reply report
    reserve schedule share snapshot star trigger vote
    """
)
"""Verbs that add and are nouns as well. They count before a determiner, and as the whole last segment of a path."""

ADDS_FIRST = _words("post request")
"""Verbs that add when a sentence begins with them. In an id or a path, `post` is a method and `request` a noun."""

READS = _words(
    """
    aggregate autocomplete browse compare count describe diff estimate explain fetch find get inspect list lookup
    preview query retrieve search suggest
    """
)
"""Verbs that only read."""

READS_FIRST = _words("has head is read show view wait")
"""Words that mean reading as the first word, and not behind others: `mark_all_as_read`."""

COMPUTES = _words("analyse analyze calculate check compute eval evaluate lint match parse render validate")
"""Verbs that only examine their input. At the path of an item they act on the item: `/domains/{domain}/validate`."""

FILTERS = _words("filter")
"""Words that mean a search as the last segment of a path, but not in an id or a summary."""

ASKS_FOR = _words("fetch get obtain retrieve")
HANDED_OUT = _words("code credential credentials key link nonce otp password secret session ticket token url")
"""Nouns for things that a request creates: whoever gets a token has one more."""

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
"""Verbs and nouns for ending, taking back or removing something, wherever they stand."""

ANYTHING = _words("action actions command commands execute graphql rpc statement statements")
"""Last segments of paths at which the body says what is done."""

CHANGES = ENDS | _words(
    """
    accept acknowledge activate adjust advance amend approve attach authorize bind capture change complete confirm
    connect convert decline decrease decrement demote deny deprecate detach disallow dismiss edit enable execute
    expire extend finalize forbid impersonate increase increment interrupt leave lower mark migrate modify move mute
    patch pause promote publish put quarantine raise reactivate reassign rebuild recalculate reconnect recreate
    refresh regenerate reindex reject reload rename renew reopen reorder replace reprocess resolve restart restore
    restrict resume retire revert rotate save set shrink shutdown switch sync synchronize toggle transition trash
    trim unarchive unassign unban unblock undo unfollow unlock unmute unpause unpin unpublish unregister unshare
    unstack unstar unsubscribe unsuspend update upgrade upsert verify withdraw write
    """
)
"""Verbs that are hardly ever nouns and change something that exists.

Words on no list, such as `assign`, count for nothing: `create` decides when it stands beside one.
"""

CHANGES_TOO = _words(
    """
    archive block charge close end exit fail halt hangup lock merge pay quit reboot recover reduce release reverse
    revise rewrite split stop swap terminate transfer
    """
)
"""Verbs that change something and are nouns as well. They count in the place of a verb: first or last."""

NO_AIMS = _words("change complete")
"""Verbs that change nothing behind `to`: `subject to change`, `needed to complete the handshake`."""

PROGRAMS = _words("command commands cql cypher graphql gremlin influxql script sql statement statements")
"""Nouns for query languages that can also write."""

DESTROYS = ENDS | _words("archive detach expire merge transfer")
"""Words in a title that tell of deletion or removal."""

DETERMINERS = _words("a all an another any each every existing multiple new one several some the this your")
"""Words in front of a noun, so that the word before them is a verb."""

MANNERS = _words(
    "admin async batch beta bulk deprecated experimental force internal mass multi partial please quick v1 v2"
)
"""Words before a verb that say how it acts, or in which version. Words that end in `ly` count too."""

PARTICLES = _words("down in off out up")
"""Words that change the verb before them: `check out` does not look."""

# -- for methods that read, such as GET, whose ids and paths seldom name an action ------------------------------

GETS = _words("calculate convert download export generate resolve verify watch")
"""Verbs of a GET that change nothing, beside those of READS."""

AT_THE_END = _words("close launch notify open pay post push reboot run start stop sync trigger")
"""Verbs that are nouns as well. At the end of a GET's id they are verbs: `dialog_open`."""

SWITCHES = (ENDS - ENDINGS) | _words(
    "activate archive detach enable merge restart send shutdown stop transfer trigger unsubscribe"
)
"""Verbs that make a GET act as the last segment of its path: `/jobs/{id}/restart`."""
