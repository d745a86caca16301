"""Check that a server's messages are valid MCP, by rules written by hand from the specification, without a schema.

An `Exchange` follows one connection. It reads what the client writes, so it knows to which revision, method and
progress token a response belongs. It checks each line of the server: its JSON, the request that it answers, and what
the revision allows in it. It uses no code of the runtime. Section numbers are those of `protocol.md`, which collects
the specification's pages.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

Object = dict[str, Any]
Id = str | int

REVISIONS = R1, R2, R3, R4, R5 = "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"
CODES = {-32700, -32600, -32601, -32602, -32603, -32002, -32021, -32022}
LONGEST_LINE = 10 * 1024 * 1024  # the longest line that the TypeScript clients can read
BLOCKS = {"text": R1, "image": R1, "resource": R1, "audio": R2, "resource_link": R3}
# members of a tool that our servers may send; MCP defines more
TOOL_KEYS = {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
HINTS = {"title": str, "readOnlyHint": bool, "destructiveHint": bool, "idempotentHint": bool, "openWorldHint": bool}
SERVER_KEYS = {"name": R1, "version": R1, "title": R3, "description": R4, "icons": R4, "websiteUrl": R4}


class Message(NamedTuple):
    """A valid message of the server. `method`: that of the message, or of the request that the message answers."""

    revision: str
    method: str
    content: Object


@dataclass(slots=True)
class Asked:
    """A request without a response yet. `acknowledged`: the changes that a subscription stream has promised
    to report.
    """

    method: str
    revision: str
    token: Id | None
    acknowledged: Object | None = None
    progress: float = float("-inf")


class Exchange:
    """One connection between a correct client and the server. `changes`: True if the server's tools may change."""

    def __init__(self, changes: bool = False) -> None:
        self.agreed: str | None = None
        self._changes = changes
        self._initialized = False
        self._open: dict[Id, Asked] = {}
        # `_questions` has the ids of the server's requests without the cancelled ones. `_asked` has all ids, since
        # a response may arrive after the cancellation.
        self._questions: set[str] = set()
        self._asked: set[str] = set()

    def heard(self, line: bytes) -> None:
        """Record a line that the client wrote."""
        message = json.loads(line)
        params = message.get("params", {})
        if "method" not in message:
            assert message["id"] in self._asked
        elif message.get("method") == "notifications/cancelled":
            self._open.pop(params["requestId"], None)
        elif message["method"] == "notifications/initialized":
            self._initialized = True
        elif "id" in message:
            meta = params.get("_meta", {})
            revision = meta.get(META + "protocolVersion", self.agreed or R4)
            self._open[message["id"]] = Asked(message["method"], revision, meta.get("progressToken"))

    def judged(self, line: bytes) -> Message:
        """Check a line of the server, and return it as a Message. Raise AssertionError if the line is not valid MCP."""
        message = _written(line)
        assert message["jsonrpc"] == "2.0"
        if "method" in message:
            return self._asks(message) if "id" in message else self._notification(message)
        assert "id" in message, "nothing that was asked here is unreadable"
        assert type(message["id"]) in (str, int)
        asked = self._open.pop(message["id"], None)
        assert asked is not None, f"an answer to {message['id']!r}: never asked, answered twice, or cancelled"
        if "error" in message:
            _error(message, asked.revision)
        else:
            self._result(message, asked)
        return Message(asked.revision, asked.method, message)

    def ended(self) -> None:
        """Check that every request has a response, except for cancelled requests and open streams.

        Call this at the end of the connection.
        """
        calls = [asked for asked in self._open.values() if asked.acknowledged is None]
        assert not calls, f"no answer to {calls}"

    def _asks(self, message: Object) -> Message:
        """Check a request from the server, allowed only in 2025-06-18 and 2025-11-25 (`protocol.md`, section 6)."""
        assert message.keys() == {"jsonrpc", "id", "method", "params"}
        assert self.agreed in (R3, R4), "nothing is asked of this client by a request"
        assert message["method"] == "elicitation/create"
        assert isinstance(message["id"], str)
        assert message["id"] not in self._asked
        self._asked.add(message["id"])
        self._questions.add(message["id"])
        _form(message["params"])
        return Message(self.agreed, message["method"], message)

    def _notification(self, message: Object) -> Message:
        if message["method"] in ("notifications/tools/list_changed", "notifications/subscriptions/acknowledged"):
            return self._change(message)
        if message["method"] != "notifications/cancelled":
            return self._progress(message)
        assert message["params"]["requestId"] in self._questions, "only what it asked"
        self._questions.remove(message["params"]["requestId"])
        return Message(self.agreed or R4, message["method"], message)

    def _change(self, message: Object) -> Message:
        """Check a notification about changes (`protocol.md`, section 8): a stream first confirms the kinds that it
        reports, then reports them.
        """
        assert message.keys() == {"jsonrpc", "method", "params"}
        params = message["params"]
        if params == {}:
            assert self._changes
            assert self._initialized, "nothing is sent to a client that has not said that it is ready"
            return Message(self.agreed or R4, message["method"], message)
        stream = self._open[params["_meta"][META + "subscriptionId"]]
        assert stream.method == "subscriptions/listen"
        if message["method"] == "notifications/subscriptions/acknowledged":
            assert stream.acknowledged is None
            assert params["notifications"] == ({"toolsListChanged": True} if self._changes else {})
            stream.acknowledged = params["notifications"]
        else:
            assert stream.acknowledged == {"toolsListChanged": True}
        return Message(R5, message["method"], message)

    def _result(self, message: Object, asked: Asked) -> None:
        assert message.keys() == {"jsonrpc", "id", "result"}
        result = message["result"]
        if asked.method == "initialize":
            self.agreed = asked.revision = result["protocolVersion"]
        if asked.method in ("initialize", "server/discover"):
            _capabilities(result["capabilities"], self._changes)
        if asked.revision == R5 and result.get("resultType") == "input_required":
            assert asked.method == "tools/call"
            _input_required(result)
            return
        RULES[asked.method](result, asked.revision)
        if asked.revision < R5:
            assert not {"resultType", "ttlMs", "cacheScope"} & result.keys(), "parts of a later revision"
        else:
            assert result["resultType"] == "complete"
            _implementation(result["_meta"][META + "serverInfo"], R5)

    def _progress(self, message: Object) -> Message:
        assert message.keys() == {"jsonrpc", "method", "params"}
        assert message["method"] == "notifications/progress"
        params = message["params"]
        token = params["progressToken"]
        asked = next((asked for asked in self._open.values() if _alike(asked.token, token)), None)
        assert asked is not None, f"progress for {token!r}, which no running call gave"
        assert type(params["progress"]) in (int, float)
        assert params["progress"] > asked.progress, "progress goes forward"
        asked.progress = params["progress"]
        assert "total" not in params or params["total"] >= params["progress"]
        assert params.keys() <= {"progressToken", "progress", "total", "message"}
        assert "message" not in params or asked.revision >= R2, "messages came with 2025-03-26"
        return Message(asked.revision, message["method"], message)


