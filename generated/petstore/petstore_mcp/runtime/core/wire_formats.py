# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode internal results as JSON in the form of each MCP revision.

Internally, a result has the form of the newest revision. For older revisions, the functions here remove or convert the
parts that a revision does not have (`SINCE`). All differences in form between revisions are in this module. Differences
in the requests that clients may send are in `protocol`. `Task` is the state of an MCP task, as the outcome of a request
that begins the task or concerns it; the module `tasks` writes it.
"""

from __future__ import annotations

from .jsonrpc import INTERNAL_ERROR, MAX_LINE, answer, dumps, echo, error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, TypeAlias

    from ..questions.forms import FormQuestion
    from ..tables.table import Identity
    from .jsonrpc import Id

    Block: TypeAlias = "dict[str, object]"

    Outcome: TypeAlias = "Result | Failure | Question | Task | Contents | PromptMessages | Reply"
    Asked: TypeAlias = "str | UrlQuestion | FormQuestion"
    Ask: TypeAlias = "Callable[[Asked], Awaitable[object]]"


class Task:
    """State of a task in the response to a request that begins the task or concerns it.

    `answers`: kind of the request: `call`, `get`, `cancel`, `update` or `result`. `status`: working, completed, failed
    or cancelled. `created` and `updated`: ISO 8601. `milliseconds`: lifetime of the task. `interval`: milliseconds
    until the client polls again. `result`: the `wire_formats.Result` of the call, None until it is completed. `lost`: a
    sentence that says why there can be no result, which the tasks extension reports as a protocol error; else "".
    """

    __slots__ = (
        "answers", "created", "id", "interval", "lost", "message", "milliseconds", "result", "status", "updated",
    )  # fmt: skip

    def __init__(
        self,
        id: str,  # noqa: A002
        answers: str,
        status: str,
        created: str,
        updated: str,
        milliseconds: int,
        interval: int,
        message: str = "",
        result: Any = None,
        lost: str = "",
    ) -> None:
        self.id = id
        self.answers = answers
        self.status = status
        self.created = created
        self.updated = updated
        self.milliseconds = milliseconds
        self.interval = interval
        self.message = message
        self.result = result
        self.lost = lost


class FollowedTask:
    """What telemetry records of the MCP task that a call began or asked about. It never contains the task's id.

    `digest`: short digest of the id, equal for all calls about one task. `status`: as in Task.
    """

    __slots__ = ("digest", "status", "tool")

    def __init__(self, tool: str, digest: str, status: str) -> None:
        self.tool = tool
        self.digest = digest
        self.status = status


#: MCP revisions, oldest first. They are ISO dates, so string comparison with `<=` orders them in time.
HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISIONS = ("2026-07-28",)

#: Feature of MCP messages (a member, a content type or a behaviour) -> first MCP revision that has it.
SINCE = {
    "audio": "2025-03-26",
    "completions": "2025-03-26",
    "message in progress": "2025-03-26",
    "elicitation": "2025-06-18",
    "lastModified": "2025-06-18",
    "resource_link": "2025-06-18",
    "structuredContent": "2025-06-18",
    "title of the server": "2025-06-18",
    "description of the server": "2025-11-25",
    "elicitation by URL": "2025-11-25",
    "error without id": "2025-11-25",
    "tasks": "2025-11-25",
    "unknown resource is invalid params": "2026-07-28",
    "resultType": "2026-07-28",
    "structuredContent of any type": "2026-07-28",
}

#: Cache lifetime of lists without --reload: they are the same for every client until the server is generated again.
FIXED = {"ttlMs": 3600000, "cacheScope": "public"}
#: Cache lifetime of lists with --reload: the server may load new lists at any time. A client without a subscription is
#: not notified, so it must not cache them.
STALE = {"ttlMs": 0, "cacheScope": "public"}
#: Clients must not cache resource contents: at any time, a stored result may be evicted or a fetched resource change.
#: Lists that differ between callers must not be cached either: with another token, a caller may get more tools.
PASSING = {"ttlMs": 0, "cacheScope": "private"}

#: Name and version of a server -> its signature in results, as JSON text.
_signatures: dict[tuple[str, str], bytes] = {}

#: Key of a question that asks the user to confirm, in the `inputRequests` of a result.
CONFIRM = "confirm"

#: Key of a question that asks the user to log in, in the `inputRequests` of a result.
LOGIN = "login"

#: Prefix of a `requestState` that belongs to a login. States of confirmations do not have this prefix.
LOGIN_STATE = "login."

META = "io.modelcontextprotocol/"
TASKS = META + "tasks"
#: Feature that is an extension of MCP (since 2026-07-28) -> the settings that a server declares, and further methods.
EXTENSIONS: dict[str, tuple[Block, tuple[str, ...]]] = {
    "skills": ({"directoryRead": True}, ("skills/list", "skills/get", "resources/directory/read")),
    "tasks": ({}, ()),
}

ABSENT: object = object()
"""Value of `Result.structured` if there is none; None stands for JSON null."""


def has(revision: str, part: str) -> bool:
    """Return True if messages of the MCP revision `revision` can have the part `part`, a key of SINCE."""
    return revision >= SINCE[part]


class Result:
    """Result of a call: content blocks as in MCP 2026-07-28, an optional JSON value, and whether the call failed.

    `written`: cache of the JSON value as ASCII text on one line, "" if not computed. Code that changes the value must
    set `written` to "".
    """

    __slots__ = ("content", "is_error", "structured", "written")

    def __init__(self, content: list[Block], structured: object = ABSENT, is_error: bool = False) -> None:
        self.content = content
        self.structured = structured
        self.is_error = is_error
        self.written = ""

    def __str__(self) -> str:
        """Return the texts of the result, joined by line breaks."""
        return "\n".join(str(block["text"]) for block in self.content if block["type"] == "text")

    @classmethod
    def text(cls, text: str) -> Result:
        """Return a successful result with one text."""
        return cls([{"type": "text", "text": text}])

    @classmethod
    def error(cls, text: str) -> Result:
        """Return a failed result (`isError`) with a text for the model."""
        return cls([{"type": "text", "text": text}], is_error=True)


class Failure:
    """Protocol error in place of a result, for a call that broke the rules of MCP or of the server.

    `sentence` reveals no internals.
    """

    __slots__ = ("code", "data", "sentence")

    def __init__(self, sentence: str, code: int = INTERNAL_ERROR, data: object = None) -> None:
        self.sentence = sentence
        self.code = code
        self.data = data


class UrlQuestion:
    """Question that the user answers by opening a URL (elicitation mode `url`). `id` names the question."""

    __slots__ = ("id", "message", "url")

    def __init__(self, message: str, url: str, id: str) -> None:  # noqa: A002
        self.message = message
        self.url = url
        self.id = id


class Question:
    """Question to the user that ends a call, in stateless revisions of MCP: its text, and the state that the repeated
    call must carry.

    `visit` is set if the user answers by opening a URL, and `form` if the user fills in fields.
    """

    __slots__ = ("form", "message", "state", "visit")

    def __init__(
        self, message: str, state: str, visit: UrlQuestion | None = None, form: FormQuestion | None = None
    ) -> None:
        self.message = message
        self.state = state
        self.visit = visit
        self.form = form


class OtherOutcome(Exception):
    """Raised to end a call with an outcome other than a result of its tool."""

    def __init__(self, outcome: Failure | Question | Task) -> None:
        super().__init__()
        self.outcome = outcome


class Contents:
    """Result of reading a resource. `contents`: as in MCP 2026-07-28, or None if there is no such resource.

    `reason`: a sentence that says why there is no such resource, or "". `fixed`: the content is from resources.json.
    """

    __slots__ = ("contents", "fixed", "reason", "uri")

    def __init__(self, uri: str, contents: list[Block] | None, reason: str = "", fixed: bool = False) -> None:
        self.uri = uri
        self.contents = contents
        self.reason = reason
        self.fixed = fixed


class PromptMessages:
    """Result of `prompts/get`: messages with content blocks as in MCP 2026-07-28, and a description or ""."""

    __slots__ = ("description", "messages")

    def __init__(self, messages: list[dict[str, Any]], description: str = "") -> None:
        self.messages = messages
        self.description = description


class Reply:
    """Result of an MCP method that has no result class of its own. `cache`: its `ttlMs` and `cacheScope`, or None."""

    __slots__ = ("cache", "members", "method")

    def __init__(self, method: str, members: Block, cache: Block | None = None) -> None:
        self.method = method
        self.members = members
        self.cache = cache


RESULT_TOO_LARGE = (
    "The result takes {} bytes, more than clients read in one message. Ask for less: a smaller page, fewer fields."
)


def result_line(id: Id, result: Result, revision: str, server: Identity) -> bytes:  # noqa: A002
    """Return the response line with the result of a tool. `server`: the server's name and version."""
    try:
        line = answer(id, *call_result(result, revision, server))
    except Exception:  # a hook may return values that JSON cannot hold, such as NaN or a set, or a block without a type
        return error(id, INTERNAL_ERROR, "The result of this tool cannot be written as JSON.")
    if len(line) <= MAX_LINE:
        return line
    return result_line(id, Result.error(RESULT_TOO_LARGE.format(len(line))), revision, server)


