"""Test requirements P, R and M for Streamable HTTP: the response to each message depends on its body and the header
fields that repeat parts of it.

A `Row` is one POST request with its expected response.
"""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

import pytest

from tests.streamable.client import Fields
from tests.streamable.messages import (
    JSON,
    META,
    NEW,
    OLD,
    call,
    calling,
    encoded,
    meta,
    mirrored,
    notification,
    request,
    stateless,
)
from tests.streamable.servers import Server

LIST = stateless("tools/list", "list")
ECHO = calling("echo", text="hi")
HELLO = request("initialize", protocolVersion=OLD, capabilities={}, clientInfo={"name": "t", "version": "1"})
NOTHING = object()


class Row(NamedTuple):
    """One message and its expected response. `fields`: changes of the correct header fields; None removes one.

    `id`: id of the response, or NOTHING if it must have none.
    """

    requirement: str
    name: str
    message: Any
    status: int
    code: int | None = None
    fields: dict[str, str | None] = {}  # noqa: RUF012
    id: object = NOTHING


def sentinel(text: str) -> str:
    """Return the encoded form of a value that a header field cannot hold as it is."""
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def of_argument(value: Any, said: str | None, **more: str) -> tuple[Any, dict[str, str | None]]:
    """Return a call with the argument `region`, and the header field `Mcp-Param-Region` that should repeat it, with the
    value `said`.
    """
    told: dict[str, str | None] = {**more} if said is None else {"Mcp-Param-Region": said, **more}
    return calling("mirrored", **({} if value is NOTHING else {"region": value})), told


def row_of_argument(name: str, value: Any, said: str | None, status: int, **more: str) -> Row:
    message, fields = of_argument(value, said, **more)
    return Row("M6", name, message, status, None if status == 200 else -32020, fields, 1)