def _alike(one: object, other: object) -> bool:
    """Return True if two ids or tokens are the same. The ids 7 and "7" differ."""
    return type(one) is type(other) and one == other


# -- JSON of a line (`protocol.md`, sections 1 and 11) -----------------------------------------------------------------


def _written(line: bytes) -> Object:
    assert line.endswith(b"\n")
    assert not re.search(rb"[\r\n]", line[:-1]), "one message, one line"
    assert len(line) < LONGEST_LINE
    message = json.loads(line.decode("utf-8"), object_pairs_hook=_members, parse_constant=_refused)
    assert isinstance(message, dict)
    for text in _texts(message):
        text.encode("utf-8")  # refuse lone surrogates, which make the Python clients hang
    return message


def _members(pairs: list[tuple[str, Any]]) -> Object:
    assert len(dict(pairs)) == len(pairs), "a key is named twice"
    return dict(pairs)


def _refused(name: str) -> object:
    raise AssertionError(f"{name} is not JSON")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)


# -- Contents of each result (`protocol.md`, sections 2 to 5) ----------------------------------------------------------


def _error(message: Object, revision: str) -> None:
    assert message.keys() == {"jsonrpc", "id", "error"}
    error = message["error"]
    assert error.keys() <= {"code", "message", "data"}
    assert type(error["code"]) is int
    assert error["code"] in CODES
    assert isinstance(error["message"], str)
    assert error["message"].strip()
    assert "Traceback" not in error["message"]
    assert error["code"] not in (-32021, -32022) or revision == R5
    assert error["code"] != -32002 or revision < R5, "what is not found is -32602 in 2026-07-28"


def _implementation(server: Object, revision: str) -> None:
    assert {"name", "version"} <= server.keys()
    for key in server:
        assert SERVER_KEYS[key] <= revision, f"{key} of the server came with {SERVER_KEYS[key]}"
    assert all(isinstance(server[key], str) and server[key] for key in server if key != "icons")


def _initialize(result: Object, revision: str) -> None:
    assert revision in (R1, R2, R3, R4), "the handshake ended with 2025-11-25"
    assert result.keys() <= {"protocolVersion", "capabilities", "serverInfo", "instructions"}
    _implementation(result["serverInfo"], revision)
    assert isinstance(result.get("instructions", ""), str)


def _discover(result: Object, revision: str) -> None:
    assert revision == R5
    assert result["supportedVersions"] == [R5], "only what a client may put into _meta"
    assert "serverInfo" not in result, "it is in _meta"
    _cached(result)


