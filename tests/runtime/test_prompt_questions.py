"""Test prompts that ask the user for missing arguments: the answers appear as texts in the prompt's messages.

The tests use revisions with a handshake, and the stateless revision.
"""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.core.effects import Dialogue, GetPrompt, Origin
from package.runtime.core.wire_formats import Failure, OtherOutcome, Question

from tests.runtime.revisions import R4, R5
from tests.runtime.test_questions import Scene, accept, run

ENTRY: Any = {
    "listed": {"name": "plan", "arguments": [{"name": "city", "required": True}]},
    "ask": [
        {
            "name": "days",
            "message": ["How long in ", {"argument": "city"}, "?"],
            "form": {
                "days": {"type": "integer", "minimum": 1},
                "likes": {"type": "array", "items": {"enum": ["a", "b"]}},
            },
            "required": ["days"],
        }
    ],
    "messages": [{"role": "user", "text": [{"argument": "days"}, {"argument": "city"}, {"argument": "likes"}]}],
}


async def get(the: Scene, way: str = "request", state: str | None = None, **responses: Any) -> Any:
    dialogue = Dialogue(way, R4 if way == "request" else R5, state, responses)
    wanted = GetPrompt(ENTRY, {"city": "Rome"}, lambda uri: None, dialogue, Origin())
    try:
        return await the.caller.get_prompt(wanted, the.ask)
    except OtherOutcome as ended:
        return ended.outcome


def test_answers_stand_in_messages_as_texts() -> None:
    async def scene(the: Scene) -> None:
        the.replies = [accept(days=3, likes=["a", "b"])]
        made = await get(the)
        assert made.messages[0]["content"]["text"] == "3Romea, b"
        assert the.asked[0].message == "How long in Rome?"

    run(scene)


def test_between_two_requests() -> None:
    async def scene(the: Scene) -> None:
        first = await get(the, "result")
        assert isinstance(first, Question)
        wrong = await get(the, "result", first.state, days=accept(days=0))
        assert wrong.message.startswith("days: expected a number of at least 1")
        made = await get(the, "result", wrong.state, days=accept(days=2))
        assert made.messages[0]["content"]["text"] == "2Rome"
        again = await get(the, "result", wrong.state, days=accept(days=2))
        assert "used already" in again.sentence

    run(scene)


@pytest.mark.parametrize(
    ("way", "reply", "code", "told"),
    [
        ("request", {"action": "decline"}, -32602, "The prompt was not made. The user declined"),
        ("request", accept(days=0), -32602, "the answers did not fit"),
        ("", None, -32021, "cannot ask"),
    ],
)
def test_without_an_answer_there_is_no_prompt(way: str, reply: object, code: int, told: str) -> None:
    async def scene(the: Scene) -> None:
        the.replies = [reply] * 3
        failure = await get(the, way)
        assert isinstance(failure, Failure)
        assert (failure.code, told in failure.sentence) == (code, True)

    run(scene)