PARSED = [
    Row("P3", "no JSON", b"{", 400, -32700),
    Row("P3", "nothing", b"", 400, -32700),
    Row("P3", "no UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', 400, -32700),
    Row("P3", "NaN", b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}', 400, -32700),
    Row("P3", "too deep", b"[" * 100_000 + b"]" * 100_000, 400, -32700),
    Row("P3", "two values", encoded(LIST) * 2, 400, -32700),
    Row("P4", "a number", 1, 400, -32600),
    Row("P4", "an id that is null", {**LIST, "id": None}, 400, -32600),
    Row("P4", "an id that is a boolean", {**LIST, "id": True}, 400, -32600),
    Row("P4", "an id that is no integer", {**LIST, "id": 1.5}, 400, -32600),
    Row("P4", "an integer that is written as a float", {**LIST, "id": 1.0}, 200, id=1),
    Row("P4", "a cursor that is null", stateless("tools/list", cursor=None), 200, id=1),
    Row("P4", "an id that is a structure", {**LIST, "id": [1]}, 400, -32600),
    Row("P4", "an id and no method", {"jsonrpc": "2.0", "id": 1}, 400, -32600),
    Row("P4", "no version of JSON-RPC", {"id": 1, "method": "tools/list"}, 400, -32600),
    Row("P4", "an array without a session", [LIST], 400, -32600),
    Row("P4", "an empty array", [], 400, -32600),
    Row("P6", "line breaks", encoded(LIST).replace(b",", b",\r\n\n"), 200, id="list"),
]
ERAS = [
    Row("R1", "initialize without a version in its head", HELLO, 200, fields={"MCP-Protocol-Version": None}, id=1),
    Row("R1", "initialize with an older version", HELLO, 200, fields={"MCP-Protocol-Version": "2025-03-26"}, id=1),
    Row("R5", "initialize with the new version lacks its fields", HELLO, 400, -32602, id=1),
    Row("R5", "a list with the new version lacks its fields", request("tools/list"), 400, -32602, id=1),
    Row(
        "R5", "an unknown version lacks them too", request("x"), 400, -32602, {"MCP-Protocol-Version": "2099-01-01"}, 1
    ),
    Row("R3", "initialize with the fields", stateless("initialize", protocolVersion=OLD), 404, -32601, id=1),
    Row("R3", "ping with the fields", stateless("ping"), 404, -32601, id=1),
    Row("R3", "logging with the fields", stateless("logging/setLevel"), 404, -32601, id=1),
    Row("R3", "resources/subscribe with the fields", stateless("resources/subscribe"), 404, -32601, id=1),
    Row(
        "L3",
        "a list of the older era without a session",
        request("tools/list"),
        400,
        -32600,
        {"MCP-Protocol-Version": None},
    ),
    Row("L3", "a call of the older era without a session", call("echo"), 400, -32600, {"MCP-Protocol-Version": OLD}),
    Row("L3", "a notification without a session", notification("x"), 400, -32600, {"MCP-Protocol-Version": None}),
]
STATELESS = [
    Row("M1", "no capabilities", stateless("tools/list", _meta={META + "protocolVersion": NEW}), 400, -32602, id=1),
    Row("M1", "no version", stateless("tools/list", _meta={META + "clientCapabilities": {}}), 400, -32602, id=1),
    Row(
        "M1",
        "a version that is no text",
        stateless("x", _meta=meta() | {META + "protocolVersion": 1}),
        400,
        -32602,
        id=1,
    ),
    Row(
        "M1",
        "capabilities that are no object",
        stateless("x", _meta=meta() | {META + "clientCapabilities": []}),
        400,
        -32602,
        id=1,
    ),
    Row("M3", "no version in the head", LIST, 400, -32020, {"MCP-Protocol-Version": None}, "list"),
    Row("M3", "an older version in the head", LIST, 400, -32020, {"MCP-Protocol-Version": OLD}, "list"),
    Row("M3", "twice", LIST, 400, -32020, {"MCP-Protocol-Version": NEW, "mcp-protocol-version": NEW}, "list"),
    Row("M3", "before M2", stateless("x", _meta=meta() | {META + "protocolVersion": "2099-01-01"}), 400, -32020, id=1),
    Row("M4", "no method in the head", LIST, 400, -32020, {"Mcp-Method": None}, "list"),
    Row("M4", "another method", LIST, 400, -32020, {"Mcp-Method": "tools/call"}, "list"),
    Row("M4", "another case", LIST, 400, -32020, {"Mcp-Method": "Tools/List"}, "list"),
    Row("M4", "the name in another case", LIST, 200, None, {"Mcp-Method": None, "MCP-METHOD": "tools/list"}, "list"),
    Row("M4", "blanks around", LIST, 200, None, {"Mcp-Method": " \t tools/list \t"}, "list"),
    Row("M4", "twice", LIST, 400, -32020, {"Mcp-Method": "tools/list", "mcp-method": "tools/list"}, "list"),
    Row("M4", "no sentinel", LIST, 400, -32020, {"Mcp-Method": sentinel("tools/list")}, "list"),
    Row("M5", "no name", ECHO, 400, -32020, {"Mcp-Name": None}, 1),
    Row("M5", "another name", ECHO, 400, -32020, {"Mcp-Name": "hold"}, 1),
    Row("M5", "twice", ECHO, 400, -32020, {"Mcp-Name": "echo", "mcp-name": "echo"}, 1),
    Row("M5", "a sentinel", ECHO, 200, None, {"Mcp-Name": sentinel("echo")}, 1),
    Row("M5", "a sentinel without padding", ECHO, 400, -32020, {"Mcp-Name": sentinel("echo").replace("=?=", "?=")}, 1),
    Row("M5", "a sentinel that is not canonical", calling("ec"), 400, -32020, {"Mcp-Name": "=?base64?ZWN=?="}, 1),
    Row("M5", "a sentinel in capitals is a text", ECHO, 400, -32020, {"Mcp-Name": sentinel("echo").upper()}, 1),
    Row("M5", "a sentinel with one mark is a text", ECHO, 400, -32020, {"Mcp-Name": "=?base64?ZWNobw=="}, 1),
    Row("M5", "a sentinel of no UTF-8", ECHO, 400, -32020, {"Mcp-Name": "=?base64?/w==?="}, 1),
    Row("M5", "not looked at for a list", LIST, 200, None, {"Mcp-Name": "echo"}, "list"),
    Row(
        "M5", "nor where the body has none", stateless("tools/call", arguments={}), 400, -32602, {"Mcp-Name": "echo"}, 1
    ),
    Row("M5", "the name of a prompt", stateless("prompts/get", name="greet"), 200, id=1),
    Row("M5", "another prompt", stateless("prompts/get", name="greet"), 400, -32020, {"Mcp-Name": "x"}, 1),
    Row("M5", "the URI of a resource", stateless("resources/read", uri="caller://guide"), 200, id=1),
    Row("M5", "another resource", stateless("resources/read", uri="caller://guide"), 400, -32020, {"Mcp-Name": "x"}, 1),
    Row("M5", "a name in Unicode", calling("größe"), 400, -32602, {"Mcp-Name": sentinel("größe")}, 1),
    Row("M7", "an unknown method", stateless("x/y"), 404, -32601, id=1),
    Row("M7", "a method of 2024", stateless("sampling/createMessage"), 404, -32601, id=1),
    Row("M7", "what is not advertised", stateless("completion/complete"), 404, -32601, id=1),
    Row("M8", "an unknown tool", calling("nothing"), 400, -32602, id=1),
    Row("M8", "arguments that are no object", stateless("tools/call", name="echo", arguments=[]), 400, -32602, id=1),
    Row(
        "M8",
        "params that are no object",
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []},
        400,
        -32602,
        id=1,
    ),
    Row("M8", "an unknown prompt", stateless("prompts/get", name="nothing"), 400, -32602, id=1),
    Row("M8", "an unknown resource", stateless("resources/read", uri="caller://x"), 400, -32602, id=1),
    Row(
        "M8",
        "an unknown level of logs",
        stateless("tools/list", _meta=meta(**{META + "logLevel": "x"})),
        400,
        -32602,
        id=1,
    ),
    Row("M9", "everything else is 200: an error of a tool", calling("echo"), 200, id=1),
    Row(
        "M10",
        "a session and an event count for nothing",
        LIST,
        200,
        None,
        {"Mcp-Session-Id": "x", "Last-Event-ID": "x-1"},
        "list",
    ),
    Row("M12", "an error before the call begins is JSON", calling("echo", token=1.5), 400, -32602, id=1),
    Row("M13", "an id that is 0", {**ECHO, "id": 0}, 200, id=0),
    Row("M13", "an id that is negative", {**ECHO, "id": -1}, 200, id=-1),
    Row("M13", "an id that is empty", {**ECHO, "id": ""}, 200, id=""),
]
UNASKED = [
    Row("M11", "a notification", notification("notifications/x", _meta=meta()), 202),
    Row(
        "M11",
        "a cancellation, which cancels nothing",
        notification("notifications/cancelled", requestId=1, _meta=meta()),
        202,
    ),
    Row("M11", "a notification without fields in its body", notification("notifications/x"), 202),
    Row(
        "M11",
        "a notification of an unknown version",
        notification("x"),
        400,
        -32600,
        {"MCP-Protocol-Version": "2099-01-01"},
    ),
    Row(
        "M11",
        "a notification of an unknown version in its body",
        notification("x", _meta=meta() | {META + "protocolVersion": "2099-01-01"}),
        400,
        -32600,
        {"MCP-Protocol-Version": None},
    ),
    Row("M11", "a response", {"jsonrpc": "2.0", "id": 1, "result": {}}, 400, -32600),
]
REPEATED = [
    row_of_argument("as it is", "eu", "eu", 200),
    row_of_argument("a sentinel", "größe", sentinel("größe"), 200),
    row_of_argument("missing", "eu", None, 400),
    row_of_argument("another value", "eu", "us", 400),
    row_of_argument("another case", "eu", "EU", 400),
    row_of_argument("a broken sentinel", "eu", "=?base64?!?=", 400),
    row_of_argument("a field without its argument", NOTHING, "eu", 400),
    row_of_argument("twice", "eu", "eu", 400, **{"mcp-param-region": "eu"}),
    row_of_argument("another field", "eu", "eu", 200, **{"Mcp-Param-Other": "x"}),
    Row("M6", "a number", calling("mirrored", limit=42), 200, None, {"Mcp-Param-Limit": "42"}, 1),
    Row("M6", "the same number", calling("mirrored", limit=42), 200, None, {"Mcp-Param-Limit": "42.0"}, 1),
    Row("M6", "another number", calling("mirrored", limit=42), 400, -32020, {"Mcp-Param-Limit": "43"}, 1),
    Row("M6", "no number", calling("mirrored", limit=42), 400, -32020, {"Mcp-Param-Limit": "nan"}, 1),
    Row(
        "M6",
        "a number as only Python writes it",
        calling("mirrored", limit=42),
        400,
        -32020,
        {"Mcp-Param-Limit": "4_2"},
        1,
    ),
    Row("M6", "a large number", calling("mirrored", limit=2**53 + 1), 400, -32020, {"Mcp-Param-Limit": str(2**53)}, 1),
    Row("M6", "a boolean", calling("mirrored", dry=True), 200, None, {"Mcp-Param-Dry": "true"}, 1),
    Row("M6", "a boolean in capitals", calling("mirrored", dry=True), 400, -32020, {"Mcp-Param-Dry": "True"}, 1),
    Row("M6", "further inside", calling("mirrored", deep={"place": "x"}), 200, None, {"Mcp-Param-Place": "x"}, 1),
    Row("M6", "further inside, missing", calling("mirrored", deep={"place": "x"}), 400, -32020, {}, 1),
]