def _capabilities(capabilities: Object, changes: bool) -> None:
    changing = [name for name, family in capabilities.items() if "listChanged" in family]
    listed = [name for name in ("tools", "resources", "prompts") if name in capabilities]
    assert sorted(changing) == (sorted(listed) if changes else []), "what is said to change, and no more"
    assert capabilities["tools"] == ({"listChanged": True} if changes else {})


def _ping(result: Object, revision: str) -> None:
    assert revision < R5
    assert result == {}


def _list(result: Object, revision: str) -> None:
    assert "nextCursor" not in result, "some clients read one page only"
    names = [tool["name"].lower() for tool in result["tools"]]
    assert len(names) == len(set(names))
    for tool in result["tools"]:
        _tool(tool)
    if revision == R5:
        _cached(result)


def _cached(result: Object) -> None:
    assert type(result["ttlMs"]) is int
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] in ("public", "private")


def _tool(tool: Object) -> None:
    """Check a tool by the rules of the strictest client. A client that refuses one tool can lose the whole list."""
    assert tool.keys() <= TOOL_KEYS
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
    assert tool["description"].strip()
    assert None not in tool.values()
    schema = tool["inputSchema"]
    assert schema["type"] == "object"
    assert all(isinstance(property_, dict) for property_ in schema.get("properties", {}).values())
    assert set(schema.get("required", [])) <= schema.get("properties", {}).keys()
    for hint, value in tool.get("annotations", {}).items():
        assert isinstance(value, HINTS[hint])


def _call(result: Object, revision: str) -> None:
    assert isinstance(result["content"], list)
    assert type(result.get("isError", False)) is bool
    for block in result["content"]:
        since = BLOCKS[block["type"]]
        assert since <= revision, f"{block['type']} came with {since}"
        _block(block)
    if "structuredContent" in result:
        assert revision >= R3
        assert not result.get("isError")
        assert revision == R5 or isinstance(result["structuredContent"], dict)


def _input_required(result: Object) -> None:
    assert result.keys() <= {"resultType", "inputRequests", "requestState", "_meta"}
    assert result["requestState"]
    [asks] = result["inputRequests"].values()
    assert asks["method"] == "elicitation/create"
    assert asks["params"]["mode"] == "form"
    _form(asks["params"])


FIELD = frozenset(
    (
        *("type", "title", "description", "default", "enum", "enumNames", "oneOf", "items", "format"),
        *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
    )
)
"""Schema keywords that a form field may have, in any protocol revision."""


def _form(params: Object) -> None:
    """Check the schema of an elicitation: its members must be primitive, without nesting."""
    assert params["message"].strip()
    schema = params["requestedSchema"]
    assert schema.keys() <= {"type", "properties", "required"}
    assert schema["type"] == "object"
    fields = schema["properties"]
    assert set(schema.get("required", ())) <= fields.keys()
    assert not (fields and params["message"].startswith("Go on with")), "a confirmation has no fields"
    for field in fields.values():
        assert field.keys() <= FIELD, "a field is flat"
        assert field["type"] in ("string", "number", "integer", "boolean", "array")
        assert ("items" in field) == (field["type"] == "array")


def _block(block: Object) -> None:
    if block["type"] == "text":
        assert isinstance(block["text"], str)
    elif block["type"] in ("image", "audio"):
        assert block["mimeType"].startswith(block["type"] + "/")
        assert base64.b64decode(block["data"], validate=True)
    elif block["type"] == "resource":
        resource = block["resource"]
        assert re.match(r"[a-z][a-z0-9+.-]*:", resource["uri"])
        assert ("text" in resource) != ("blob" in resource)
        base64.b64decode(resource.get("blob", ""), validate=True)
    else:
        assert block["uri"]
        assert block["name"]


def _offered(result: Object, revision: str) -> None:
    """Check a list of resources, templates or prompts (`protocol.md`, section 7)."""
    assert "nextCursor" not in result
    [entries] = [result[kind] for kind in ("resources", "resourceTemplates", "prompts") if kind in result]
    assert all(entry["name"] and None not in entry.values() for entry in entries)
    if revision == R5:
        _cached(result)


def _read(result: Object, revision: str) -> None:
    assert result["contents"], "nothing there is an error"
    for content in result["contents"]:
        _block({"type": "resource", "resource": content})
    if revision == R5:
        _cached(result)


def _prompt(result: Object, revision: str) -> None:
    assert result["messages"]
    for message in result["messages"]:
        assert message["role"] in ("user", "assistant")
        _block(message["content"])


def _completion(result: Object, revision: str) -> None:
    assert len(result["completion"]["values"]) <= 100


RULES: dict[str, Callable[[Object, str], None]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list,
    "tools/call": _call,
    "resources/list": _offered,
    "resources/templates/list": _offered,
    "resources/read": _read,
    "prompts/list": _offered,
    "prompts/get": _prompt,
    "completion/complete": _completion,
}
