"""Test the checkers of MCP messages: valid messages pass, and each single fault in an otherwise valid line is found."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.interop import schemas
from tests.interop.messages import META, R1, R2, R3, R4, R5, REVISIONS, Exchange, Message, Object

SERVER = {"name": "petstore", "version": "1"}
TOOL = {"name": "get_pet", "description": "Get a pet.", "inputSchema": {"type": "object"}}
STATELESS = {"resultType": "complete", "_meta": {META + "serverInfo": SERVER}}
CACHED = {**STATELESS, "ttlMs": 0, "cacheScope": "public"}
TEXT = {"type": "text", "text": "4 pets"}
IMAGE = {"type": "image", "data": "AAEC", "mimeType": "image/png"}


def answered(result: Object, **more: object) -> bytes:
    """Return a valid response to the last request, with the members in `more` changed."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result} | more).encode() + b"\n"


def progress(**params: object) -> bytes:
    message = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
    return json.dumps(message).encode() + b"\n"


FORM = {"message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}


def question(**changes: object) -> bytes:
    asks = {"jsonrpc": "2.0", "id": "mcpgen-1", "method": "elicitation/create", "params": {**FORM, **changes}}
    return json.dumps(asks).encode() + b"\n"


def required(**changes: object) -> bytes:
    asks = {"confirm": {"method": "elicitation/create", "params": {"mode": "form", **FORM}}}
    about = {"inputRequests": asks, "requestState": "s", "_meta": STATELESS["_meta"]}
    return answered({"resultType": "input_required", **about, **changes})


def withdrawn() -> bytes:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "mcpgen-1"}}
    return json.dumps(message).encode() + b"\n"


def error(code: int, message: str = "There is no tool 'x'.") -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}}).encode() + b"\n"


def missing() -> bytes:
    problem = {"code": -32021, "message": "x", "data": {"requiredCapabilities": {"elicitation": {}}}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "error": problem}).encode() + b"\n"


def listed(**changes: object) -> bytes:
    return answered({"tools": [TOOL | changes]})


def called(*blocks: Object, **more: object) -> bytes:
    return answered({"content": list(blocks), "isError": False, **more})


def asked(revision: str, method: str) -> Exchange:
    """Return a connection in this revision with one pending request of this method."""
    exchange = Exchange()
    if revision == R5:
        exchange.heard(_line(1, method, _meta={META + "protocolVersion": R5, "progressToken": 0}))
    else:
        exchange.heard(_line(0, "initialize", protocolVersion=revision))
        exchange.judged(opened(revision))
        exchange.heard(_line(1, method, _meta={"progressToken": 0}))
    return exchange


