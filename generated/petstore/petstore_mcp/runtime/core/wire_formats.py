# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""One internal result, and how each revision of MCP writes it.

A result is kept in the shape of the newest revision; the writers here take away and convert what an older one does not
know (`SINCE`). This module is the only place where the revisions differ in form; where they differ in what may be asked
is `protocol`. Pure: values in, JSON text out.
"""

from __future__ import annotations

from .jsonrpc import INTERNAL_ERROR
from .jsontext import dumps, echo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Block: TypeAlias = "dict[str, object]"
    from .table import Identity

#: The revisions, oldest first. They are ISO dates, so `<=` on their names is their order in time.
HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISIONS = ("2026-07-28",)

#: The revision that brought each part of a message that not all of them have.
SINCE = {
    "audio": "2025-03-26",
    "completions": "2025-03-26",
    "message in progress": "2025-03-26",
    "elicitation": "2025-06-18",
    "resource_link": "2025-06-18",
    "structuredContent": "2025-06-18",
    "title of the server": "2025-06-18",
    "description of the server": "2025-11-25",
    "error without id": "2025-11-25",
    "unknown resource is invalid params": "2026-07-28",
    "resultType": "2026-07-28",
    "structuredContent of any type": "2026-07-28",
}

# Decision 0107: With reload lists say that they may change.
#: A compiled set of tools is the same for everyone until the server is generated again.
FIXED = {"ttlMs": 3600000, "cacheScope": "public"}
#: Where that is noticed, it may be at any time; a client that does not listen must not go by what it remembers.
STALE = {"ttlMs": 0, "cacheScope": "public"}
#: What is kept may make room for something else at any time, and what is fetched is another thing by then.
PASSING = {"ttlMs": 0, "cacheScope": "private"}

#: What our one question is called among those that a result asks.
CONFIRM = "confirm"

ABSENT: object = object()
"""What `Result.structured` is where there is none: null is a value."""


def has(revision: str, part: str) -> bool:
    """Whether that revision knows that part of a message, a key of SINCE."""
    return revision >= SINCE[part]


class Result:
    """What a call came to: content blocks in the shape of 2026-07-28, perhaps a JSON value, and whether it failed.

    `written` is the value as JSON in ASCII on one line, "" where nobody has it; whoever changes the value empties it.
    """

    __slots__ = ("content", "is_error", "structured", "written")

    def __init__(self, content: list[Block], structured: object = ABSENT, is_error: bool = False) -> None:
        self.content = content
        self.structured = structured
        self.is_error = is_error
        self.written = ""

    def __str__(self) -> str:
        """What it says: its texts, a line break between them."""
        return "\n".join(str(block["text"]) for block in self.content if block["type"] == "text")

    @classmethod
    def text(cls, text: str) -> Result:
        """A success that is one text."""
        return cls([{"type": "text", "text": text}])

    @classmethod
    def error(cls, text: str) -> Result:
        """A failure of the tool, worded for the model that called it."""
        return cls([{"type": "text", "text": text}], is_error=True)


class Failure:
    """A call that broke the server's own rules, or the client's part of them: a protocol error, not a result. Its
    sentence holds no internals.
    """

    __slots__ = ("code", "data", "sentence")

    def __init__(self, sentence: str, code: int = INTERNAL_ERROR, data: object = None) -> None:
        self.sentence = sentence
        self.code = code
        self.data = data


class Question:
    """A call that needs the user's consent first, in the stateless era: what to ask, and the state to bring back."""

    __slots__ = ("message", "state")

    def __init__(self, message: str, state: str) -> None:
        self.message = message
        self.state = state


class Ended(Exception):
    """Raised where a call ends with something else than a result of its tool."""

    def __init__(self, outcome: Failure | Question) -> None:
        super().__init__()
        self.outcome = outcome


class Contents:
    """What a resource holds: contents in the shape of 2026-07-28, None where there is no such resource; `reason` is a
    sentence, if there is more to say than that. `fixed` is what was compiled.
    """

    __slots__ = ("contents", "fixed", "reason", "uri")

    def __init__(self, uri: str, contents: list[Block] | None, reason: str = "", fixed: bool = False) -> None:
        self.uri = uri
        self.contents = contents
        self.reason = reason
        self.fixed = fixed


def call_result(result: Result, revision: str, server: Identity) -> list[bytes]:
    """CallToolResult, in pieces, so that what is long in it is not copied each time that something is put around it.
    Raises ValueError or TypeError where the result holds what JSON cannot."""
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
    meta = b',"_meta":%b' % dumps(_signature(server)) if stateless else b""
    pieces.append(b',"isError":%b%b}' % (b"true" if result.is_error else b"false", meta))
    return pieces


def input_required_result(question: Question, server: Identity) -> bytes:
    """InputRequiredResult: the question, and the state that the answer must bring."""
    params = {"mode": "form", **_form(question.message)}
    return dumps(
        {
            "resultType": "input_required",
            "inputRequests": {CONFIRM: {"method": "elicitation/create", "params": params}},
            "requestState": question.state,
            "_meta": _signature(server),
        }
    )


def elicitation_params(message: str) -> bytes:
    """The params of elicitation/create in the handshake revisions, where a form is the default or all there is."""
    return dumps(_form(message))