def call_result(result: Result, revision: str, server: Identity) -> list[bytes]:
    """Return CallToolResult as JSON in pieces, so that the response around it can be written without a copy of long
    content.

    Raise ValueError or TypeError if the result has a value that JSON cannot represent.
    """
    stateless = has(revision, "resultType")
    pieces = [b'{"resultType":"complete","content":[' if stateless else b'{"content":[']
    for block in result.content:
        pieces += _written(block, revision, server["name"])
        pieces.append(b",")
    if result.content:
        pieces.pop()
    if result.structured is not ABSENT and _shows_structured(result, revision):
        pieces += b'],"structuredContent":', result.written.encode("ascii") or dumps(result.structured)
    else:
        pieces.append(b"]")
    meta = b',"_meta":%b' % _written_signature(server) if stateless else b""
    pieces.append(b',"isError":%b%b}' % (b"true" if result.is_error else b"false", meta))
    return pieces


def input_required_result(question: Question, revision: str, server: Identity) -> bytes:
    """Return InputRequiredResult as JSON: the question, and the state that the answer must carry, if any."""
    name, params = CONFIRM, {"mode": "form", **_form(question.message)}
    if question.form is not None:
        name, params = question.form.name, {"mode": "form", **question.form.params(revision)}
    if question.visit is not None:
        name, params = LOGIN, {"mode": "url", "message": question.message, "url": question.visit.url}
    return dumps(
        {
            "resultType": "input_required",
            "inputRequests": {name: {"method": "elicitation/create", "params": params}},
            **({"requestState": question.state} if question.state else {}),
            "_meta": _signature(server),
        }
    )