def _line(id_: int, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


def opened(revision: str, **server: str) -> bytes:
    result = {"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": {**SERVER, **server}}
    return answered(result, id=0)


RIGHT: dict[str, tuple[str, str, bytes]] = {
    "a list": (R1, "tools/list", listed()),
    "a list of the stateless era": (R5, "tools/list", answered({"tools": [TOOL], **CACHED})),
    "a discovery": (
        R5,
        "server/discover",
        answered({"supportedVersions": [R5], "capabilities": {"tools": {}}, **CACHED}),
    ),
    "a result": (R1, "tools/call", called(TEXT, IMAGE)),
    "a result of the stateless era": (R5, "tools/call", called(TEXT, **STATELESS)),
    "a sound": (R2, "tools/call", called({"type": "audio", "data": "AAEC", "mimeType": "audio/wav"})),
    "a ping": (R3, "ping", answered({})),
    "an error": (R4, "tools/call", error(-32602)),
    "a question": (R3, "tools/call", question()),
    "a question of the stateless era": (R5, "tools/call", required()),
    "a missing capability": (R5, "tools/call", missing()),
    "progress": (R2, "tools/call", progress(progressToken=0, progress=1, total=3, message="sent")),
}
WRONG: dict[str, tuple[str, str, bytes]] = {
    "no end of line": (R4, "tools/list", listed().rstrip()),
    "several lines": (R4, "tools/list", listed().replace(b", ", b",\n")),
    "a carriage return": (R4, "tools/list", listed().replace(b"\n", b"\r\n")),
    "a banner": (R4, "tools/list", b"Petstore is ready\n"),
    "an array": (R4, "tools/list", b"[" + listed().rstrip() + b"]\n"),
    "no UTF-8": (R4, "tools/call", called(TEXT).replace(b"4", b"\xff")),
    "NaN": (R4, "tools/call", called(TEXT | {"priority": float("nan")})),
    "a lone surrogate": (R4, "tools/call", called(TEXT | {"text": "\ud800"})),
    "a key twice": (R4, "tools/call", called(TEXT).replace(b'"id": 1', b'"id": 1, "id": 1')),
    "too long": (R4, "tools/call", called(TEXT | {"text": "x" * (10 << 20)})),
    "no version of JSON-RPC": (R4, "ping", answered({}).replace(b'"jsonrpc": "2.0", ', b"")),
    "another version of it": (R4, "ping", answered({}, jsonrpc="1.0")),
    "an id that was not asked": (R4, "ping", answered({}, id=2)),
    "an id of another type": (R4, "ping", answered({}, id="1")),
    "an id that is null": (R4, "ping", answered({}, id=None)),
    "no id": (R4, "ping", b'{"jsonrpc":"2.0","result":{}}\n'),
    "a result and an error": (R4, "ping", answered({}, error={"code": -32603, "message": "x"})),
    "something on top": (R4, "ping", answered({}, method=None)),
    "a request": (R4, "ping", answered({}, method="roots/list")),
    "another request": (R4, "tools/call", question().replace(b"elicitation/create", b"roots/list")),
    "a question before there were any": (R2, "tools/call", question()),
    "a question in the stateless era": (R5, "tools/call", question()),
    "a question with a number": (R4, "tools/call", question().replace(b'"mcpgen-1"', b"1")),
    "a question without words": (R4, "tools/call", question(message=" ")),
    "a question that nobody asked, taken back": (R4, "tools/call", withdrawn()),
    "a question by a result too early": (R4, "tools/call", required()),
    "a question by another method": (R5, "tools/list", required()),
    "a state without a question": (R5, "tools/call", required(inputRequests={})),
    "a missing capability too early": (R4, "tools/call", missing()),
    "a ping with content": (R4, "ping", answered({"ok": True})),
    "an error with an unknown code": (R4, "tools/call", error(-32000)),
    "an error of a later revision": (R4, "tools/call", error(-32022)),
    "an error without words": (R4, "tools/call", error(-32602, " ")),
    "an error with internals": (R4, "tools/call", error(-32603, "Traceback (most recent call last)")),
    "progress that nobody asked for": (R4, "tools/call", progress(progressToken=1, progress=1)),
    "progress with a token of another type": (R4, "tools/call", progress(progressToken="0", progress=1)),
    "progress beyond the end": (R4, "tools/call", progress(progressToken=0, progress=4, total=3)),
    "progress with words too early": (R1, "tools/call", progress(progressToken=0, progress=1, message="sent")),
    "a log message": (R4, "tools/call", progress().replace(b"progress", b"message")),
    "a list without the parts of its revision": (R5, "tools/list", listed()),
    "a list with a wrong lifetime": (R5, "tools/list", answered({"tools": [], **CACHED, "ttlMs": 1.5})),
    "a list that says nothing of its server": (R5, "tools/list", answered({"tools": [], **CACHED, "_meta": {}})),
    "parts of a later revision": (R4, "tools/list", answered({"tools": [TOOL], **CACHED})),
    "a second page": (R4, "tools/list", answered({"tools": [TOOL], "nextCursor": "x"})),
    "a tool twice": (R4, "tools/list", answered({"tools": [TOOL, TOOL | {"name": "GET_PET"}]})),
    "a tool with a space": (R4, "tools/list", listed(name="get pet")),
    "a tool without words": (R4, "tools/list", listed(description="")),
    "a tool with null": (R4, "tools/list", listed(title=None)),
    "a tool with an invented key": (R4, "tools/list", listed(tags=[])),
    "a hint that is no hint": (R4, "tools/list", listed(annotations={"readOnlyHint": "yes"})),
    "a schema of two types": (R4, "tools/list", listed(inputSchema={"type": ["object", "null"]})),
    "a schema with a boolean": (R4, "tools/list", listed(inputSchema={"type": "object", "properties": {"a": True}})),
    "a required argument that is not there": (
        R4,
        "tools/list",
        listed(inputSchema={"type": "object", "required": ["a"]}),
    ),
    "a sound too early": (R1, "tools/call", called({"type": "audio", "data": "AAEC", "mimeType": "audio/wav"})),
    "a link too early": (R2, "tools/call", called({"type": "resource_link", "uri": "a:b", "name": "b"})),
    "structured content too early": (R2, "tools/call", called(TEXT, structuredContent={})),
    "structured content that is no object": (R4, "tools/call", called(TEXT, structuredContent=[])),
    "bytes that are no base64": (R4, "tools/call", called(IMAGE | {"data": "AAEC!"})),
    "an image that is none": (R4, "tools/call", called(IMAGE | {"mimeType": "audio/wav"})),
    "a resource with both": (
        R4,
        "tools/call",
        called({"type": "resource", "resource": {"uri": "a:b", "text": "", "blob": ""}}),
    ),
    "an invented block": (R4, "tools/call", called({"type": "table"})),
    "a result that is not complete": (R5, "tools/call", called(TEXT, **STATELESS | {"resultType": "partial"})),
    "a discovery of older revisions": (
        R5,
        "server/discover",
        answered({"supportedVersions": [R4, R5], "capabilities": {"tools": {}}, **CACHED}),
    ),
}


@pytest.mark.parametrize(("revision", "method", "line"), RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes(revision: str, method: str, line: bytes) -> None:
    message = asked(revision, method).judged(line)
    assert message.revision == revision
    if schemas.PRESENT:
        schemas.check(message)


@pytest.mark.parametrize(("revision", "method", "line"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_found(revision: str, method: str, line: bytes) -> None:
    exchange = asked(revision, method)
    with pytest.raises((AssertionError, ValueError, KeyError)):
        exchange.judged(line)


@pytest.mark.parametrize(
    ("revision", "server"), [(R2, {"title": "Petstore"}), (R3, {"description": "Pets."}), (R5, {})]
)
def test_a_handshake_with_parts_of_a_later_revision_is_found(revision: str, server: dict[str, str]) -> None:
    exchange = Exchange()
    exchange.heard(_line(0, "initialize", protocolVersion=revision))
    with pytest.raises(AssertionError):
        exchange.judged(opened(revision, **server))


def test_an_answer_that_comes_twice_is_found() -> None:
    exchange = asked(R4, "ping")
    exchange.judged(answered({}))
    with pytest.raises(AssertionError, match="answered twice"):
        exchange.judged(answered({}))


def test_an_answer_that_does_not_come_is_found() -> None:
    with pytest.raises(AssertionError, match="no answer"):
        asked(R4, "ping").ended()


def test_an_answer_after_it_was_given_up_is_found() -> None:
    exchange = asked(R4, "tools/call")
    exchange.heard(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n')
    with pytest.raises(AssertionError, match="cancelled"):
        exchange.judged(called(TEXT))


def test_progress_that_does_not_go_forward_is_found() -> None:
    exchange = asked(R4, "tools/call")
    exchange.judged(progress(progressToken=0, progress=1))
    with pytest.raises(AssertionError, match="forward"):
        exchange.judged(progress(progressToken=0, progress=1))


STREAM = {"_meta": {META + "subscriptionId": "s"}}
TOOLS = {"toolsListChanged": True}
READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def told(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params}).encode() + b"\n"


def acknowledged(**notifications: object) -> bytes:
    return told("subscriptions/acknowledged", **STREAM, notifications=notifications)


def listening(changes: bool) -> Exchange:
    """Return a connection on which the client has opened a subscription stream for changes."""
    exchange = Exchange(changes)
    listen = {"notifications": TOOLS, "_meta": {META + "protocolVersion": R5}}
    said = {"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen", "params": listen}
    exchange.heard(json.dumps(said).encode())
    return exchange


def test_a_stream_that_is_acknowledged_first_passes_and_stays_open() -> None:
    exchange = listening(True)
    for line in (acknowledged(**TOOLS), told("tools/list_changed", **STREAM), told("tools/list_changed", **STREAM)):
        message = exchange.judged(line)
        if schemas.PRESENT:
            schemas.check(message)
    exchange.ended()
    listening(False).judged(acknowledged())


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        (True, [told("tools/list_changed", **STREAM)]),
        (True, [acknowledged(**TOOLS), acknowledged(**TOOLS)]),
        (True, [acknowledged(**TOOLS, promptsListChanged=True)]),
        (True, [acknowledged(**TOOLS), told("tools/list_changed", _meta={META + "subscriptionId": "t"})]),
        (False, [acknowledged(**TOOLS)]),
        (False, [acknowledged(), told("tools/list_changed", **STREAM)]),
    ],
    ids=["not acknowledged", "acknowledged twice", "too much", "of another stream", "without cause", "not honoured"],
)
def test_what_is_wrong_with_a_stream_is_found(changes: bool, lines: list[bytes]) -> None:
    exchange = listening(changes)
    for line in lines[:-1]:
        exchange.judged(line)
    with pytest.raises((AssertionError, KeyError)):
        exchange.judged(lines[-1])


def test_a_stream_without_an_answer_of_any_kind_is_found() -> None:
    with pytest.raises(AssertionError, match="no answer"):
        listening(True).ended()


@pytest.mark.parametrize(("changes", "ready"), [(True, True), (True, False), (False, True)])
def test_a_client_of_the_handshake_is_told_once_it_is_ready(changes: bool, ready: bool) -> None:
    exchange = Exchange(changes)
    exchange.heard(_line(0, "initialize", protocolVersion=R4))
    promised = b'{"listChanged": true}' if changes else b"{}"
    exchange.judged(opened(R4).replace(b'"tools": {}', b'"tools": ' + promised))
    if ready:
        exchange.heard(READY)
    if changes and ready:
        assert exchange.judged(told("tools/list_changed")).revision == R4
    else:
        with pytest.raises(AssertionError):
            exchange.judged(told("tools/list_changed"))


@pytest.mark.parametrize("changes", [True, False])
def test_a_promise_that_is_not_kept_and_one_that_is_not_made_are_found(changes: bool) -> None:
    exchange = Exchange(changes)
    exchange.heard(_line(0, "initialize", protocolVersion=R4))
    promised = b"{}" if changes else b'{"listChanged": true}'
    with pytest.raises(AssertionError):
        exchange.judged(opened(R4).replace(b'"tools": {}', b'"tools": ' + promised))


@pytest.mark.skipif(not schemas.PRESENT, reason="the JSON Schemas of MCP are not beside this repository")
@pytest.mark.parametrize("revision", REVISIONS)
def test_each_schema_finds_what_does_not_fit(revision: str) -> None:
    result: dict[str, Any] = {"content": [{"type": "text"}], **(STATELESS if revision == R5 else {})}
    message = Message(revision, "tools/call", {"jsonrpc": "2.0", "id": 1, "result": result})
    with pytest.raises(jsonschema.ValidationError, match=r"'text' is a required property|not valid under any"):
        schemas.check(message)
