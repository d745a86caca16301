# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read what a request says, and define the effects by which the protocol tells the server what to do.

The envelope of a request says which revision of MCP it speaks, which method it calls, and what its client can do. The
protocol answers with effects: actions to perform, such as sending a line or calling a tool. The protocol only returns
effects; other modules perform them.

Functions raise Fault if a field that they read is invalid.

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
    skills/list                                                                    x
    skills/get                                                                     x
    resources/directory/read                                                       x
    subscriptions/listen                                                           x
    JSON-RPC batch (no method)              x

Methods of a feature, such as prompts, exist only if the server offers the feature (NEEDS). Those of subscriptions
exist only if any resource can change."""

from __future__ import annotations

from .jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, Fault, id_of
from .wire_formats import EXTENSIONS, HANDSHAKE_REVISIONS, META, STATELESS_REVISIONS, has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ..tables.table import CompletionSource, Prompt, Resource
    from .catalog import Catalog
    from .jsonrpc import Id, Members, Message, Request
    from .spans import Peer, Span
    from .wire_formats import Contents

    Effect: TypeAlias = "Send | Call | RejectedCall | ReadResource | Cancel | UserAnswer | Preload | PollResources"
    FindResource: TypeAlias = "Callable[[str], Contents | Fetched | None]"


class Send:
    """Action to perform: write a line to the client now. A long line consists of several `pieces`."""

    __slots__ = ("pieces",)

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces

    @property
    def line(self) -> bytes:
        return b"".join(self.pieces)


class SendError(Send):
    """Action to perform: write an error response to the client now. `code` and `sentence`: those of the error."""

    __slots__ = ("code", "sentence")

    def __init__(self, line: bytes, code: int, sentence: str) -> None:
        super().__init__(line)
        self.code = code
        self.sentence = sentence


class Dialogue:
    """How the server can ask the user about a call, and what else the client supports.

    `way` is `request` (ask while the call runs), `result` (end the call with a question; the client calls again with
    the answer), or empty (cannot ask). `urls` is the same for questions that open a URL. A repeated call carries
    `state` and `responses`. `tasks`: the call may become an MCP task. `task_seconds`: how long the client wants that
    task stored, 0 if it does not say. `declares`: the client's other capabilities, such as `sampling`.
    """

    __slots__ = ("declares", "responses", "revision", "state", "task_seconds", "tasks", "urls", "way")

    def __init__(
        self,
        way: str,
        revision: str,
        state: str | None = None,
        responses: Members | None = None,
        urls: str = "",
        declares: frozenset[str] = frozenset(),
    ) -> None:
        self.declares = declares
        self.urls = urls
        self.way = way
        self.revision = revision
        self.state = state
        self.responses = responses or {}
        self.tasks = False
        self.task_seconds = 0.0

    def with_answers(self, state: str | None, responses: Members | None) -> Dialogue:
        """Return a copy of this dialogue with `state` and the user's answers `responses` in place of its own."""
        found = Dialogue(self.way, self.revision, state, responses, self.urls, self.declares)
        found.tasks, found.task_seconds = self.tasks, self.task_seconds
        return found


class Handshake:
    """Result of the handshake (`initialize`) with a client. With it, another process can continue the session.

    `asks`: the user can be asked by forms. `urls`: the user can be asked to open URLs. `client`: the client's name and
    version, unchecked. `began`: Unix time of the handshake if it was read from a session id (over HTTP), else 0.
    `declares`: the client's other capabilities, such as `sampling`.
    """

    __slots__ = ("asks", "began", "client", "declares", "revision", "urls")

    def __init__(
        self,
        revision: str,
        asks: bool,
        client: object,
        urls: bool = False,
        began: float = 0.0,
        declares: frozenset[str] = frozenset(),
    ) -> None:
        self.began = began
        self.declares = declares
        self.revision = revision
        self.asks = asks
        self.client = client
        self.urls = urls


class PollResources:
    """Action to perform: begin to poll the resources that clients have subscribed to."""

    __slots__ = ()


