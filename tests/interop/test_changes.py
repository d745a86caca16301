"""Test real clients with a server that is generated again (MCP-27): each client is notified, and calls the new tool."""

from __future__ import annotations

from tests.interop import schemas
from tests.interop.messages import META, R5
from tests.interop.sessions import Changed

TOLD = "notifications/tools/list_changed"


def test_the_new_tool_is_seen_and_called_while_an_old_call_runs(changed: Changed) -> None:
    before, [held, change] = changed.outcomes[0], changed.outcomes[1]["together"]
    listed, called = change["then"]
    assert [tool["name"] for tool in before["tools"]] == ["get_held"]
    assert [tool["name"] for tool in listed["tools"]] == ["get_fresh", "get_held"]
    assert called["result"]["content"][0]["text"] == "/fresh is here"
    assert held["result"]["content"][0]["text"] == "/held is here"
    assert changed.sent == ["/held", "/fresh"]


def test_it_is_told_once_in_the_words_of_the_era(changed: Changed) -> None:
    messages = changed.conversation.messages(changes=True)
    [told] = [message.content for message in messages if message.method == TOLD]
    assert (META + "subscriptionId" in told["params"].get("_meta", {})) is (changed.client.revision == R5)


def test_every_message_keeps_the_rules_and_fits_its_schema(changed: Changed) -> None:
    for lines in changed.transcripts:
        for message in lines.messages(changes=True):
            if schemas.PRESENT:
                schemas.check(message)
    assert changed.conversation.code == 0


def test_the_client_has_no_complaint(changed: Changed) -> None:
    assert changed.complaints == []
