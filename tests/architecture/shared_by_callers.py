"""List what callers share over HTTP: each table and pool of the runtime, and why one caller cannot use it up.

`ALONE` lists the limits of things that callers do not share, such as one request or one response.
"""

from __future__ import annotations

from typing import NamedTuple


class Shared(NamedTuple):
    """A table or pool that callers share.

    `limits`: module and constants of its size. `share`: the code that divides the table between callers, which the
    module names; "" if no caller can harm others by filling the table. `why`: who counts as a caller, or the reason.
    """

    module: str
    limits: tuple[str, ...]
    share: str
    why: str


SHARED = (
    # before a caller is known
    Shared(
        "http_server/doors/aiohttp_door.py",
        ("MOST_CONNECTIONS",),
        "ConnectionPlaces",
        "by network; idle ones give way",
    ),
    Shared("http_server/doors/newcomers.py", (), "FairQueue", "by network, before the first request"),
    Shared(
        "identity/guard.py",
        ("MOST_AT_ONCE", "MOST_WAITING"),
        "FairPool",
        "by network; half for known tokens",
    ),
    Shared(
        "identity/guard.py",
        ("MOST_REMEMBERED", "MOST_REMEMBERED_BYTES"),
        "",
        "cache: a forgotten token is checked again",
    ),
    Shared("http_server/service.py", ("_MOST",), "", "only lines of the log"),
    # requests and calls
    Shared("tenants/tenants.py", ("_MOST_KEPT",), "", "cache: a forgotten address is made again"),
    Shared("http_server/service.py", ("MOST_BODIES",), "Places", "by caller"),
    Shared(
        "http_server/requests/response_writer.py",
        ("MOST",),
        "",
        "the client that has read nothing for longest is closed",
    ),
    Shared("http_server/streamable/exchange.py", ("MOST_CALLS", "MOST_STREAMS"), "Places", "by caller"),
    Shared("serve/scheduler.py", ("MOST", "MOST_OF_ONE"), "FairQueue", "by caller"),
    Shared("hooks/hook_runner.py", ("MOST_THREADS", "_MOST_WAITING"), "FairPool", "by caller"),
    Shared("programs/sandbox.py", ("MOST_WORKERS", "MOST_WAITING"), "FairPool", "by caller"),
    Shared("http/sending.py", (), "_callers", "by caller"),
    Shared("core/limits.py", (), "Places", "by caller"),
    Shared("watching/poller.py", ("MOST",), "", "by caller: `Endpoint.polled` lets callers take turns"),
    Shared("audit/audit.py", ("MOST_WAITING",), "", "lines that wait for the disk, two for each call"),
    # what is stored
    Shared(
        "http_server/sealed/sealed_states.py", ("MOST_SPENT",), "Places", "by caller: a full share refuses this caller"
    ),
    Shared(
        "http_server/streamable/event_stream.py",
        ("MOST_EVENTS_OF_ALL", "MOST_BYTES_OF_ALL"),
        "recording.caller",
        "who has most loses events",
    ),
    Shared("http_server/streamable/session.py", ("MOST_NOTIFIED",), "Places", "who has most loses settings"),
    Shared(
        "http_server/streamable/older.py",
        ("_MOST_ENDED",),
        "",
        "a forgotten end lets only the session's own caller go on",
    ),
    Shared("http_server/streamable/session.py", ("MOST_RECENT",), "", "cache: a session is opened again from its id"),
    Shared("http_server/streamable/access.py", ("MOST_VIEWS", "MOST_BYTES"), "", "cache: a view is computed again"),
    Shared("result/result_store.py", ("MOST_KEPT", "MOST_REMEMBERED"), "displaced", "who has most loses results"),
    Shared("replicas/sharing.py", ("MOST_KEPT", "MOST_KEPT_BYTES"), "displaced", "who has most loses results"),
    Shared("replicas/sharing.py", ("MOST_WAITING",), "Places", "by caller: who exceeds the share loses own events"),
    Shared("replicas/sharing.py", ("MOST_SETTINGS",), "", "settings are lost only to replicas that start later"),
    Shared("delegation/kept_logins.py", ("MOST",), "", "one login for each user and scheme"),
    Shared("delegation/caller_credentials.py", ("MOST_TOKENS",), "", "cache: a token is requested again"),
    Shared("text/redaction.py", ("MOST_LEARNT",), "", "a token of each user; all links to log in are one secret"),
    Shared(
        "jobs/task_calls.py",
        ("MOST_CANCELLED",),
        "displaced",
        "who has most is told what the API says of old jobs",
    ),
    Shared("features/completion_values.py", ("MOST_CACHED",), "", "cache: values are requested again"),
    # telemetry, whose names clients cannot choose
    Shared("telemetry/metrics.py", ("MOST_SERIES",), "", "no label has a value that a client chooses"),
    Shared("telemetry/reporter.py", ("MOST_SPANS", "MOST_KNOWN"), "", "only measurements are lost"),
    Shared("telemetry/recorder.py", ("MOST_WAITING",), "", "only measurements are lost"),
)

