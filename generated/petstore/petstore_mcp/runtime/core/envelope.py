# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What a request says beside its method: the revision and the capabilities of a stateless one, a progress token, and
what a call brings of an earlier question. Raises Fault where a field is not as it must be. Pure.
"""

from __future__ import annotations

from .effects import Dialogue, Origin
from .jsonrpc import INVALID_PARAMS, Fault, is_id
from .wire_formats import STATELESS_REVISIONS, has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Id, Members, Request

_META = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, _LOG_LEVEL = _META + "protocolVersion", _META + "clientCapabilities", _META + "logLevel"
_CLIENT = _META + "clientInfo"
_LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_UNSUPPORTED_VERSION = -32022


def stateless_revision(meta: Members) -> str:
    """The revision that a stateless request names, once its fields are as they must be."""
    version = meta.get(VERSION)
    if not isinstance(version, str):
        raise Fault(INVALID_PARAMS, f"params._meta needs {VERSION}, a string.")
    if not isinstance(meta.get(CAPABILITIES), dict):
        raise Fault(INVALID_PARAMS, f"params._meta needs {CAPABILITIES}, an object.")
    if version not in STATELESS_REVISIONS:
        data = {"supported": STATELESS_REVISIONS, "requested": version[:64]}
        raise Fault(_UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    if meta.get(_LOG_LEVEL, _LOG_LEVELS[0]) not in _LOG_LEVELS:
        raise Fault(INVALID_PARAMS, f"{_LOG_LEVEL} must be one of: {', '.join(_LOG_LEVELS)}.")
    return version


def progress_token(request: Request) -> Id | None:
    """The token that progress is to be reported under; None where none is wanted."""
    meta = request.meta
    if not isinstance(meta, dict) or "progressToken" not in meta:
        return None
    token = meta["progressToken"]
    if not is_id(token):
        raise Fault(INVALID_PARAMS, "The progressToken must be a string or an integer.")
    return token


def takes_forms(capabilities: object) -> bool:
    """Whether ClientCapabilities say that the user can be asked by a form; an empty `elicitation` means forms alone."""
    elicitation = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(elicitation, dict) and (not elicitation or "form" in elicitation)


def handshake_dialogue(capabilities: object, revision: str) -> Dialogue:
    """How the user can be asked about calls after a handshake, in which the client said what it can do."""
    return Dialogue("request" if has(revision, "elicitation") and takes_forms(capabilities) else "", revision)


def dialogue(request: Request, revision: str, handshake: Dialogue) -> Dialogue:
    """How the user can be asked about this call; as the `handshake` said, unless it is stateless."""
    if revision not in STATELESS_REVISIONS:
        return handshake
    params, meta = request.params, request.meta
    state, responses = params.get("requestState", ""), params.get("inputResponses", {})
    if not isinstance(state, str) or not isinstance(responses, dict):
        raise Fault(INVALID_PARAMS, "params.requestState must be a string, and params.inputResponses an object.")
    way = "result" if isinstance(meta, dict) and takes_forms(meta[CAPABILITIES]) else ""
    return Dialogue(way, revision, state if "requestState" in params else None, responses)


def origin(request: Request, handshake: Origin) -> Origin:
    """Who calls, and in which trace; as the `handshake` said, where the request says nothing of it. Whatever it is: it
    is checked where it is used.
    """
    said = request.meta
    if not said or not isinstance(said, dict):
        return handshake
    return Origin(said.get(_CLIENT, handshake.client), said.get("traceparent"), said.get("tracestate"))
