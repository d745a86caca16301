# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Determine which revision of MCP a request speaks, and which methods that revision has.

The era of MCP (handshake, or stateless since 2026-07-28) belongs to a request, never to the process. `revision_of`
applies the first row that matches:

    the request                                     speaks
    ---------------------------------------------   ------------------------------------------------------------
    names a revision or capabilities in _meta       stateless: that revision, or an error that lists supported ones
    has a method that only the stateless era has    stateless: an error, since the fields in _meta are missing
    comes after a handshake                         the revision that was agreed on
    is initialize, or ping                          the newest revision of the handshake era
    is call_tool or list_tools                      2024-11-05: short names that people type by hand (BARE)
    anything else                                   an error that says what to do

METHODS then says whether the method exists in the revision. The table lists every method:

                          2024-11-05   2025-03-26   2025-06-18   2025-11-25   2026-07-28
    initialize                 x            x            x            x
    ping                       x            x            x            x
    tools/list                 x            x            x            x            x
    tools/call                 x            x            x            x            x
    resources/list             x            x            x            x            x
    resources/templates/list   x            x            x            x            x
    resources/read             x            x            x            x            x
    resources/subscribe        x            x            x            x
    resources/unsubscribe      x            x            x            x
    prompts/list               x            x            x            x            x
    prompts/get                x            x            x            x            x
    completion/complete        x            x            x            x            x
    logging/setLevel           x            x            x            x
    tasks/get                                                         x            x
    tasks/cancel                                                      x            x
    tasks/result                                                      x
    tasks/update                                                                   x
    server/discover                                                                x
    subscriptions/listen                                                           x
    JSON-RPC batch (no method)              x

The methods of prompts, completions, logging and tasks exist only if the server offers these features (NEEDS). Those of
subscriptions exist only if any resource can change.
"""

from __future__ import annotations

from .envelope import CAPABILITIES, VERSION, is_stateless, stateless_revision
from .jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, Fault
from .wire_formats import HANDSHAKE_REVISIONS, STATELESS_REVISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .catalog import Catalog
    from .jsonrpc import Request

_FIRST, _LAST_HANDSHAKE = HANDSHAKE_REVISIONS[0], HANDSHAKE_REVISIONS[-1]
_STATELESS = STATELESS_REVISIONS[0]
_NEWEST = STATELESS_REVISIONS[-1]

#: For each method: the first and the last revision that has it, and the name of its handler in `protocol.Protocol`.
METHODS = {
    "initialize": (_FIRST, _LAST_HANDSHAKE, "_initialize"),
    "ping": (_FIRST, _LAST_HANDSHAKE, "_ping"),
    "tools/list": (_FIRST, _NEWEST, "_list"),
    "tools/call": (_FIRST, _NEWEST, "_call"),
    "resources/list": (_FIRST, _NEWEST, "_feature"),
    "resources/templates/list": (_FIRST, _NEWEST, "_feature"),
    "resources/read": (_FIRST, _NEWEST, "_feature"),
    "resources/subscribe": (_FIRST, _LAST_HANDSHAKE, "_subscribe"),
    "resources/unsubscribe": (_FIRST, _LAST_HANDSHAKE, "_subscribe"),
    "prompts/list": (_FIRST, _NEWEST, "_feature"),
    "prompts/get": (_FIRST, _NEWEST, "_feature"),
    "completion/complete": (_FIRST, _NEWEST, "_feature"),
    "logging/setLevel": (_FIRST, _LAST_HANDSHAKE, "_set_level"),
    "tasks/get": (_LAST_HANDSHAKE, _NEWEST, "_task"),
    "tasks/cancel": (_LAST_HANDSHAKE, _NEWEST, "_task"),
    "tasks/result": (_LAST_HANDSHAKE, _LAST_HANDSHAKE, "_task"),
    "tasks/update": (_STATELESS, _NEWEST, "_task"),
    "server/discover": (_STATELESS, _NEWEST, "_discover"),
    "subscriptions/listen": (_STATELESS, _NEWEST, "_listen"),
}
#: Methods that exist only if the server has prompts, completions, logging or tasks -> the name of that feature.
NEEDS = {
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "completion/complete": "completions",
    "logging/setLevel": "logging",
} | {method: "tasks" for method in METHODS if method.startswith("tasks/")}
#: Short method names, accepted without a handshake, for people and scripts that write their requests by hand.
BARE = {"call_tool": "tools/call", "list_tools": "tools/list"}
_STATELESS_METHODS = {method for method, (since, _, _) in METHODS.items() if since >= _STATELESS}
_WITHOUT_HANDSHAKE = ("initialize", "ping")

#: The only revision of MCP with JSON-RPC batches: one line may hold several messages.
BATCH_REVISION = "2025-03-26"


def method_of(request: Request, agreed: str | None) -> str:
    """Return the method's name as in METHODS. Short names such as `list_tools` are translated.

    `agreed`: the revision of the handshake, or None if there was none.
    """
    if agreed is not None or request.method not in BARE:
        return request.method
    return request.method if is_stateless(request.meta) else BARE[request.method]


def revision_of(request: Request, agreed: str | None) -> str:
    """Return the revision that a request speaks. Raise Fault if this cannot be determined.

    `agreed`: the revision of the handshake, or None if there was none.
    """
    meta = request.meta
    if not isinstance(meta, dict):
        raise Fault(INVALID_PARAMS, "params._meta must be an object.")
    if is_stateless(meta) or request.method in _STATELESS_METHODS:
        return stateless_revision(meta)
    if agreed is not None:
        return agreed
    if request.method in _WITHOUT_HANDSHAKE:
        return _LAST_HANDSHAKE
    if request.method in BARE:
        return _FIRST
    raise Fault(INVALID_PARAMS, f"Send initialize first, or the fields {VERSION} and {CAPABILITIES} in params._meta.")


def handler_of(method: str, revision: str, catalog: Catalog) -> str:
    """Return the name of a method's handler. Raise Fault if `revision` or this server does not have the method."""
    since, until, name = METHODS.get(method, ("", "", ""))
    if not since <= revision <= until or (method in NEEDS and not catalog.offers(NEEDS[method])):
        raise Fault(METHOD_NOT_FOUND, f"There is no method '{method[:64]}' in {revision}.")
    return name