ALONE = {
    "features/completion_values.py": ("MOST_FETCHED",),
    "questions/consent.py": ("MOST_TURNS", "MOST_SHOWN"),
    "hooks/hook_reports.py": ("MOST_WAITING",),  # of one call
    "inner_calls/kept_runs.py": ("MOST", "MOST_BYTES"),  # stdio
    "lookups/page_walk.py": ("MOST_PAGES", "MOST_LOOKED"),
    "jobs/task_calls.py": ("MOST_RESERVE",),
    "questions/signed_state.py": ("MOST_SPENT",),  # stdio
    "serve/engine.py": ("MOST_CALLS", "MOST_BYTES"),  # stdio
    "core/protocol.py": ("MOST",),  # of one session
    "core/features.py": ("MOST_VALUES",),
    "core/log.py": ("_MOST_CAUSES",),  # causes, which no client chooses
    "core/notification_settings.py": ("MOST_URIS",),  # of one session
    "search/search_listing.py": ("MOST_QUERIES", "MOST_ROWS", "MOST_NAMES", "MOST_GROUPS"),
    "files/safe_open.py": ("_MOST_LINKS",),
    "delegation/login_callback.py": ("_MOST_FIELDS",),
    "http/connections.py": ("MOST_FIELDS",),
    "http/sending.py": ("MOST_TRIES", "MOST_STEPS"),
    "http/exchange.py": ("_MOST_PIECES",),
    "http/tracecontext.py": ("MOST_MEMBERS",),
    "identity/signed_tokens.py": ("MOST_KEYS",),
    "programs/record.py": ("MOST_CALLS", "MOST_NOTES"),  # of one program
    "programs/sandbox.py": ("MOST_PRINTED", "MOST_TOLD"),
    "workflows/workflow_record.py": ("MOST_SHOWN",),
    "workflows/workflow_runs.py": ("MOST_CALLS", "MOST_BYTES"),  # of one workflow
    "search/stubs.py": ("MOST_LITERALS", "MOST_ALTERNATIVES", "MOST_NESTED"),
    "replicas/sharing.py": ("MOST_EVENTS", "MOST_SHARED"),  # of one stream, and of one result
    "results/blocks.py": ("MOST_BLOCKS", "MOST_REASONS"),
    "results/downloads.py": ("MOST_STEPS",),
    "lookups/joined_pages.py": ("MOST_ITEMS",),
    "lookups/named_items.py": ("MOST_SHOWN", "MOST_OTHERS"),
    "result/page_arguments.py": ("MOST_DIGITS",),
    "result/projection.py": ("MOST_PATHS", "MOST_TOLD", "MOST_NAMES"),
    "result/result_store.py": ("MOST_DIGITS",),
    "results/structured.py": ("MOST_MOVED", "MOST_LOGGED"),
    "search/notation.py": ("MOST_OPTIONAL", "MOST_MEMBERS", "MOST_ALTERNATIVES"),
    "search/retriever.py": ("MOST_CLAUSES",),
    "http_server/doors/aiohttp_door.py": ("_MOST_INLINE",),
    "commands/doctor.py": ("MOST_TRIED", "MOST_NAMED"),
    "http_server/requests/request_task.py": ("MOST",),
    "http_server/streamable/admission.py": ("MOST_FIELDS",),
    "http_server/streamable/exchange.py": ("_MOST_WAITING",),  # of one stream
    "http_server/streamable/event_stream.py": ("_MOST_DIGITS", "MOST_EVENTS", "MOST_BYTES"),  # of one session
    "http_server/streamable/access.py": ("MOST_ROLES",),
    "http_server/streamable/session.py": ("MOST_TEXT",),
    "telemetry/telemetry_settings.py": ("MOST_ATTRIBUTES",),
    "http_server/callers.py": ("MOST_ISSUERS", "MOST_SCOPES"),
    "text/redaction.py": ("_MOST_DOUBLED",),
    "text/sanitize.py": ("MOST_TOLD",),
}
