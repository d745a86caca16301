"""Test real clients with tools that ask the user first: a request reaches the API only after a yes to exactly this
call.

The clients use revisions with a handshake, and the stateless revision.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.interop import schemas
from tests.interop.messages import R3, R5
from tests.interop.sessions import Confirmed

DELETED = ("DELETE", "/v1/pets/9")
Jobs = dict[str, Confirmed]


def job(confirmed: Jobs, name: str) -> Confirmed:
    if name not in confirmed:
        pytest.skip("this revision has nothing of the kind")
    return confirmed[name]


def refusal(outcome: dict[str, Any]) -> str:
    """Return the text of an error result."""
    assert outcome.get("result", {}).get("isError") is True, outcome
    text: str = outcome["result"]["content"][0]["text"]
    return text


def questions(work: Confirmed) -> list[dict[str, Any]]:
    """Return the messages of the questions that the client was asked, by requests of the server or by results
    of calls.
    """
    found = []
    for message in work.conversation.messages():
        asked = message.content.get("result", {}).get("inputRequests", {}).values()
        found += [each["params"] for each in asked]
        if message.content.get("method") == "elicitation/create":
            found.append(message.content["params"])
    return found


def test_accepted(confirmed: Jobs) -> None:
    work = job(confirmed, "accepted")
    [outcome] = work.outcomes
    assert "204" in outcome["result"]["content"][0]["text"], outcome
    assert work.sent == [DELETED]
    [asked] = questions(work)
    first, request, argument = asked["message"].split("\n")
    assert first == "Go on with this call of delete_pet?"
    assert request.startswith("DELETE http://127.0.0.1:")
    assert request.endswith("/v1/pets/9")
    assert argument == "- petId: 9"


@pytest.mark.parametrize(("name", "told"), [("declined", "The user said no"), ("cancelled", "The user closed")])
def test_not_accepted(confirmed: Jobs, name: str, told: str) -> None:
    work = job(confirmed, name)
    assert all(told in refusal(outcome) for outcome in work.outcomes)
    assert work.sent == []


def test_wrong_arguments_are_told_and_nobody_is_asked(confirmed: Jobs) -> None:
    work = job(confirmed, "wrong arguments")
    assert "petId: expected an integer" in refusal(work.outcomes[0])
    assert questions(work) == []


def test_expired(confirmed: Jobs) -> None:
    work = job(confirmed, "expired")
    assert "did not answer within" in refusal(work.outcomes[0])
    assert work.sent == []


def test_without_the_capability(confirmed: Jobs) -> None:
    """Call tools as a client without elicitation.

    A tool with required confirmation refuses, and one with optional confirmation runs.
    """
    work = confirmed["without"]
    must, may = work.outcomes
    stateless = work.client.revision == R5
    told = must["error"]["message"] if stateless else refusal(must)
    assert "does not declare the capability elicitation" in told
    assert must.get("error", {}).get("code") == (-32021 if stateless else None)
    assert "204" in may["result"]["content"][0]["text"]
    assert work.sent == [DELETED]
    assert questions(work) == []


def test_three_questions_are_answered_and_the_answers_are_sent(confirmed: Jobs) -> None:
    work = job(confirmed, "three questions")
    assert work.sent == [("DELETE", "/v1/pets/9?kind=dog&reason=too%20old&signs=old&signs=ill")], work.outcomes
    assert [asked["message"] for asked in questions(work)] == ["What kind of pet?", "Which dog?", "Why the dog 9?"]


def test_a_question_is_asked_where_it_applies_and_takes_defaults(confirmed: Jobs) -> None:
    work = job(confirmed, "two questions")
    assert work.sent == [("DELETE", "/v1/pets/9?kind=cat")], work.outcomes
    assert [asked["message"] for asked in questions(work)] == ["What kind of pet?", "Which cat?"]


@pytest.mark.parametrize(
    ("name", "told"), [("question declined", "The user declined"), ("question cancelled", "The user closed")]
)
def test_not_answered_at_all(confirmed: Jobs, name: str, told: str) -> None:
    work = job(confirmed, name)
    assert told in refusal(work.outcomes[0])
    assert work.sent == []


def test_wrong_answers(confirmed: Jobs) -> None:
    work = job(confirmed, "wrong answers")
    assert "the answers did not fit" in refusal(work.outcomes[0])
    assert work.sent == []
    last = questions(work)[-1]["message"]
    assert last == "petId: expected a number of at least 1; got 0\nWhich cat?"


def test_a_hook_asks_and_its_request_is_sent_once(confirmed: Jobs) -> None:
    work = job(confirmed, "a hook asks")
    assert work.sent == [("DELETE", "/v1/pets/9?reason=too%20old&sign=old")], work.outcomes
    assert [asked["message"] for asked in questions(work)] == ["Why pet 9?", "What shows that it is too old?"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a hook asks and is declined", "The user declined"),
        ("a hook asks and is cancelled", "The user closed"),
        ("a hook gets wrong answers", "the answers did not fit"),
    ],
)
def test_a_hook_asks_and_gets_no_answer(name: str, told: str, confirmed: Jobs) -> None:
    work = job(confirmed, name)
    assert told in refusal(work.outcomes[0])
    assert work.sent == []


@pytest.mark.parametrize("name", ["no questions", "no questions of hooks"])
def test_no_questions(name: str, confirmed: Jobs) -> None:
    work = confirmed[name]
    [outcome] = work.outcomes
    told = outcome["error"]["message"] if work.client.revision == R5 else refusal(outcome)
    assert "does not declare the capability elicitation" in told
    assert work.sent == []


def test_tampered(confirmed: Jobs) -> None:
    work = job(confirmed, "tampered")
    [again] = work.outcomes[0]["again"]
    assert again["error"]["code"] == -32602
    assert "not the one that was given" in again["error"]["message"]
    assert work.sent == []


def test_replayed(confirmed: Jobs) -> None:
    """Send an accepted confirmation (`requestState`) with other arguments, then with the original ones, then again.

    Only the second of these three calls may run.
    """
    work = job(confirmed, "replayed")
    other, same, twice = work.outcomes[0]["again"]
    assert "another call" in refusal(other)
    assert not same["result"].get("isError")
    assert "used already" in refusal(twice)
    assert work.sent == [DELETED]


def test_declined_and_then_accepted(confirmed: Jobs) -> None:
    work = job(confirmed, "declined first")
    assert "said no" in refusal(work.outcomes[0]["again"][0])
    assert "used already" in refusal(work.outcomes[0]["again"][1])
    assert work.sent == []


def test_not_answered_is_asked_again(confirmed: Jobs) -> None:
    work = job(confirmed, "not answered")
    [again] = work.outcomes[0]["again"]
    assert again["result"]["requestState"] != work.outcomes[0]["asked"]["requestState"]
    assert work.sent == []


def test_every_message_keeps_the_rules_and_fits_its_schema(confirmed: Jobs) -> None:
    for work in confirmed.values():
        for lines in work.transcripts:
            for message in lines.messages():
                if schemas.PRESENT:
                    schemas.check(message)
        assert "accepted" in confirmed or work.client.revision < R3


def test_the_client_has_no_complaint(confirmed: Jobs) -> None:
    assert [work.complaints for work in confirmed.values() if work.complaints] == []