@pytest.mark.parametrize(
    "row", PARSED + ERAS + STATELESS + UNASKED + REPEATED, ids=lambda row: f"{row.requirement} {row.name}"
)
def test_a_message_is_answered(server: Server, row: Row) -> None:
    body = row.message if isinstance(row.message, bytes) else encoded(row.message)
    known = isinstance(row.message, dict) and isinstance(row.message.get("params"), dict) and "method" in row.message
    good = mirrored(row.message) if known else {**JSON, "MCP-Protocol-Version": NEW, "Mcp-Method": "tools/list"}
    fields: Fields = {name: value for name, value in {**good, **row.fields}.items() if value is not None}
    if row.requirement == "P4" and isinstance(row.message, list):
        del fields["MCP-Protocol-Version"]
    answer = server.ask("POST", fields=fields, body=body)
    assert answer.status == row.status, answer
    assert (answer.field("mcp-session-id") is None) == (row.requirement != "R1")
    if row.status == 202:
        assert answer.body == b""
        return
    assert answer.field("content-type") == "application/json"
    message = answer.message
    assert message.get("error", {}).get("code") == row.code
    assert message.get("id", NOTHING) == row.id


def test_an_unknown_version_is_told_what_is_spoken(server: Server) -> None:
    """Test requirement M2: the error for an unknown revision lists the supported ones.

    The server first checks that header fields and body agree, then the revision, then the JSON-RPC method.
    """
    message = stateless("x/y", _meta=meta() | {META + "protocolVersion": "2099-01-01"})
    answer = server.ask(
        "POST", fields=mirrored(message, **{"MCP-Protocol-Version": "2099-01-01"}), body=encoded(message)
    )
    assert answer.status == 400
    assert answer.message["id"] == 1
    assert answer.message["error"]["code"] == -32022
    assert answer.message["error"]["data"] == {"supported": [NEW], "requested": "2099-01-01"}