def elicitation_params(question: Asked, revision: str) -> bytes:
    """Return the params of elicitation/create for a revision with `initialize`, where the default mode is `form`."""
    if isinstance(question, UrlQuestion):
        url = {"mode": "url", "elicitationId": question.id, "url": question.url, "message": question.message}
        return dumps(url)
    return dumps(_form(question) if isinstance(question, str) else question.params(revision))


def list_result(revision: str, server: Identity, changes: bool = False, private: bool = False) -> tuple[bytes, bytes]:
    """Return the JSON of ListToolsResult before and after the array of tools. All tools are on one page.

    `changes`: the list can change (reload). `private`: other callers may get other tools.
    """
    if not has(revision, "resultType"):
        return b'{"tools":', b"}"
    cache = dumps(PASSING if private else STALE if changes else FIXED)[1:-1]
    return b'{"resultType":"complete","tools":', b',%b,"_meta":%b}' % (cache, dumps(_signature(server)))


def complete_result(
    members: dict[str, object], revision: str, server: Identity, cache: dict[str, object] | None = None
) -> bytes:
    """Return a result with these members as JSON, in the form of `revision`. `cache`: its cache lifetime, or None."""
    if not has(revision, "resultType"):
        return dumps(members)
    return dumps({"resultType": "complete", **members, **(cache or {}), "_meta": _signature(server)})


def get_prompt_result(prompt: PromptMessages, revision: str, server: Identity) -> bytes:
    """Return GetPromptResult as JSON, in the form of `revision`."""
    messages = [{**each, "content": as_known(each["content"], revision, server["name"])} for each in prompt.messages]
    described = {"description": prompt.description} if prompt.description else {}
    return complete_result({**described, "messages": messages}, revision, server)


def discover_result(revision: str, server: Identity, offered: list[str], changes: bool = False) -> bytes:
    """Return DiscoverResult as JSON.

    It lists only stateless revisions, since a client must put one of them into `_meta`.
    """
    return dumps(
        {
            "resultType": "complete",
            "supportedVersions": STATELESS_REVISIONS,
            "capabilities": _capabilities(offered, revision, changes),
            **_instructions(server),
            "_meta": _signed(_identity(server, revision)),
            **(STALE if changes else FIXED),
        }
    )


def initialize_result(revision: str, server: Identity, offered: list[str], changes: bool = False) -> bytes:
    """Return InitializeResult as JSON. `offered`: those of `prompts` and `completions` that the server has."""
    return dumps(
        {
            "protocolVersion": revision,
            "capabilities": _capabilities(offered, revision, changes),
            "serverInfo": _identity(server, revision),
            **_instructions(server),
        }
    )