def list_result(revision: str, server: Identity, changes: bool = False) -> tuple[bytes, bytes]:
    """What ListToolsResult has before and behind the array: one page, always. `changes` says whether it ever does."""
    if not has(revision, "resultType"):
        return b'{"tools":', b"}"
    cache = dumps(STALE if changes else FIXED)[1:-1]
    return b'{"resultType":"complete","tools":', b',%b,"_meta":%b}' % (cache, dumps(_signature(server)))


def complete_result(
    members: dict[str, object], revision: str, server: Identity, cache: dict[str, object] | None = None
) -> bytes:
    """A result of these members, which are the same in every revision; `cache` is how long it may be remembered, where
    it has that."""
    if not has(revision, "resultType"):
        return dumps(members)
    return dumps({"resultType": "complete", **members, **(cache or {}), "_meta": _signature(server)})


def discover_result(server: Identity, offered: list[str], changes: bool = False) -> bytes:
    """DiscoverResult. It names the stateless revisions alone: those are what a client may put into `_meta`."""
    return dumps(
        {
            "resultType": "complete",
            "supportedVersions": STATELESS_REVISIONS,
            "capabilities": _capabilities(offered, STATELESS_REVISIONS[-1], changes),
            **_instructions(server),
            "_meta": _signed(_identity(server, STATELESS_REVISIONS[-1])),
            **(STALE if changes else FIXED),
        }
    )


def initialize_result(revision: str, server: Identity, offered: list[str], changes: bool = False) -> bytes:
    """InitializeResult of a handshake revision. `offered` is what there is of `prompts` and `completions`."""
    return dumps(
        {
            "protocolVersion": revision,
            "capabilities": _capabilities(offered, revision, changes),
            "serverInfo": _identity(server, revision),
            **_instructions(server),
        }
    )


def progress_params(token: str | int, done: float, total: float | None, message: str, revision: str) -> bytes:
    """The params of notifications/progress."""
    params: dict[str, object] = {"progress": done}
    if total is not None:
        params["total"] = total
    if message and has(revision, "message in progress"):
        params["message"] = message
    return b'{"progressToken":%b,%b' % (echo(token), dumps(params)[1:])


def acknowledged_params(id: str | int, lists: tuple[str, ...] = ()) -> bytes:  # noqa: A002
    """The params of notifications/subscriptions/acknowledged: of what was asked for, the lists that it will hear of."""
    told = {f"{kind}ListChanged": True for kind in lists}
    return b'%b,"notifications":%b}' % (stream_params(id)[:-1], dumps(told))


def stream_params(id: str | int) -> bytes:  # noqa: A002
    """The params of a notification on the stream that the request with this id opened."""
    return b'{"_meta":{"io.modelcontextprotocol/subscriptionId":%b}}' % echo(id)


def _capabilities(offered: list[str], revision: str, changes: bool) -> dict[str, object]:
    """Resources always: any tool may get an answer that is too large to be shown, and is kept for reading."""
    listed = ["tools", "resources", *(["prompts"] if "prompts" in offered else [])]
    told: dict[str, object] = {kind: {"listChanged": True} if changes else {} for kind in listed}
    return {**told, "completions": {}} if "completions" in offered and has(revision, "completions") else told


def _form(message: str) -> dict[str, object]:
    """A form without fields: to accept it is to say yes. With a field there would be a way to accept and say no."""
    return {"message": message, "requestedSchema": {"type": "object", "properties": {}}}


def _identity(server: Identity, revision: str) -> dict[str, str]:
    """Implementation: who the server is, as far as that revision asks."""
    more = [key for key in ("title", "description") if key in server and has(revision, f"{key} of the server")]
    said: dict[str, Any] = {**server}
    return {key: said[key] for key in ("name", *more, "version")}


def _signed(identity: dict[str, str]) -> dict[str, object]:
    """The `_meta` of a stateless result."""
    return {"io.modelcontextprotocol/serverInfo": identity}


def _signature(server: Identity) -> dict[str, object]:
    """The same in short, for results that come by the thousand."""
    return _signed({"name": server["name"], "version": server["version"]})


def _instructions(server: Identity) -> dict[str, str]:
    return {"instructions": server["instructions"]} if "instructions" in server else {}


def _shows_structured(result: Result, revision: str) -> bool:
    """Errors never: a client checks whatever it gets against the promise that was made for successes."""
    if result.is_error or not has(revision, "structuredContent"):
        return False
    return isinstance(result.structured, dict) or has(revision, "structuredContent of any type")


def _written(block: Block, revision: str, server: str) -> list[bytes]:
    """The content block as that revision knows it, as JSON text, in pieces."""
    kind = block["type"]
    if kind == "text" and len(block) == 2 and "text" in block:
        return [b'{"type":"text","text":', dumps(block["text"]), b"}"]  # as most
    return [dumps(as_known(block, revision, server))]


def as_known(block: Block, revision: str, server: str) -> Block:
    """Return the content block as that revision knows it."""
    kind = block["type"]
    if kind == "audio" and not has(revision, "audio"):
        blob = {"uri": f"{server}://audio", "mimeType": block["mimeType"], "blob": block["data"]}
        return {"type": "resource", "resource": blob}
    if kind == "resource_link" and not has(revision, "resource_link"):
        return {"type": "text", "text": f"{block['name']}: {block['uri']}"}
    return block