def test_a_capability_that_is_missing_is_named(server: Server) -> None:
    """Test requirement M9: the error names the missing capability if a call must ask its user but the client cannot."""
    message = calling("remove", id="x")
    message["params"]["_meta"][META + "clientCapabilities"] = {}
    answer = server.ask("POST", fields=mirrored(message), body=encoded(message))
    assert answer.status == 400
    assert answer.message["error"]["code"] == -32021
    assert "elicitation" in answer.message["error"]["data"]["requiredCapabilities"]


def test_a_forged_state_is_refused(server: Server) -> None:
    """Test requirements M8 and M17: an answer with a forged `requestState` is refused, since no question was asked."""
    message = calling("remove", id="x")
    message["params"] |= {"requestState": "A" * 120, "inputResponses": {"confirm": {"action": "accept"}}}
    answer = server.ask("POST", fields=mirrored(message), body=encoded(message))
    assert (answer.status, answer.message["error"]["code"]) == (400, -32602)


def test_a_chunked_body_is_read(server: Server) -> None:
    """Test requirement P7: a chunked body is read, wherever the chunks are cut."""
    body = encoded(LIST)
    with server.connect() as connection:
        connection.send("POST", fields={**mirrored(LIST), "Transfer-Encoding": "chunked"})
        for start in range(0, len(body), 7):
            piece = body[start : start + 7]
            connection.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        connection.write(b"0\r\n\r\n")
        assert connection.answer().message["id"] == "list"


def test_a_body_that_is_promised_is_asked_for(server: Server) -> None:
    """Test requirement P7: `Expect: 100-continue` gets the status 100, and then the response."""
    body = encoded(LIST)
    fields = {**mirrored(LIST), "Content-Length": str(len(body)), "Expect": "100-continue"}
    with server.connect() as connection:
        connection.send("POST", fields=fields)
        assert connection.head().status == 100
        connection.write(body)
        assert connection.answer().message["id"] == "list"


def test_both_eras_are_served_on_one_connection(server: Server) -> None:
    """Test requirements R2, R4 and M16: one connection serves MCP revisions with and without a handshake.

    A session belongs to one revision, a connection to none. The connection stays open after each request.
    """
    with server.connect() as connection:
        for proposed, agreed in (("2025-03-26", "2025-03-26"), ("2024-11-05", "2024-11-05"), ("1999-01-01", OLD)):
            hello = request("initialize", protocolVersion=proposed, capabilities={})
            answer = connection.ask("POST", fields=JSON, body=encoded(hello))
            assert answer.message["result"]["protocolVersion"] == agreed
            assert connection.ask("POST", fields=mirrored(LIST), body=encoded(LIST)).message["id"] == "list"