def progress_params(token: str | int, done: float, total: float | None, message: str, revision: str) -> bytes:
    """Return the params of notifications/progress as JSON."""
    params: dict[str, object] = {"progress": done}
    if total is not None:
        params["total"] = total
    if message and has(revision, "message in progress"):
        params["message"] = message
    return b'{"progressToken":%b,%b' % (echo(token), dumps(params)[1:])


def log_params(level: str, logger: str, content: object) -> bytes:
    """Return the params of notifications/message as JSON."""
    return dumps({"level": level, "logger": logger, "data": content})


def _capabilities(offered: list[str], revision: str, changes: bool) -> dict[str, object]:
    """Return ServerCapabilities. Resources are always offered, because any tool may store a large answer."""
    listed = ["tools", "resources", *(["prompts"] if "prompts" in offered else [])]
    told: dict[str, object] = {kind: {"listChanged": True} if changes else {} for kind in listed}
    if "subscriptions" in offered:
        told["resources"] = {**({"listChanged": True} if changes else {}), "subscribe": True}
    if "completions" in offered and has(revision, "completions"):
        told["completions"] = {}
    if "logging" in offered:
        told["logging"] = {}
    if revision in STATELESS_REVISIONS and (own := EXTENSIONS.keys() & offered):
        told["extensions"] = {META + each: EXTENSIONS[each][0] for each in sorted(own)}
    elif "tasks" in offered and has(revision, "tasks"):
        told["tasks"] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
    return told


def _form(message: str) -> dict[str, object]:
    """Return the parameters of a form without fields: accepting the form means yes.

    With a yes/no field, a user could accept the form and still say no.
    """
    return {"message": message, "requestedSchema": {"type": "object", "properties": {}}}


def _identity(server: Identity, revision: str) -> dict[str, str]:
    """Return MCP's Implementation object: name and version of the server, in the form of `revision`."""
    more = [key for key in ("title", "description") if key in server and has(revision, f"{key} of the server")]
    said: dict[str, Any] = {**server}
    return {key: said[key] for key in ("name", *more, "version")}


def _signed(identity: dict[str, str]) -> dict[str, object]:
    """Return the `_meta` of a result in stateless revisions of MCP: it contains the `identity` of the server."""
    return {META + "serverInfo": identity}


def _signature(server: Identity) -> dict[str, object]:
    """Return the `_meta` of all results except DiscoverResult: only name and version of the server, to be short."""
    return _signed({"name": server["name"], "version": server["version"]})


def _written_signature(server: Identity) -> bytes:
    """Return the JSON text of `_signature(server)`, which is the same for every result of a server."""
    key = server["name"], server["version"]
    if (written := _signatures.get(key)) is None:
        written = _signatures[key] = dumps(_signature(server))
    return written


def _instructions(server: Identity) -> dict[str, str]:
    return {"instructions": server["instructions"]} if "instructions" in server else {}


def _shows_structured(result: Result, revision: str) -> bool:
    """Return True if `structuredContent` is sent to a client of `revision`.

    Errors never have it, because clients check it against the output schema, which describes successes.
    """
    if result.is_error or not has(revision, "structuredContent"):
        return False
    return isinstance(result.structured, dict) or has(revision, "structuredContent of any type")


def _written(block: Block, revision: str, server: str) -> list[bytes]:
    """Return a content block as JSON text in pieces, in the form of `revision`."""
    kind = block["type"]
    if kind == "text" and len(block) == 2 and "text" in block:
        return [b'{"type":"text","text":', dumps(block["text"]), b"}"]  # fast path: most blocks are text
    return [dumps(as_known(block, revision, server))]


def as_known(block: Block, revision: str, server: str) -> Block:
    """Return a content block that the MCP revision `revision` defines: audio may become an embedded resource, and a
    resource link a text. `server`: name of the server.
    """
    kind, told = block["type"], block.get("annotations")
    if isinstance(told, dict) and "lastModified" in told and not has(revision, "lastModified"):
        block = {**block, "annotations": {key: each for key, each in told.items() if key != "lastModified"}}
    if kind == "audio" and not has(revision, "audio"):
        blob = {"uri": f"{server}://audio", "mimeType": block["mimeType"], "blob": block["data"]}
        return {"type": "resource", "resource": blob}
    if kind == "resource_link" and not has(revision, "resource_link"):
        return {"type": "text", "text": f"{block['name']}: {block['uri']}"}
    return block