class Origin:
    """Caller and trace of a call, as the client states them. Only `peer` is verified: principal, session and network
    address over HTTP, None over stdio.
    """

    __slots__ = ("client", "peer", "traceparent", "tracestate")

    def __init__(
        self,
        client: object = None,
        traceparent: object = None,
        tracestate: object = None,
        peer: Peer | None = None,
    ) -> None:
        self.client = client
        self.traceparent = traceparent
        self.tracestate = tracestate
        self.peer = peer


class Call:
    """Action to perform: run a tool and pass its outcome to `Protocol.finished`, where `key` identifies the request.

    Progress is reported if `progress_token` is set. The client gets log messages of `log_level` and higher levels (an
    index of envelope.LOG_LEVELS, None for no messages). `span` observes the call once its execution begins. `offered`:
    the tools that this caller may use, for calls that search tools or call other tools.
    """

    __slots__ = ("arguments", "dialogue", "key", "log_level", "name", "offered", "origin", "progress_token", "span")

    kind = "tool"
    """What is called: `tool`, `resource`, `prompt`, `task` or `completion`."""

    def __init__(
        self,
        key: int,
        name: str,
        arguments: Members,
        progress_token: Id | None,
        dialogue: Dialogue,
        origin: Origin | None = None,
    ) -> None:
        self.key = key
        self.name = name
        self.arguments = arguments
        self.progress_token = progress_token
        self.dialogue = dialogue
        self.origin = origin
        self.log_level: int | None = None
        self.offered: Catalog | None = None
        self.span: Span | None = None


class Fetch(Call):
    """Action to perform: read a resource by an HTTP request to the API. The request runs like that of a tool call.

    `entry`: the resource's entry in resources.json. `name` is the resource's URI template, and `arguments` are the
    template's variables. The outcome is a `wire_formats.Contents`, or the reason why there is none. `keeps`: True if a
    large answer is stored, so that the client can read it later. `key`: identifies the client's pending request in
    `Protocol.finished`; `core.protocol` sets it.
    """

    __slots__ = ("entry", "keeps", "uri")

    kind = "resource"

    def __init__(
        self, uri: str, entry: Resource, arguments: Members, revision: str, origin: Origin | None, key: int = 0
    ) -> None:
        listed = entry["listed"]
        name = str(listed.get("uriTemplate") or listed["uri"])
        super().__init__(key, name, arguments, None, Dialogue("", revision), origin)
        self.uri = uri
        self.entry = entry
        self.keeps = True

    @property
    def request(self) -> str:
        """Return METHOD and path of the request, as in the API description."""
        binding = self.entry["binding"]
        return f"{binding['method']} {binding['operation']['path']}"


class Fetched:
    """A resource that must be fetched from the upstream API.

    `entry`: the resource's entry in resources.json. `variables`: values of the variables in its URI template.
    """

    __slots__ = ("entry", "variables")

    def __init__(self, entry: Resource, variables: dict[str, object]) -> None:
        self.entry = entry
        self.variables = variables


class GetPrompt(Call):
    """Action to perform: make the messages of a prompt that needs a resource from the upstream, or an answer of the
    user.

    `entry`: the prompt's entry in prompts.json. `arguments`: checked arguments of the prompt. `find(uri)` returns the
    resource at a URI. The outcome is a `wire_formats.PromptMessages`, or the reason why there is none.
    `key`, which `core.protocol` sets, tells `Protocol.finished` which request is answered.
    """

    __slots__ = ("entry", "find")

    kind = "prompt"

    def __init__(
        self, entry: Prompt, arguments: Members, find: FindResource, dialogue: Dialogue, origin: Origin, key: int = 0
    ) -> None:
        super().__init__(key, entry["listed"]["name"], arguments, None, dialogue, origin)
        self.entry = entry
        self.find = find


class TaskRequest(Call):
    """Action to perform: answer a request about a task: `action` is `get`, `cancel`, `update` or `result`.

    `task`: id of the task. `name`: the tool whose call began the task; "" until this name is decoded from the id.
    """

    __slots__ = ("action", "task")

    kind = "task"

    def __init__(self, key: int, action: str, task: str, revision: str, token: Id | None, origin: Origin) -> None:
        super().__init__(key, "", {}, token, Dialogue("", revision), origin)
        self.action = action
        self.task = task


