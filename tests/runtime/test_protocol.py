"""Test the protocol with limits, random input, and events in any order. `test_transcripts.py` tests conversations."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from package.runtime.core import effects, protocol
from package.runtime.core.catalog import Catalog
from package.runtime.core.effects import CAPABILITIES, METHODS, Call, Send
from package.runtime.core.jsonrpc import MAX_BATCH, MAX_ID, MAX_LINE, Request, parse
from package.runtime.core.protocol import Protocol
from package.runtime.core.wire_formats import Result

from mcpgen.check.too_many_tools import LONGEST_LIST
from tests.runtime.conversation import FEATURED, TABLE, Conversation
from tests.runtime.revisions import ENVELOPE, R1, R2, R3, R4, R5, REVISIONS, SCHEMAS


def request(id_: object, method: str, revision: str = R5, **params: object) -> str:
    meta = {"_meta": ENVELOPE} if revision == R5 else {}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params, **meta}})


def call(id_: object, name: str = "wait", revision: str = R5, **arguments: object) -> str:
    return request(id_, "tools/call", revision, name=name, arguments=arguments)


def shaken(revision: str, table: Path = TABLE) -> Conversation:
    """Return a conversation after the handshake for this protocol revision."""
    conversation = Conversation(table=table)
    conversation.ask(request("hello", "initialize", R1, protocolVersion=revision))
    return conversation


def test_schemas_are_there() -> None:
    """Fail if the published schemas are missing. Other tests then use only the handwritten checks of revisions.py."""
    if not SCHEMAS.is_dir():
        pytest.skip(f"no schemas of the revisions in {SCHEMAS}: messages are checked by hand-written rules only")
    assert {path.stem for path in SCHEMAS.glob("*.json")} == set(REVISIONS)


def test_the_table_in_the_docstring_is_the_table() -> None:
    assert effects.__doc__ is not None
    rows = re.findall(r"^    (\w+(?:/\w+)*) {2,}([ x]+)$", effects.__doc__, re.MULTILINE)
    heading = re.search(r"^ +2024.*$", effects.__doc__, re.MULTILINE)
    assert heading is not None
    columns = [heading.group().index(revision) + len(revision) // 2 for revision in REVISIONS]
    drawn = {}
    for method, _ in rows:
        line = next(line for line in effects.__doc__.splitlines() if line.startswith(f"    {method} "))
        drawn[method] = {r for r, c in zip(REVISIONS, columns, strict=True) if "x" in line[c - 2 : c + 3]}
    meant = {method: {r for r in REVISIONS if since <= r <= until} for method, (since, until, _) in METHODS.items()}
    assert drawn == meant


def test_every_method_has_its_handler() -> None:
    assert all(callable(getattr(Protocol, handler)) for _, _, handler in METHODS.values())


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("method", [*METHODS, "no/such"])
def test_each_method_exists_where_the_table_says(method: str, revision: str) -> None:
    conversation = Conversation(table=FEATURED) if revision == R5 else shaken(revision, FEATURED)
    conversation.offer_tasks()
    conversation.offer_logging()
    conversation.offer_polls()
    conversation.offer_skills()
    if revision != R5 and method in ("server/discover", "subscriptions/listen", "tasks/update"):
        return  # these methods exist only in the stateless revision
    [answer] = conversation.ask(request(1, method, revision, name="echo", notifications={}, protocolVersion=revision))
    since, until, _ = METHODS.get(method, ("", "", ""))
    assert ("error" in answer and answer["error"]["code"] == -32601) is not (since <= revision <= until)


IDS = {
    "the longest": ("x" * MAX_ID, True),
    "IO-08: a longer one": ("x" * (MAX_ID + 1), False),
    "IO-08: a megabyte": ("x" * 1_000_000, False),
    "an integer of 308 digits": (10**307, True),
}


@pytest.mark.parametrize(("id_", "good"), IDS.values(), ids=IDS.keys())
def test_ids(id_: object, good: bool) -> None:
    [answer] = Conversation().ask(request(id_, "ping", R1))
    assert answer.get("id") == (id_ if good else None)
    assert ("result" in answer) is good


def test_io_03_invalid_utf_8_is_refused_and_not_replaced() -> None:
    good = call(1, "echo", text="?").encode() + b"\n"
    for bad in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"):
        conversation = Conversation()
        conversation.say(good.replace(b"?", bad) + bad + b"\n" + good)
        first, second, third = conversation.take()
        assert first["error"]["code"] == second["error"]["code"] == -32700
        assert third["result"]["content"][0]["text"] == "?"
        assert conversation.called == ["echo"]


def test_io_01_a_line_that_is_too_long_costs_only_itself() -> None:
    conversation = Conversation(limit=1000)
    long = call(1, "echo", text="x" * 2000).encode()
    conversation.say(long + b"\n" + request(2, "ping", R1).encode() + b"\n")
    first, second = conversation.take()
    assert first["error"] == {"code": -32600, "message": f"The message is too large: {len(long)} bytes."}
    assert second == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_io_06_an_incomplete_last_line_is_answered_too() -> None:
    for last, key in ((request(1, "ping", R1), "result"), (request(1, "ping", R1)[:-1], "error")):
        conversation = Conversation()
        conversation.say(last.encode(), end=True)
        [answer] = conversation.take()
        assert key in answer


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), {1}, object()])
def test_a_result_that_is_no_json_is_an_error_and_not_a_crash(bad: object) -> None:
    told = Protocol(Catalog.load(str(TABLE)))
    for result in (
        Result([], structured={"a": bad}),
        Result([{"no": "type"}]),
        Result([{"type": "text", "text": bad}]),
    ):
        [effect] = told.receive(parse(call(1).encode()))
        assert isinstance(effect, Call)
        answer = json.loads(told.finished(effect.key, result) or b"")
        assert answer["error"]["code"] == -32603


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("text", ["x" * MAX_LINE, "\u00e9" * (MAX_LINE // 6)], ids=["plain", "escaped"])
def test_a_result_that_is_too_large_says_so(revision: str, text: str) -> None:
    conversation = Conversation() if revision == R5 else shaken(revision)
    conversation.take()
    for result, fits in ((text, False), (text[: -len(text) // 1000], True)):
        conversation.ask(call(2, "wait", revision))
        conversation.happen(f"done 2 {result}")
        [answer] = conversation.take()
        assert answer["result"]["isError"] is not fits
        assert ("more than clients read" in answer["result"]["content"][0]["text"]) is not fits


def test_a_batch_whose_answers_are_too_large_for_one_line_takes_several() -> None:
    conversation = shaken(R2)
    conversation.say(f"[{','.join(call(n, 'wait', R2) for n in range(5))}]\n".encode())
    for n in range(5):
        conversation.happen(f"done {n} " + "x" * (MAX_LINE // 3))
    assert [[answer["id"] for answer in answers] for answers in conversation.take()] == [[0, 1], [2, 3], [4]]


def test_a_batch_has_a_bound() -> None:
    conversation = shaken("2025-03-26")
    ping = request(1, "ping", R1)
    many = [request(n, "ping", R1) for n in range(MAX_BATCH)]
    [refused] = conversation.ask(f"[{','.join([*many, '7', '{}', '[]'])}]")
    assert [answer["id"] for answer in refused] == [*range(MAX_BATCH)]
    assert {(answer["error"]["code"], answer["error"]["message"]) for answer in refused} == {
        (-32600, f"A batch holds at most {MAX_BATCH} messages.")
    }
    [nameless] = conversation.ask(f"[{','.join(['7'] * (MAX_BATCH + 1))}]")
    assert nameless["id"] is None
    [answers] = conversation.ask(f"[{','.join([ping] * MAX_BATCH)}]")
    assert len(answers) == MAX_BATCH


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_longest_list_that_is_compiled_is_answered(revision: str) -> None:
    """Answer `tools/list` with the longest list of tools that the compiler allows. It refuses longer ones, so a server
    can send every list.
    """
    catalog = Catalog.load(str(TABLE))
    catalog.tools = [b"[", b" " * (LONGEST_LIST - 2), b"]"]
    spoken = Protocol(catalog)
    if revision != R5:
        spoken.receive(parse(request(1, "initialize", R1, protocolVersion=revision).encode()))
    [effect, *_] = spoken.receive(parse(request("i" * MAX_ID, "tools/list", revision).encode()))
    assert isinstance(effect, Send)
    assert json.loads(effect.line)["result"]["tools"] == []


def test_a_list_that_is_too_large_is_an_error() -> None:
    catalog = Catalog.load(str(TABLE))
    catalog.tools = [b"[", b" " * MAX_LINE, b"]"]
    [effect] = Protocol(catalog).receive(parse(request(1, "tools/list").encode()))
    assert isinstance(effect, Send)
    assert json.loads(effect.line)["error"]["code"] == -32603


def test_only_a_listing_lets_expect_a_call() -> None:
    conversation = Conversation()
    for quiet in (
        request(1, "server/discover"),
        request(2, "ping", R1),
        request(3, "initialize", R1, protocolVersion=R1),
    ):
        conversation.ask(quiet)
        assert not conversation.expecting
    conversation.ask(request(4, "tools/list"))
    assert conversation.expecting


# Random input: valid and invalid messages in any order, split anywhere, with random events of the API in between.

ID: st.SearchStrategy[object] = st.sampled_from([0, 1, 2, "1", "", -1, "long" * 300, None, True, 1.0, 1.5, [], {}])
META = st.sampled_from(
    [ENVELOPE, {}, {**ENVELOPE, "progressToken": 1}, {"progressToken": "t"}, {next(iter(ENVELOPE)): R1}, None, [], 7]
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "_meta": META,
        "name": st.sampled_from(["echo", "show", "wait", "ekko", 7, None]),
        "arguments": st.sampled_from([{}, {"text": "x"}, {"structured": [1]}, {"kinds": ["audio", "link"]}, [], None]),
        "protocolVersion": st.sampled_from([*REVISIONS, "1900-01-01", 7]),
        "requestId": ID,
        "notifications": st.sampled_from([{}, {"toolsListChanged": True}, [], None]),
        "cursor": st.just("x"),
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "2.0", "1.0", 2]),
        "id": ID,
        "method": st.sampled_from([*METHODS, *METHODS, "notifications/cancelled", "notifications/initialized", "x", 7]),
        "params": PARAMS | st.sampled_from([[], "x", None]),
        "result": st.just({}),
    },
)
PROPER = st.builds(
    lambda id_, method, params: {"jsonrpc": "2.0", "id": id_, "method": method, "params": params},
    st.integers(0, 3),
    st.sampled_from(list(METHODS)),
    PARAMS,
)
LINE = st.one_of(
    PROPER.map(json.dumps),
    MESSAGE.map(json.dumps),
    st.lists(PROPER | MESSAGE, max_size=4).map(json.dumps),
    st.sampled_from(
        ["", "{", "[", "nul", '"', "[1]", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', "\ufeff{}", "1e999"]
    ),
).map(str.encode) | st.binary(max_size=60)
SPLITS = st.lists(st.integers(0, 400), max_size=6)


def pieces(data: bytes, splits: list[int]) -> list[bytes]:
    marks = [0, *sorted(min(at, len(data)) for at in splits), len(data)]
    return [data[a:b] for a, b in pairwise(marks)]


def upstream(conversation: Conversation, choice: int) -> None:
    """Report an event of the API (a result, progress or a failure) for a random call, even one that has ended."""
    known = [id_ for id_, key in conversation._keys.items() if key > 0]
    if known:
        id_ = json.dumps(known[choice % len(known)])
        conversation.happen((f"done {id_} text", f"progress {id_} {'x' * (choice % 7)}", f"broke {id_}")[choice % 3])


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(LINE, SPLITS, st.integers(0, 50)), max_size=12))
def test_io_18_any_bytes_bring_forth_only_well_formed_lines(said: list[tuple[bytes, list[int], int]]) -> None:
    """Check that random input causes only well-formed output lines. The conversation's checker judges every line.

    No exception may be raised. After the end of the input, only subscription streams may be without a response.
    """
    conversation = Conversation()
    for line, splits, choice in said:
        for piece in pieces(line + b"\n", splits):
            conversation.say(piece)
        upstream(conversation, choice)
    conversation.say(b"", end=True)
    conversation.happen("cut")
    assert conversation._protocol._in_flight.calls == {}
    assert all(key == 0 for key in conversation._protocol._in_flight.ids.values())


@settings(deadline=None)
@given(st.lists(LINE, max_size=8), SPLITS)
def test_any_split_gives_the_same_lines(said: list[bytes], splits: list[int]) -> None:
    data = b"\n".join(said)
    whole, parts = Conversation(), Conversation()
    whole.say(data, end=True)
    for piece in pieces(data, splits):
        parts.say(piece)
    parts.say(b"", end=True)
    assert parts.written == whole.written


@settings(deadline=None)
@given(st.sampled_from(REVISIONS), st.lists(PROPER, max_size=8))
def test_every_request_gets_exactly_one_answer(revision: str, requests: list[dict[str, Any]]) -> None:
    """Check that each request gets exactly one response. The conversation's checker refuses a second one."""
    conversation = Conversation() if revision == R5 else shaken(revision)
    for number, message in enumerate(requests):
        message["id"] = number
        conversation.say(json.dumps(message).encode() + b"\n")
    conversation.happen("cut")
    streams = [id_ for id_, key in conversation._protocol._in_flight.ids.items() if key == 0]
    assert sorted(map(str, conversation.unanswered())) == sorted(map(str, streams))


