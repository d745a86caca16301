"""The wings of the runtime: which files belong to which feature, and which other wings a feature needs.

A server can run without a wing whose feature it does not have. So no module of the plain core imports a module of a
wing when it is loaded, and no wing so imports another wing that it does not declare (`needs`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

EVERY = "*"
"""Stands for all modules of a folder that no other wing names."""


@dataclass(frozen=True, slots=True)
class Wing:
    """A feature of servers, or code that several features share.

    - `modules`: folder of the runtime → names of the wing's modules in it, separated by blanks, or EVERY. The folder ""
      is the runtime itself.
    - `needs`: names of the wings without which it does not work. It may import their modules, and the plain core.
    """

    name: str
    modules: Mapping[str, str]
    needs: tuple[str, ...] = ()


PLAIN = "plain"
"""Name of the wing that every server has: stdio, calls, and the flags --list, --explain and --doctor."""

WINGS = (
    Wing(
        PLAIN,
        {
            "": "__init__ server",
            "calls": "__init__ execution hook_loading own_tools preparation redacted_result result_writer trial"
            " under_way",
            "core": "__init__ absent_parts backlog budget catalog effects elicitation encode_response envelope"
            " fair_eviction features framing jsonrpc jsontext log methods notification_settings pending_requests places"
            " prompts protocol read_tool spans stdio subscriptions task_state turns uri_templates wire_formats",
            "http": "__init__ client connections deadlines descriptors direct_requests exchange inflate leaving"
            " operator_hints pacing redirects requestlog retry sending shares spool tracecontext trimming",
            "request": "__init__ argument_errors arguments bodies extent kinds lenient_arguments name_conflicts"
            " original_names parameters request schema_walk styles validators violations wording",
            "result": "__init__ failures findings large_results page_arguments page_facts paging projection read_result"
            " response result_names result_store wrapping",
            "serve": "__init__ accepted_call call_log call_progress commands doctor engine explain flag_parser"
            " heartbeat integrity libraries preload printing request_preview stdin_handoff work",
            "settings": "__init__ credential_env credentials grants mistaken_variables origins rate rotation"
            " setting_parsers settings settings_table sizes tls",
            "text": "__init__ addresses escapes fields folded_names invisible patterns redaction sanitize shortening"
            " signatures",
            "tuning": "__init__ bare_tls_contexts lazy_imports memory pipe_size",
        },
    ),
    # What a tool, a resource or a prompt of the server asks for
    Wing("files", {"request": "files multipart"}, ("safe_open",)),
    Wing("templates", {"request": "templates"}, ("xml",)),
    Wing("xml", {"request": "xmltext"}),
    Wing(
        "questions",
        {
            "calls": "consent interviews questions required_capabilities signed_state",
            "core": "asked_arguments forms",
        },
    ),
    Wing(
        "hooks",
        {
            "": "hooks",
            "calls": "hook_forms hook_lint hook_names hook_questions hook_reports hook_request hook_runner",
            "core": "hook_context",
        },
        ("fair_pool", "questions", "secret_words"),
    ),
    Wing(
        "features",
        {
            "calls": "completion_values prompt_questions prompt_resources resource_versions",
            "result": "fetching",
        },
        ("pointers", "questions", "watching"),
    ),
    Wing("watching", {"core": "watching", "serve": "poller stdio_poller"}),
    Wing("pages", {"calls": "page_walk", "result": "joined_pages"}, ("pointers",)),
    Wing("lookups", {"calls": "lookups", "result": "named_items"}, ("inner_calls", "pages", "pointers")),
    Wing(
        "results",
        {"result": "blocks downloads owner_texts result_rules structured"},
        ("pointers", "safe_open", "templates"),
    ),
    Wing(
        "jobs",
        {
            "calls": "cancelled_jobs jobs signed_tasks task_calls",
            "core": "looking tasks",
            "result": "job_state job_words",
        },
        ("pointers",),
    ),
    Wing("search", {"core": "listing search_listing", "programs": "__init__ stubs", "search": EVERY}),
    Wing(
        "programs",
        {"calls": "kept_runs program_functions program_runs", "programs": EVERY},
        ("fair_pool", "inner_calls", "questions", "search"),
    ),
    # How the server gets and uses access tokens
    Wing("oauth", {"http": "backoff discovery pkce token_response tokens", "settings": "well_known"}),
    Wing("login", {"calls": "user_logins", "login": EVERY, "serve": "login_commands"}, ("oauth",)),
    # Streamable HTTP
    Wing(
        "http_server",
        {
            "calls": "handles",
            "replicas": "__init__ away seal sealed_results sealed_runs sealed_states sealed_tasks spent",
            "serve": "aiohttp_connections aiohttp_door asgi_door connection_places doctor_http door inline_request"
            " measurement over_http refusal_log relayed_messages request_task response_writer resumed_streams service"
            " transfer unread",
            "settings": "callers listening",
            "streamable": EVERY,
            "tuning": "busy_polling",
        },
        ("watching",),
    ),
    Wing("identity", {"core": "identity", "identity": EVERY}, ("fair_pool", "oauth")),
    Wing("delegation", {"delegation": EVERY, "settings": "delegation"}, ("http_server", "oauth")),
    Wing("replicas", {"replicas": EVERY}, ("http_server",)),
    # What the operator asks for by a flag, a command or a setting
    Wing("telemetry", {"serve": "doctor_telemetry", "settings": "telemetry", "telemetry": EVERY}),
    Wing("audit", {"core": "audit", "serve": "recording"}, ("safe_open", "secret_words")),
    Wing("reload", {"serve": "reload"}, ("questions", "safe_open")),
    Wing("install", {"install": EVERY, "serve": "install_commands"}, ("safe_open",)),
    Wing("shell", {"serve": "call_command", "shell": EVERY}),
    # Code that several wings share
    Wing("fair_pool", {"core": "fair_pool"}),
    Wing("inner_calls", {"calls": "inner_calls"}),
    Wing("pointers", {"result": "conditions drop_fields pointers"}),
    Wing("safe_open", {"core": "safe_open"}),
    Wing("secret_words", {"text": "secret_words"}),
    # The types of the tables, for mypy and the compiler: no server loads them
    Wing("types", {"core": "table words"}),
)
"""All wings. Each module of the runtime belongs to exactly one of them."""


def modules(runtime: Iterable[str]) -> dict[str, list[str]]:
    """Return the name of each wing → its modules, as paths without `.py`. `runtime`: the paths of all modules."""
    present, named = sorted(runtime), {path for wing in WINGS for path in _named(wing)}
    rest: dict[str, list[str]] = {}
    for path in present:
        if path not in named:
            rest.setdefault(path.rpartition("/")[0], []).append(path)
    return {
        wing.name: [
            *_named(wing),
            *(path for folder, names in wing.modules.items() if names == EVERY for path in rest[folder]),
        ]
        for wing in WINGS
    }


def _named(wing: Wing) -> Iterator[str]:
    """Yield the modules that a wing lists by name."""
    for folder, names in wing.modules.items():
        yield from (f"{folder}/{name}".removeprefix("/") for name in names.split() if name != EVERY)