class Complete(Call):
    """Action to perform: fetch values for the completion of an argument by a request to the upstream.

    `name`: the prompt or URI template, a space, and the name of the argument to complete. `arguments`: those of the
    request to the upstream. `begun`: what the user has typed. The outcome is a `wire_formats.Reply`, without values if
    they cannot be fetched. `key`, which `core.protocol` sets, tells `Protocol.finished` which request is answered.
    """

    __slots__ = ("begun", "source")

    kind = "completion"

    def __init__(
        self, name: str, source: CompletionSource, begun: str, arguments: Members, revision: str, origin: Origin
    ) -> None:
        super().__init__(0, name, arguments, None, Dialogue("", revision), origin)
        self.source = source
        self.begun = begun

    def fetch(self) -> Fetch:
        """Return the `Fetch` that requests the completion's values from the API.

        Unlike a large response of a resource, a large response is not stored for the client to read later.
        """
        entry: Resource = {"listed": {"uri": self.name}, "binding": self.source["binding"]}
        wanted = Fetch(self.name, entry, self.arguments, self.dialogue.revision, self.origin, self.key)
        wanted.keeps = False
        return wanted


class RejectedCall:
    """Action to perform: write a line in the audit log for a tool call that was answered with a protocol error and
    never began.
    """

    __slots__ = ("name", "origin")

    def __init__(self, name: object, origin: Origin) -> None:
        self.name = name
        self.origin = origin


class ReadResource:
    """Action to perform: look up a stored result by its URI, and pass its `wire_formats.Contents` to
    `Protocol.finished`.

    `key`, which `core.protocol` sets, tells `Protocol.finished` which request is answered.
    """

    __slots__ = ("key", "uri")

    def __init__(self, uri: str, key: int = 0) -> None:
        self.key = key
        self.uri = uri


class Cancel:
    """Action to perform: stop the call with this key; its outcome is not sent."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key


class UserAnswer:
    """Action to perform: give the user's answer to the call with this key, which asked the question.

    `reply` is None if the answer is unreadable or will never come.
    """

    __slots__ = ("key", "reply")

    def __init__(self, key: int, reply: object) -> None:
        self.key = key
        self.reply = reply


class Preload:
    """Action to perform: import modules that calls need. The client has just listed the tools, so a call is likely."""

    __slots__ = ()


VERSION, CAPABILITIES, _LOG_LEVEL = META + "protocolVersion", META + "clientCapabilities", META + "logLevel"
_CLIENT = META + "clientInfo"
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
    """Return which of the capabilities `sampling` and `roots` a client declares, and `ui` if it shows views (MCP Apps).

    `takes_forms` and `takes_urls` read `elicitation`, the capability for questions to the user.
    """
    found = {each for each in ("sampling", "roots") if isinstance(capabilities, dict) and each in capabilities}
    shown = capabilities
    for key in ("extensions", META + "ui", "mimeTypes"):
        shown = shown.get(key) if isinstance(shown, dict) else None
    return frozenset(found | {"ui"} if isinstance(shown, list) and "text/html;profile=mcp-app" in shown else found)


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


_FIRST, _LAST_HANDSHAKE = HANDSHAKE_REVISIONS[0], HANDSHAKE_REVISIONS[-1]
_STATELESS = STATELESS_REVISIONS[0]
_NEWEST = STATELESS_REVISIONS[-1]

_OF_EXTENSIONS = {method: feature for feature, (_, methods) in EXTENSIONS.items() for method in methods}
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
    **dict.fromkeys(_OF_EXTENSIONS, (_STATELESS, _NEWEST, "_feature")),
}
#: Methods that exist only if the server has a feature -> the feature's name.
NEEDS = {
    **dict.fromkeys(("prompts/list", "prompts/get"), "prompts"),
    "completion/complete": "completions",
    "logging/setLevel": "logging",
    **_OF_EXTENSIONS,
} | {method: "tasks" for method in METHODS if method.startswith("tasks/")}
#: Short method names, accepted without a handshake, for people and scripts that write their requests by hand.
BARE = {"call_tool": "tools/call", "list_tools": "tools/list"}
_STATELESS_METHODS = {method for method, (since, _, _) in METHODS.items() if since >= _STATELESS} - {*_OF_EXTENSIONS}
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