def test_parse_never_raises_for_what_a_request_holds() -> None:
    message = parse(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":[1,{"b":null}]}}}')
    assert isinstance(message, Request)
    assert message.params == {"arguments": {"a": [1, {"b": None}]}}


@pytest.mark.parametrize(
    ("declared", "modern", "legacy"),
    [
        ({"elicitation": {}}, "result", "request"),
        ({"elicitation": {"form": {}}}, "result", "request"),
        ({"elicitation": {"form": {}, "url": {}}}, "result", "request"),
        ({"elicitation": {"url": {}}}, "", ""),
        ({"elicitation": True}, "", ""),
        ({"sampling": {}}, "", ""),
        ({}, "", ""),
    ],
)
def test_mcp_24_a_call_knows_how_its_user_can_be_asked(declared: object, modern: str, legacy: str) -> None:
    for revision in REVISIONS:
        conversation = Conversation()
        if revision == R5:
            meta = {**ENVELOPE, CAPABILITIES: declared}
            params = {"name": "wait", "requestState": "s", "inputResponses": {"a": 1}, "_meta": meta}
            conversation.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
        else:
            conversation.ask(request("hello", "initialize", R1, protocolVersion=revision, capabilities=declared))
            conversation.ask(request(1, "tools/call", revision, name="wait", requestState="s", inputResponses={"a": 1}))
        [dialogue] = conversation.dialogues
        expected = modern if revision == R5 else legacy if revision >= R3 else ""
        assert (dialogue.way, dialogue.revision) == (expected, revision)
        assert (dialogue.state, dialogue.responses) == (("s", {"a": 1}) if revision == R5 else (None, {}))


@pytest.mark.parametrize(
    ("handshakes", "meta", "origin", "way"),
    [
        ([], ENVELOPE, (None, None, None), ""),
        ([], {**ENVELOPE, "io.modelcontextprotocol/clientInfo": "now"}, ("now", None, None), ""),
        (["first"], {}, ("first", None, None), "request"),
        (["first", "second"], {}, ("second", None, None), ""),
        (["first"], {"traceparent": 1, "tracestate": 2}, ("first", 1, 2), "request"),
        (["first"], {"io.modelcontextprotocol/clientInfo": "now"}, ("now", None, None), "request"),
        (["first"], ENVELOPE, ("first", None, None), ""),
    ],
)
def test_who_calls_is_who_says_so_last(
    handshakes: list[str], meta: dict[str, Any], origin: tuple[object, ...], way: str
) -> None:
    """Check which client a call is attributed to: the one in the request's `_meta`, else the one of the last handshake.

    In these cases, only the handshake of the client named `first` declares elicitation.
    """
    told = Protocol(Catalog.load(str(TABLE)))
    for client in handshakes:
        declared: dict[str, object] = {"elicitation": {}} if client == "first" else {}
        hello = request(0, "initialize", R4, protocolVersion=R4, capabilities=declared, clientInfo=client)
        told.receive(parse(hello.encode()))
    params = {"name": "wait", **({"_meta": meta} if meta else {})}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    [effect] = told.receive(parse(line.encode()))
    assert isinstance(effect, Call)
    assert effect.origin is not None
    assert (effect.origin.client, effect.origin.traceparent, effect.origin.tracestate) == origin
    assert effect.dialogue.way == way


@pytest.mark.parametrize("capabilities", [None, [], "elicitation", {"elicitation": None}])
def test_capabilities_that_are_none_are_none(capabilities: object) -> None:
    conversation = Conversation()
    conversation.ask(request("hello", "initialize", R1, protocolVersion=R4, capabilities=capabilities))
    conversation.ask(call(1, revision=R4))
    assert conversation.dialogues[0].way == ""


def test_mcp_24_only_so_many_are_asked_at_once() -> None:
    conversation = Conversation()
    conversation.ask(request("hello", "initialize", R1, protocolVersion=R4, capabilities={"elicitation": {}}))
    for number in range(protocol.MOST + 1):
        conversation.say(call(number, revision=R4).encode() + b"\n")
        conversation.happen(f"ask {number} Go on?")
    assert conversation.written[-1] == "~ cannot be asked"
    assert len(conversation.take()) == protocol.MOST
    conversation.say(b'{"jsonrpc":"2.0","id":"mcpgen-3","result":{"action":"decline"}}\n')
    conversation.happen(f"ask {protocol.MOST} Go on?")
    [asked] = conversation.take()
    assert asked["id"] == f"mcpgen-{protocol.MOST + 1}"
