"""Test real clients with the generated petstore server: they list and call every tool.

Then the API must hold the same data as a second petstore that got the same requests without a server.

Each test runs for each client in each of its modes, and for a raw client in each of the five revisions.
"""

from __future__ import annotations

import base64
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from mcpgen.demo.petstore.store import TABLES
from tests.demo.exchange import Received
from tests.interop import calls, schemas
from tests.interop.calls import CASES, Case
from tests.interop.clients import Client, Outcome
from tests.interop.messages import BLOCKS
from tests.interop.sessions import Direct, Held, Session
from tests.interop.slow import TOGETHER
from tests.leaks import SECRET

NUMBERED = pytest.mark.parametrize("number", range(len(CASES)), ids=[case["case"] for case in CASES])
#: Phases of a call: request sent, headers received, body received.
PHASES = 3
#: Faults that the TypeScript clients report if progress arrives together with the response. By then, the clients have
#: dropped the progress token.
LATE = "progress notification for an unknown token"


def test_the_table_calls_every_tool(project: Path) -> None:
    tools = json.loads((project / "petstore_mcp" / "tools.json").read_text())
    assert calls.tools_called() == {tool["name"] for tool in tools}
    assert len(tools) == 24


def test_it_lists_every_tool(session: Session, project: Path) -> None:
    """Check that the list of tools, as the client parsed it, is equal to the server's `tools.json`."""
    assert "failed" not in session.listed, session.listed
    tools = json.loads((project / "petstore_mcp" / "tools.json").read_text())
    assert session.listed["tools"] == tools


def test_it_opens_in_the_revision_that_it_asks_for(session: Session) -> None:
    assert tuple(lines.requests()[0]["method"] for lines in session.transcripts) == session.client.opening
    spoken = {message.revision for lines in session.transcripts for message in lines.messages()}
    assert spoken == {session.client.revision}


@NUMBERED
def test_what_comes_back(session: Session, direct: Direct, number: int) -> None:
    case, outcome = CASES[number], session.outcomes[number]
    assert "failed" not in outcome, outcome
    if "error" in case:
        assert outcome["error"]["code"] == case["error"]
        assert all(fragment in outcome["error"]["message"] for fragment in case["text"])
        return
    result = outcome["result"]
    assert result.get("isError", False) == case.get("isError", False)
    _compare_block(result["content"][0], case["back"], session.client.revision)
    answer = direct.answers[number]
    if answer is not None and "isError" not in case:
        _compare_answer(result["content"][0], answer)


def _compare_block(block: dict[str, Any], expected: dict[str, Any], revision: str) -> None:
    """Check that a content block has the expected type, or type `resource` in a revision without that type."""
    known = BLOCKS[expected["type"]] <= revision
    assert block["type"] == (expected["type"] if known else "resource")
    if "mimeType" in expected:
        assert block.get("resource", block)["mimeType"] == expected["mimeType"]
    for fragment in expected.get("text", ()):
        assert fragment in block["text"]


def _compare_answer(block: dict[str, Any], answer: Received) -> None:
    """Check that the client got the API's response: JSON as JSON, text as text, bytes as bytes."""
    if answer.media == "application/json":
        assert json.loads(block["text"]) == answer.json()
    elif block["type"] != "text":
        data = block["resource"]["blob"] if block["type"] == "resource" else block["data"]
        assert base64.b64decode(data, validate=True) == answer.body
    elif answer.status != 204:
        assert block["text"] == answer.body.decode()


@NUMBERED
def test_what_the_api_received(session: Session, number: int) -> None:
    assert len(session.api.requests) == sum("request" in case for case in CASES)
    if "request" in CASES[number]:
        before = sum("request" in case for case in CASES[:number])
        calls.compare_request(CASES[number]["request"], session.api.requests[before])


WRITES = [case for case in CASES if case.keys() & {"holds", "lacks"}]


@pytest.mark.parametrize("case", WRITES, ids=lambda case: str(case["case"]))
def test_what_the_api_holds(session: Session, case: Case) -> None:
    for table, wanted in case.get("holds", {}).items():
        assert [row for row in session.api.store.rows(table) if calls.matches(row, wanted)], wanted
    for table, unwanted in case.get("lacks", {}).items():
        assert not [row for row in session.api.store.rows(table) if calls.matches(row, unwanted)], unwanted


