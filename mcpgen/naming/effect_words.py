"""The words by which operations say what they do, by their effect. Data alone: `effects` has the rule.

The lists of what adds or reads must be right, because a call may then pass without a question. A word that they lack
costs a question. The lists of what changes may hold too much: they only make hints more cautious.
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
"""Verbs that are hardly ever things. Something new is there afterwards, and what was there is as before.

Left out are `import`, `save`, `publish` and `deploy`, which may replace something, and `run` and `execute`, because
nobody knows what runs.
"""

CREATES = _words("add append create insert send submit upload")
"""Those of ADDS that no group of operations is called by: what stands behind them is a thing (`create_data_set`)."""

ADDS_TOO = _words(
    """
    award backup book bookmark build comment copy export follow fork issue launch like pin ping record reply report
    reserve schedule share snapshot star trigger vote
    """
)
"""Verbs that add and are things as well. They count before a determiner, and as the whole last segment of a path."""

ADDS_FIRST = _words("post request")
"""What a sentence begins with that adds. In an id and in a path these are a method and a thing."""

READS = _words(
    """
    aggregate autocomplete browse compare count describe diff estimate explain fetch find get inspect list lookup
    preview query retrieve search suggest
    """
)
"""Verbs that only look."""

READS_FIRST = _words("has head is read show view wait")
"""Words that look where they stand first, and not behind others: `mark_all_as_read`."""

COMPUTES = _words("analyse analyze calculate check compute eval evaluate lint match parse render validate")
"""Verbs that look at what they are given. At an item's path they act on the item: `/domains/{domain}/validate`."""

FILTERS = _words("filter")
"""What a last segment says of a search, and an id or a summary of something else."""

ASKS_FOR = _words("fetch get obtain retrieve")
HANDED_OUT = _words("code credential credentials key link nonce otp password secret session ticket token url")
"""Things that come into being because somebody asks for them: whoever gets a token has one more."""

ENDINGS = _words(
    """
    cancellation deactivation deletion destruction disconnection erasure garbage refunds removal reversal reversals
    revocation suspension termination truncation
    """
)
"""Things that end, take back or take away something: who creates a refund takes back a payment."""

ENDS = ENDINGS | _words(
    """
    abort ban cancel clear deactivate delete deprovision destroy disable disconnect drop erase evict flush invalidate
    kick kill logout overwrite prune purge redact refund remove reset revoke rollback suspend terminate truncate
    uninstall unlink void wipe
    """
)
"""Words of what ends, takes back or takes away something, wherever they stand."""

ANYTHING = _words("action actions command commands execute graphql rpc statement statements")
"""What a last segment says of a request whose body says what is done."""

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
"""Verbs that are hardly ever things, and change something that is there. What is on no list, such as `assign`, says
nothing: beside `create` it is harmless.
"""

CHANGES_TOO = _words(
    """
    archive block charge close end exit fail halt hangup lock merge pay quit reboot recover reduce release reverse
    revise rewrite split stop swap terminate transfer
    """
)
"""Verbs that change something and are things as well. They count where a verb stands, first or last."""

NO_AIMS = _words("change complete")
"""What changes nothing of the API behind `to`: `subject to change`, `needed to complete the handshake`."""

PROGRAMS = _words("command commands cql cypher graphql gremlin influxql script sql statement statements")
"""Languages in which a query can also write."""

DESTROYS = ENDS | _words("archive detach expire merge transfer")
"""Words that say in a title that something is deleted or taken away."""

DETERMINERS = _words("a all an another any each every existing multiple new one several some the this your")
"""Words behind which a thing stands, so that the word before them is a verb."""

MANNERS = _words(
    "admin async batch beta bulk deprecated experimental force internal mass multi partial please quick v1 v2"
)
"""Words before a verb that say how, or which version; so do those that end in `ly`."""

PARTICLES = _words("down in off out up")
"""Words that make another verb of the one before: nobody looks who checks out."""

# -- of methods that only read, which act seldom ----------------------------------------------------------------------

GETS = _words("calculate convert download export generate resolve verify watch")
"""Verbs of a GET that change nothing, beside those that look."""

AT_THE_END = _words("close launch notify open pay post push reboot run start stop sync trigger")
"""Verbs that are things as well. They are verbs where they end the id of a GET: `dialog_open`."""

SWITCHES = (ENDS - ENDINGS) | _words(
    "activate archive detach enable merge restart send shutdown stop transfer trigger unsubscribe"
)
"""Verbs of the last segment of a GET that acts: `/jobs/{id}/restart`."""
