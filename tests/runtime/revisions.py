"""Check that an output line of the server is valid MCP of its protocol revision.

Handwritten rules always apply. The published JSON Schema of the revision also applies if
`../shared/reference/mcp-schemas` exists beside the repository. Neither uses code of the runtime.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from tests.runtime import skill_messages, task_messages
from tests.runtime.results import BLOCKS, R1, R2, R3, R4, R5, REVISIONS, RULES

__all__ = [
    "BLOCKS",
    "ENVELOPE",
    "META",
    "R1",
    "R2",
    "R3",
    "R4",
    "R5",
    "REVISIONS",
    "SCHEMAS",
    "STATELESS_ONLY",
    "Checker",
    "valid",
]

SCHEMAS = Path(__file__).resolve().parents[3] / "shared" / "reference" / "mcp-schemas"

META = "io.modelcontextprotocol/"
ENVELOPE: dict[str, Any] = {META + "protocolVersion": R5, META + "clientCapabilities": {}}
STATELESS_ONLY = ("server/discover", "subscriptions/listen")
CODES = {-32700, -32600, -32601, -32602, -32603, -32002, -32021, -32022}
MAX_LINE = 10 * 1024 * 1024

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "server/discover": "DiscoverResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "logging/setLevel": "EmptyResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
}
BARE = {"call_tool": "tools/call", "list_tools": "tools/list"}
NOTIFICATIONS = {
    "notifications/message": "LoggingMessageNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/progress": "ProgressNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
}


class _Asked:
    """A request of the client that has no response yet."""

    def __init__(self, method: str, revision: str, token: object, filters: object = None) -> None:
        self.method = method
        self.revision = revision
        self.token = token
        self.filters = filters if isinstance(filters, dict) else {}
        self.honoured: list[str] | None = None
        self.uris: list[str] = []
        self.progress = float("-inf")
        self.logs = False


class Checker:
    """Checker for one connection. It records the client's lines, and checks the server's lines.

    `changes`: True if the server's tools may change. `offered`: features besides tools and resources, such as prompts.
    """

    def __init__(self, changes: bool = False, offered: tuple[str, ...] = ()) -> None:
        self.agreed: str | None = None
        self.changes = changes
        self.offered = offered
        self._initialized = False
        self._promised: list[str] = []
        self._open: dict[tuple[type, object], list[_Asked]] = {}
        self._questions: set[str] = set()
        self._set_level = False
        self._watched: set[str] = set()

    def heard(self, line: bytes) -> None:
        """Record a line that the client wrote, valid or not."""
        try:
            value = json.loads(line.decode(), object_pairs_hook=_heard_members)
        except (ValueError, RecursionError):
            return
        if isinstance(value, list) and self.agreed != R2:
            return  # only 2025-03-26 has batches: in others, one error without an id answers the whole line
        for message in value if isinstance(value, list) else [value]:
            if isinstance(message, dict):
                self._heard(message)

    def check(self, line: bytes) -> None:
        """Check a line that the server wrote, and return it parsed. Raise AssertionError if it is not valid."""
        assert line.endswith(b"\n")
        assert b"\n" not in line[:-1]
        assert b"\r" not in line
        assert line.isascii()
        assert len(line) < MAX_LINE
        value = json.loads(line, object_pairs_hook=_members, parse_constant=_refused)
        if not isinstance(value, list):
            self._message(value)
            return
        assert self.agreed == R2, "batches exist in one revision"
        assert value, "an empty batch is no answer"
        valid(R2, "JSONRPCBatchResponse", [message for message in value if message.get("id", "") is not None])
        for message in value:
            self._message(message)

    def unanswered(self) -> list[object]:
        """Return the ids of requests without a response."""
        return [key for (_, key), asked in self._open.items() for _ in asked]

    def _heard(self, message: dict[str, Any]) -> None:
        params, id_ = message.get("params"), message.get("id")
        params = params if isinstance(params, dict) else {}
        if "method" not in message and {"result", "error"} & message.keys():
            self._questions.discard(str(id_))
        elif message.get("method") == "notifications/cancelled" and "id" not in message:
            asked = self._open.get(_key(params.get("requestId")), [])
            del asked[:1]
        elif message.get("method") == "notifications/initialized" and "id" not in message:
            self._initialized = True
        elif isinstance(message.get("method"), str) and _is_id(id_):
            meta = params.get("_meta")
            meta = meta if isinstance(meta, dict) else {}
            stateless = meta.keys() & ENVELOPE.keys() or message["method"] in STATELESS_ONLY
            revision = R5 if stateless else self.agreed or R4
            method = message["method"]
            if method in BARE and self.agreed is None and not stateless:
                method, revision = BARE[method], R1
            asked_for = _Asked(method, revision, meta.get("progressToken"), params.get("notifications"))
            asked_for.logs = meta.get(META + "logLevel") is not None
            self._set_level = self._set_level or method == "logging/setLevel"
            if method.startswith("resources/") and method.endswith("subscribe") and isinstance(params.get("uri"), str):
                change = self._watched.add if method == "resources/subscribe" else self._watched.discard
                change(params["uri"])
            self._open.setdefault(_key(id_), []).append(asked_for)
        elif _is_id(id_) and ("method" in message or not {"result", "error"} & message.keys()):
            self._open.setdefault(_key(id_), []).append(_Asked("", self.agreed or R4, None))

    def _message(self, message: dict[str, Any]) -> None:
        assert message["jsonrpc"] == "2.0"
        if message.keys() >= {"method", "id"}:
            self._question(message)
        elif "method" in message:
            self._notification(message)
        elif "error" in message:
            self._error(message)
        else:
            self._result(message)

    def _error(self, message: dict[str, Any]) -> None:
        problem = message["error"]
        assert message.keys() <= {"jsonrpc", "id", "error"}
        assert problem["code"] in CODES
        assert isinstance(problem["message"], str)
        assert problem["message"]
        assert "Traceback" not in problem["message"]
        if message.get("id") is None:  # JSON-RPC 2.0, section 5: null; since 2025-11-25, MCP leaves the id out
            assert ("id" not in message) == (self.agreed in (None, R4))
            assert problem["code"] in (-32700, -32600)
            valid(R4, "JSONRPCErrorResponse", {key: each for key, each in message.items() if key != "id"})
            return
        asked = self._answers(message["id"], last=problem["code"] != -32603)
        valid(asked.revision, "JSONRPCErrorResponse" if asked.revision >= R4 else "JSONRPCError", message)
        if asked.method in ("resources/read", "resources/subscribe") and "uri" in problem.get("data", {}):
            assert isinstance(problem["data"]["uri"], str)
            assert problem["code"] == (-32602 if asked.revision == R5 else -32002)
        else:
            assert problem["code"] != -32002
        if problem["code"] == -32022:
            assert problem["data"]["supported"] == [R5]
            assert isinstance(problem["data"]["requested"], str)
            valid(R5, "UnsupportedProtocolVersionError", message)
        if problem["code"] == -32021:
            needed = problem["data"]["requiredCapabilities"]
            assert needed
            if not needed.keys() <= {"elicitation", "sampling", "roots"}:
                assert "tasks" in self.offered
                assert needed == task_messages.NEEDED
            assert problem["data"].keys() == {"requiredCapabilities"}
            valid(R5, "MissingRequiredClientCapabilityError", message)

    def _question(self, message: dict[str, Any]) -> None:
        """Check a request `elicitation/create` of the server. Only 2025-06-18 and 2025-11-25 have such requests."""
        assert message.keys() == {"jsonrpc", "id", "method", "params"}
        assert self.agreed in (R3, R4), f"{self.agreed} has no elicitation"
        assert message["method"] == "elicitation/create"
        assert isinstance(message["id"], str)
        assert message["id"] not in self._questions, "an id of the server is used once"
        self._questions.add(message["id"])
        _form(message["params"], {"elicitationId"} if self.agreed == R4 else None)
        valid(self.agreed, "JSONRPCRequest", message)
        valid(self.agreed, "ElicitRequest", message)

    def _result(self, message: dict[str, Any]) -> None:
        assert message.keys() == {"jsonrpc", "id", "result"}
        asked = self._answers(message["id"])
        result = message["result"]
        if asked.method == "initialize":
            self.agreed = asked.revision = result["protocolVersion"]
            self._initialized, self._promised = False, self._lists()
        if asked.method in ("initialize", "server/discover"):
            assert result["capabilities"] == self._capabilities(asked.revision)
        if self.changes and (asked.method.endswith("/list") or asked.method == "server/discover"):
            assert result.get("ttlMs", 0) == 0, "what may change at any time is not to be remembered"
        valid(asked.revision, "JSONRPCResultResponse" if asked.revision >= R4 else "JSONRPCResponse", message)
        if "tasks" in self.offered and task_messages.is_of_task(asked.method, result):
            task_messages.check(asked.method, asked.revision, result, valid)
            return
        if asked.method in skill_messages.METHODS:
            assert "skills" in self.offered
            skill_messages.check(asked.method, asked.revision, result)
            return
        if result.get("resultType") == "input_required":
            self._input_required(result, asked)
            return
        valid(asked.revision, RESULTS[asked.method], result)
        RULES[asked.method](result, asked.revision)
        if asked.revision == R5:
            assert result["resultType"] == "complete"
            assert {"name", "version"} <= result["_meta"][META + "serverInfo"].keys()
        else:
            assert not {"resultType", "ttlMs", "cacheScope", "_meta"} & result.keys()

    def _lists(self) -> list[str]:
        return ["tools", "resources", *(["prompts"] if "prompts" in self.offered else [])]

    def _capabilities(self, revision: str) -> dict[str, object]:
        completes = "completions" in self.offered and revision >= R2
        listed: dict[str, object] = {kind: {"listChanged": True} if self.changes else {} for kind in self._lists()}
        if "subscriptions" in self.offered or (self.changes and "prompts" in self.offered):
            listed["resources"] = {"subscribe": True, **({"listChanged": True} if self.changes else {})}
        tasks: dict[str, Any] = task_messages.capabilities(revision) if "tasks" in self.offered else {}
        if revision == R5 and "skills" in self.offered:
            tasks = {"extensions": {**tasks.get("extensions", {}), **skill_messages.DECLARED}}
        logs: dict[str, object] = {"logging": {}} if "logging" in self.offered else {}
        return {**listed, **({"completions": {}} if completes else {}), **logs, **tasks}

    def _input_required(self, result: dict[str, Any], asked: _Asked) -> None:
        assert (asked.revision, asked.method) == (R5, "tools/call")
        assert result.keys() == {"resultType", "inputRequests", "requestState", "_meta"}
        [asks] = result["inputRequests"].values()
        assert asks.keys() == {"method", "params"}
        assert asks["method"] == "elicitation/create"
        _form(asks["params"], set())
        valid(R5, "InputRequiredResult", result)
        valid(R5, "ElicitRequest", asks)

    def _notification(self, message: dict[str, Any]) -> None:
        assert message.keys() == {"jsonrpc", "method", "params"}
        params = message["params"]
        if message["method"] == "notifications/cancelled":
            assert params["requestId"] in self._questions, "only what it asked, and has no answer to"
            self._questions.remove(params["requestId"])
            valid(self.agreed or R4, "CancelledNotification", message)
            return
        if message["method"] == "notifications/progress":
            asked = self._with_token(params["progressToken"])
            assert params["progress"] > asked.progress, "progress goes forward"
            assert "message" not in params or asked.revision >= R2
            asked.progress = params["progress"]
            valid(asked.revision, NOTIFICATIONS[message["method"]], message)
        elif message["method"] == "notifications/resources/updated" and "_meta" not in params:
            assert params["uri"] in self._watched
            valid(self.agreed or R4, NOTIFICATIONS[message["method"]], message)
        elif message["method"] == "notifications/message":
            assert "logging" in self.offered
            asked_for = [each for several in self._open.values() for each in several if each.logs]
            assert self._set_level or asked_for, "only where it was asked for"
            valid(R5 if asked_for else self.agreed or R4, NOTIFICATIONS[message["method"]], message)
        elif message["method"].endswith("/list_changed") and params == {}:
            assert self.changes
            assert message["method"].split("/")[1] in self._promised
            assert self._initialized, "nothing is sent to a client before it has said that it is ready"
            valid(self.agreed or R4, NOTIFICATIONS[message["method"]], message)
        else:
            self._on_stream(message["method"], params)
            valid(R5, NOTIFICATIONS[message["method"]], message)

    def _on_stream(self, method: str, params: dict[str, Any]) -> None:
        stream = self._open[_key(params["_meta"][META + "subscriptionId"])][0]
        assert stream.method == "subscriptions/listen"
        if method == "notifications/subscriptions/acknowledged":
            assert stream.honoured is None
            lists = self._lists() if self.changes else []
            stream.honoured = [kind for kind in lists if stream.filters.get(f"{kind}ListChanged") is True]
            told = dict(params["notifications"])
            stream.uris = told.pop("resourceSubscriptions", [])
            assert set(stream.uris) <= set(stream.filters.get("resourceSubscriptions", []))
            assert told == {f"{kind}ListChanged": True for kind in stream.honoured}
        elif method == "notifications/resources/updated":
            assert params["uri"] in stream.uris, "only what was asked for"
        else:
            assert method in NOTIFICATIONS
            assert method.split("/")[1] in (stream.honoured or ()), "only what was asked for"

    def _answers(self, id_: object, last: bool = False) -> _Asked:
        asked = self._open.get(_key(id_))
        assert asked, f"an answer to {id_!r}, which nobody asked, or twice, or after a cancel"
        return asked.pop(-1 if last else 0)

    def _with_token(self, token: object) -> _Asked:
        for asked in (each for several in self._open.values() for each in several):
            if _key(asked.token) == _key(token) and asked.method in LASTING:
                return asked
        raise AssertionError(f"progress for {token!r}, which no running call gave")


LASTING = ("tools/call", "resources/read", "prompts/get", "completion/complete")
"""Methods whose requests may wait for the API, and may report progress while they wait."""

FIELD = frozenset(
    (
        *("type", "title", "description", "default", "enum", "enumNames", "oneOf", "items", "format"),
        *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
    )
)
"""Schema keywords that a form field may have, in any protocol revision."""


def _form(params: dict[str, Any], of_url: set[str] | None) -> None:
    """Check the params of an elicitation: a form with flat fields, or a URL.

    `of_url`: the additional members of an elicitation by URL, or None if the revision has only forms.
    """
    if params.get("mode") == "url" and of_url is not None:
        assert params.keys() == {"mode", "message", "url"} | of_url
        return
    assert params.keys() <= {"mode", "message", "requestedSchema"}
    assert params.get("mode", "form") == "form"
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


def valid(revision: str, definition: str, message: object) -> None:
    """Validate a message with the published schema. Do nothing if the published schemas are missing."""
    if SCHEMAS.is_dir():
        _validator(revision, definition).validate(message)


@cache
def _validator(revision: str, definition: str) -> Any:
    schema = json.loads((SCHEMAS / f"{revision}.json").read_text())
    home = "$defs" if "$defs" in schema else "definitions"
    assert definition in schema[home]
    return jsonschema_rs.validator_for(
        {"$schema": schema["$schema"], "$ref": f"#/{home}/{definition}", home: schema[home]}
    )


def _is_id(value: object) -> bool:
    return type(value) in (int, str) or (type(value) is float and value.is_integer())


def _key(value: object) -> tuple[type, object]:
    """Return a dictionary key for a JSON-RPC id. The ids 7 and "7" get different keys, and so do 1 and true."""
    return (type(value), repr(value)) if not _is_id(value) else (str if isinstance(value, str) else int, value)


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    assert len(dict(pairs)) == len(pairs), "a key is named twice"
    return dict(pairs)


def _heard_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the members of a JSON object that the client sent. If the key `id` is there twice, the id is None."""
    members = dict(pairs)
    if [name for name, _ in pairs].count("id") > 1:
        members["id"] = None
    return members


def _refused(name: str) -> object:
    raise AssertionError(f"{name} is not JSON")