def test_the_api_holds_what_the_same_requests_make_it_hold_directly(session: Session, direct: Direct) -> None:
    # the table `replays` is not compared: its rows contain idempotency keys, which the server draws at random
    for table in set(TABLES) - {"replays"}:
        assert session.api.store.rows(table) == direct.api.store.rows(table), table


def test_progress_comes_where_it_was_asked_for(session: Session) -> None:
    """Check progress of calls for which the client asked for it.

    Most calls end before there is any progress; another test covers long calls.
    """
    for case, outcome in zip(CASES, session.outcomes, strict=True):
        heard = [report["progress"] for report in outcome.get("progress", [])]
        assert heard == sorted(set(heard))
        assert len(heard) <= (PHASES if case.get("progress") else 0), case["case"]


def test_every_message_keeps_the_rules(session: Session) -> None:
    """Check all messages by the rules in `messages.py`: the JSON of each line, the request that a response answers, and
    what the revision allows.
    """
    for lines in session.transcripts:
        assert lines.messages()
        assert len(lines.requests()) == sum("id" in message.content for message in lines.messages())


@pytest.mark.skipif(not schemas.PRESENT, reason="the JSON Schemas of MCP are not beside this repository")
def test_every_message_fits_its_schema(session: Session) -> None:
    for lines in session.transcripts:
        for message in lines.messages():
            schemas.check(message)


def test_the_client_has_no_complaint(session: Session) -> None:
    assert [complaint for complaint in session.complaints if LATE not in complaint] == []


def test_the_server_lives_and_ends_quietly(session: Session) -> None:
    said = b"".join(session.conversation.said("stderr"))
    assert b"Traceback" not in said
    assert SECRET.encode() not in said
    assert session.conversation.code in _endings(session.client)


def _endings(client: Client) -> set[int | None]:
    """Return the allowed exit codes of the server with this client. None: the recorder has recorded no exit code.

    The raw client closes stdin and waits. Other clients soon terminate, then kill the process that they started: the
    recorder, which starts the server (`recorder.py`). It passes SIGTERM on, but if it is killed, it records nothing.
    """
    return {0} if client.name == "raw" else {0, 128 + signal.SIGTERM, None}


def test_a_call_that_is_given_up_hangs_up_on_the_api(held: Held) -> None:
    """Cancel a call whose request the API does not answer. The connection to the API must be closed.

    The server continues, and sends nothing more about this call.
    """
    given_up, _, after = held.outcomes
    assert given_up == {"abandoned": True}
    assert held.closed
    assert _answered(after) == {"target": "/inventory"}
    cancelled = [json.loads(line) for line in held.conversation.said("client") if b"notifications/cancelled" in line]
    assert len(cancelled) == 1
    answered = [message.content.get("id") for message in held.conversation.messages()]
    assert cancelled[0]["params"]["requestId"] not in answered


def test_a_call_that_lasts_reports_progress(held: Held) -> None:
    """Check the progress of a call that the API does not answer.

    The last reported phase is that the request was sent.
    """
    reports = [each for each in held.conversation.messages() if each.method == "notifications/progress"]
    assert len(reports) == 1
    assert reports[0].content["params"]["progress"] in range(1, PHASES + 1)


def test_calls_made_together_are_under_way_together(held: Held) -> None:
    """Make several calls together. The API answers none of them before it has received all.

    Each call must get its own response.
    """
    answers = [_answered(outcome) for outcome in held.outcomes[1]["together"]]
    assert answers == [{"target": f"/adoptions/{key}"} for key in range(1, TOGETHER + 1)]


def _answered(outcome: Outcome) -> Any:
    assert "result" in outcome, outcome
    return json.loads(outcome["result"]["content"][0]["text"])


def test_the_client_has_no_complaint_around_them(held: Held) -> None:
    assert [complaint for complaint in held.complaints if LATE not in complaint] == []


@pytest.mark.skipif(not schemas.PRESENT, reason="the JSON Schemas of MCP are not beside this repository")
def test_messages_around_them_fit_their_schema(held: Held) -> None:
    for message in held.conversation.messages():
        schemas.check(message)
