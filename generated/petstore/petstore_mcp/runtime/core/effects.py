# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Effects: the actions that the protocol wants performed after a message.

The protocol only returns effects; other modules perform them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ..identity.identity import Identity
    from ..tables.table import CompletionSource, Prompt, Resource
    from .catalog import Catalog
    from .jsonrpc import Id, Members
    from .spans import Span
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


class Peer:
    """Sender of an HTTP request to this server.

    `principal` is the verified name of the caller, "" without authentication. `session` is a digest of the session id,
    "" without a session. `address` is the network address. `identity` holds the claims of a checked access token.
    `given` holds the header fields that the operator lets a gateway set, by lower-case name; their values are secrets.
    `trace` is the `traceparent` of the HTTP request, unchecked.
    """

    __slots__ = ("address", "given", "identity", "principal", "session", "trace")

    def __init__(
        self, principal: str = "", session: str = "", address: str = "", identity: Identity | None = None
    ) -> None:
        self.principal = principal
        self.session = session
        self.address = address
        self.identity = identity
        self.given: dict[str, str] = {}
        self.trace = ""

    @property
    def owner(self) -> str:
        """Return the key of the owner of private data, such as stored results: the principal, else the session."""
        return self.principal or self.session

    @property
    def caller(self) -> str:
        """Return what identifies the caller for limits per caller: principal, else session, else network address."""
        return self.principal or self.session or self.address


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
