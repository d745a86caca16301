# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the envelope of a request: revision, capabilities, progress token, caller, and the user's answer to a question.

Functions raise Fault if a field that they read is invalid.
"""

from __future__ import annotations

from .effects import Dialogue, Origin
from .jsonrpc import INVALID_PARAMS, Fault, id_of
from .wire_formats import STATELESS_REVISIONS, has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Id, Members, Message, Request

_META = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, _LOG_LEVEL = _META + "protocolVersion", _META + "clientCapabilities", _META + "logLevel"
_CLIENT = _META + "clientInfo"
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_UNSUPPORTED_VERSION = -32022


def is_stateless(meta: object) -> bool:
    """Return True if `_meta` names a revision or client capabilities, as only requests of stateless revisions (since
    2026-07-28) do.
    """
    return isinstance(meta, dict) and (VERSION in meta or CAPABILITIES in meta)


def meta_of(message: Message) -> object:
    """Return the `_meta` of a request or notification, or None."""
    params = getattr(message, "params", None)
    return params.get("_meta") if isinstance(params, dict) else None


def named_revision(meta: Members) -> str:
    """Return the revision that a stateless request names, even if the server does not support it.

    Raise Fault if a required field of `_meta` is missing.
    """
    version = meta.get(VERSION)
    if not isinstance(version, str):
        raise Fault(INVALID_PARAMS, f"params._meta needs {VERSION}, a string.")
    if not isinstance(meta.get(CAPABILITIES), dict):
        raise Fault(INVALID_PARAMS, f"params._meta needs {CAPABILITIES}, an object.")
    return version


def stateless_revision(meta: Members) -> str:
    """Return the revision of a stateless request. Raise Fault if a required field of `_meta` is missing or invalid."""
    version = named_revision(meta)
    check_revision(version, meta)
    return version


def check_revision(version: str, meta: Members) -> None:
    """Raise Fault if the server does not support the revision `version`, or if the log level in `meta` is invalid."""
    if version not in STATELESS_REVISIONS:
        data = {"supported": STATELESS_REVISIONS, "requested": version[:64]}
        raise Fault(_UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    if meta.get(_LOG_LEVEL) not in (None, *LOG_LEVELS):
        raise Fault(INVALID_PARAMS, f"{_LOG_LEVEL} must be one of: {', '.join(LOG_LEVELS)}.")


def log_level(request: Request, revision: str, set_level: int | None) -> int | None:
    """Return the lowest level of log messages that the client wants for a request, as an index of LOG_LEVELS.

    Return None if the client wants no log messages. A stateless request names the level itself. For any other request,
    `set_level` counts: the level of the client's last `logging/setLevel`, or None.
    """
    if revision not in STATELESS_REVISIONS:
        return set_level
    named = request.meta.get(_LOG_LEVEL) if isinstance(request.meta, dict) else None
    return LOG_LEVELS.index(named) if isinstance(named, str) else None


def check_cursor(params: Members) -> None:
    """Raise Fault if `params` name a page, since each list has one page. null and "" mean the first page."""
    if params.get("cursor") not in (None, ""):
        raise Fault(INVALID_PARAMS, "Unknown cursor: the list has one page.")


def progress_token(request: Request) -> Id | None:
    """Return the progress token of a request, or None."""
    given = request.meta.get("progressToken") if isinstance(request.meta, dict) else None
    token = id_of(given)
    if token is None and given is not None:
        raise Fault(INVALID_PARAMS, "The progressToken must be a string or an integer.")
    return token


def takes_forms(capabilities: object) -> bool:
    """Return True if ClientCapabilities allow asking the user by a form.

    An empty `elicitation` object means that only forms are supported.
    """
    elicitation = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(elicitation, dict) and (not elicitation or "form" in elicitation)


def takes_urls(capabilities: object) -> bool:
    """Return True if ClientCapabilities allow asking the user to open a URL."""
    elicitation = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(elicitation, dict) and isinstance(elicitation.get("url"), dict)


def declared(capabilities: object) -> frozenset[str]:
    """Return which of the capabilities `sampling` and `roots` a client declares.

    `takes_forms` and `takes_urls` read `elicitation`, the capability for questions to the user.
    """
    return frozenset(each for each in ("sampling", "roots") if isinstance(capabilities, dict) and each in capabilities)


def handshake_dialogue(capabilities: object, revision: str) -> Dialogue:
    """Return how the server can ask the user, according to the client capabilities of a handshake."""
    forms = has(revision, "elicitation") and takes_forms(capabilities)
    urls = has(revision, "elicitation by URL") and takes_urls(capabilities)
    way, visits = ("request" if can else "" for can in (forms, urls))
    return Dialogue(way, revision, urls=visits, declares=declared(capabilities))


def dialogue(request: Request, revision: str, handshake: Dialogue) -> Dialogue:
    """Return how the server can ask the user about the call `request`.

    A stateless request declares the client's capabilities in its own `_meta`; for any other, the handshake counts.
    """
    if revision not in STATELESS_REVISIONS:
        return handshake
    params, meta = request.params, request.meta
    state, responses = params.get("requestState"), params.get("inputResponses")
    responses = {} if responses is None else responses
    if not (state is None or isinstance(state, str)) or not isinstance(responses, dict):
        raise Fault(INVALID_PARAMS, "params.requestState must be a string, and params.inputResponses an object.")
    can = meta[CAPABILITIES] if isinstance(meta, dict) else None
    if not can:
        return Dialogue("", revision, state, responses)
    way, urls = ("result" if takes(can) else "" for takes in (takes_forms, takes_urls))
    return Dialogue(way, revision, state, responses, urls, declared(can))


def origin(request: Request, handshake: Origin) -> Origin:
    """Return the caller and trace of a request. Fields that the request omits are taken from the handshake.

    The values are unchecked: code that uses a value checks it.
    """
    said = request.meta
    if not said or not isinstance(said, dict):
        return handshake
    client = said.get(_CLIENT, handshake.client)
    return Origin(client, said.get("traceparent"), said.get("tracestate"), handshake.peer)
