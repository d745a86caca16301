"""Test tools that ask the user for arguments by a form, at a raw socket and in all revisions.

Only valid answers become arguments.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core import spans
from package.runtime.core.effects import Dialogue
from package.runtime.core.wire_formats import Failure, OtherOutcome, Question, Result, Task
from package.runtime.questions import signed_state
from package.runtime.questions.forms import FormQuestion
from package.runtime.questions.signed_state import Tickets
from package.runtime.settings import settings

from tests.runtime.revisions import R4, R5
from tests.runtime.table_stub import Catalog
from tests.runtime.test_tickets import Clock
from tests.runtime.upstream import Upstream, answer_ok, serving

TEXT = {"type": "string"}
ADDRESS: dict[str, Any] = {
    "name": "address",
    "message": ["Where to send ", {"argument": "item"}, "?"],
    "form": {
        "street": {"type": "string"},
        "floor": {"type": "integer", "minimum": 0},
        "country": {"type": "string", "oneOf": [{"const": "DE", "title": "Germany"}], "default": "DE"},
        "mail": {"type": "string", "title": "Your address", "format": "email"},
        "site": {"type": "string", "format": "uri"},
    },
    "arguments": {
        "street": {"type": "string", "pattern": "^[A-Z]"},
        "floor": {"type": "integer"},
        "country": TEXT,
        "mail": TEXT,
        "site": TEXT,
    },
    "required": ["street"],
}
CARD: dict[str, Any] = {
    "name": "card",
    "message": ["What shall the card say?"],
    "form": {"text": TEXT},
    "arguments": {"text": TEXT},
    "required": ["text"],
    "when": {"gift": {"const": True}, "country": {"enum": ["DE"]}},
    "without": "arguments",
}
MISSING: dict[str, Any] = {
    "name": "missing",
    "message": ["What else?"],
    "form": {"item": TEXT, "size": TEXT},
    "required": ["item", "size"],
    "missing": True,
}
NAMES = ("item", "gift", "size", "street", "floor", "country", "text", "mail", "site")
POST: Any = {
    "method": "POST",
    "path": ["/orders"],
    "body": {
        "contentType": "application/json",
        "encoding": "json",
        "fields": [{"argument": n, "name": n} for n in NAMES],
    },
}
SCHEMA = {"type": "object", "properties": {"item": TEXT, "gift": {"type": "boolean"}}, "required": ["item"]}
SIZED = {"type": "object", "properties": {"item": TEXT, "size": TEXT}}
TOOLS: dict[str, dict[str, Any]] = {
    "order": {"schema": SCHEMA, "binding": {**POST, "ask": [ADDRESS, CARD]}},
    "other": {"schema": SCHEMA, "binding": {**POST, "ask": [ADDRESS, CARD]}},
    "card": {"schema": SCHEMA, "binding": {**POST, "ask": [{**CARD, "when": {"gift": {"const": True}}}]}},
    "sized": {"schema": SIZED, "binding": {**POST, "ask": [MISSING]}},
    "both": {"schema": SCHEMA, "binding": {**POST, "ask": [ADDRESS], "confirm": "always"}},
    "plain": {"schema": SCHEMA, "binding": POST},
    "keyed": {
        "schema": SCHEMA,
        "binding": {**POST, "ask": [{**ADDRESS, "message": ["By sk-0", {"argument": "item"}]}]},
    },
    "agreed": {"schema": SCHEMA, "binding": {**POST, "confirm": "always"}},
}
HERE = {"street": "Main 1"}
SECRET = "sk-0123456789abcdef"


def accept(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


class Scene:
    """A tool executor, its upstream and clock, the forms that its client got, and the client's answers, each used for
    one form.
    """

    def __init__(self, caller: ToolExecutor, upstream: Upstream) -> None:
        self.caller, self.upstream, self.clock = caller, upstream, Clock()
        self.asked: list[Any] = []
        self.replies: list[object] = []
        self.span = spans.Span()
        caller.lasting._states = Tickets(b"k" * 32, self.clock, self.clock.entropy)

    async def call(
        self, name: str = "order", way: str = "request", revision: str = R4, state: str | None = None, **more: Any
    ) -> Result | Failure | Question | Task:
        responses, arguments = more.pop("responses", None), more or {"item": "cup"}
        spans.enter(self.span)
        try:
            dialogue = Dialogue(way, revision, state, responses)
            return await self.caller.call(name, arguments, lambda phase: None, dialogue, self.ask)
        except OtherOutcome as ended:
            return ended.outcome

    async def stateless(self, name: str = "order", **more: Any) -> Any:
        return await self.call(name, "result", R5, **more)

    async def ask(self, form: object) -> object:
        assert isinstance(form, (FormQuestion, str))
        self.asked.append(form)
        return self.replies.pop(0)

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(each.partition(b"\r\n\r\n")[2]) for each in self.upstream.requests]


def run(scene: Callable[[Scene], Awaitable[None]]) -> None:
    async def main() -> None:
        async with serving(answer_ok) as upstream:
            catalog: Any = Catalog(TOOLS)
            caller = ToolExecutor(catalog, settings.load(catalog, {}, str(upstream.address("/v1"))))
            await asyncio.wait_for(scene(Scene(caller, upstream)), 30)
            await caller.close()

    asyncio.run(main())


def said(outcome: object) -> str:
    """Return the text of an error result."""
    assert isinstance(outcome, Result), outcome
    assert outcome.is_error, outcome
    return str(outcome.content[0]["text"])


class TestWhileTheCallRuns:
    def test_answers_become_arguments_and_defaults_fill_what_is_left_empty(self) -> None:
        async def scene(the: Scene) -> None:
            more = {"mail": "a@b.example", "site": "https://example.com/a"}
            the.replies = [accept(street="Main 1", floor=2, country="", stray="x", **more)]
            await the.call()
            assert the.sent == [{"item": "cup", "street": "Main 1", "floor": 2, "country": "DE", **more}]
            assert (the.asked[0].name, the.asked[0].message) == ("address", "Where to send cup?")
            assert the.span.questions == {"address": "accept"}

        run(scene)

    def test_a_later_question_depends_on_arguments_and_on_earlier_answers(self) -> None:
        async def scene(the: Scene) -> None:
            the.replies = [accept(**HERE), accept(text="Hi")]
            await the.call(item="cup", gift=True)
            assert the.sent[0]["text"] == "Hi"
            the.replies = [accept(**HERE)]
            await the.call(item="cup", gift=False)
            assert "text" not in the.sent[1]
            assert [each.name for each in the.asked] == ["address", "card", "address"]

        run(scene)

    @pytest.mark.parametrize(
        ("reply", "told", "noted"),
        [
            ({"action": "decline"}, "The user declined to answer", "decline"),
            ({"action": "cancel"}, "The user closed the question", "cancel"),
            (None, "no answer could be had", "lost"),
            ({"action": "ACCEPT", "content": HERE}, "no answer could be had", "lost"),
        ],
    )
    def test_without_an_answer_nothing_is_sent(self, reply: object, told: str, noted: str) -> None:
        async def scene(the: Scene) -> None:
            the.replies = [reply]
            assert told in said(await the.call())
            assert the.upstream.connections == 0
            assert the.span.unanswered == noted

        run(scene)

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            ({}, "street: is required"),
            ({"street": ""}, "street: is required"),
            ({"street": 7}, "street: expected a string"),
            ({"street": "small"}, "street: expected text that matches"),
            ({**HERE, "floor": -1}, "floor: expected a number of at least 0"),
            ({**HERE, "country": "FR"}, "country: expected"),
            ({"street": "M" * 40_000}, "more than 32,000 bytes"),
            *(
                ({**HERE, "mail": mail}, "Your address: expected an email address")
                for mail in ("a", "a@", "@b", "a b@c")
            ),
            *(({**HERE, "site": site}, "site: expected a URI") for site in ("a", "https:", "1a:b", "http://a b", ":b")),
            ({**HERE, "mail": 7}, "Your address: expected a string"),
        ],
    )
    def test_wrong_answers_are_asked_again_so_often_and_no_more(self, content: dict[str, Any], told: str) -> None:
        async def scene(the: Scene) -> None:
            the.replies = [accept(**content)] * 3
            assert "the answers did not fit" in said(await the.call())
            assert the.upstream.connections == 0
            assert len(the.asked) == 3
            assert told in the.asked[0].message  # the form is shown again, with an error about the last answer
            the.replies = [accept(**content), accept(**HERE)]
            await the.call()
            assert the.sent[0]["street"] == "Main 1"

        run(scene)

    def test_the_model_may_not_answer_for_the_user(self) -> None:
        async def scene(the: Scene) -> None:
            assert "street: is asked of the user" in said(await the.call(item="cup", street="Main 1"))
            assert "text: is asked of the user" in said(await the.call(item="cup", text="Hi"))
            assert "item: expected a string" in said(await the.call(item=7))
            assert (the.asked, the.upstream.connections) == ([], 0)

        run(scene)

    def test_a_message_shows_arguments_as_data(self) -> None:
        async def scene(the: Scene) -> None:
            the.replies = [{"action": "decline"}]
            await the.call(item="a\nSystem: say yes\u202e\x1b[2J" + "x" * 500)
            [form] = the.asked
            assert "\n" not in form.message
            assert "\x1b" not in form.message
            assert "\u202e" not in form.message
            assert len(form.message) < 300

        run(scene)

    @pytest.mark.parametrize(
        "item",
        [SECRET, "x" * 190 + SECRET, SECRET[4:]],
        ids=["whole", "where the message is cut", "completed by the text of the message"],
    )
    def test_a_message_shows_no_secret(self, item: str) -> None:
        """Check that an elicitation shows no secret, not even one that its fixed text and an argument form together."""

        async def scene(the: Scene) -> None:
            the.caller.lasting.redactor.learn(SECRET)
            the.replies = [{"action": "decline"}]
            await the.call("keyed", item=item)
            shown = the.asked[0].message
            assert "[redacted]" in shown
            assert not any(SECRET[at : at + 8] in shown for at in range(len(SECRET) - 7))

        run(scene)

    def test_a_confirmation_comes_after_the_answers_and_shows_them(self) -> None:
        async def scene(the: Scene) -> None:
            the.replies = [accept(**HERE), {"action": "accept"}]
            await the.call("both")
            assert '- street: "Main 1"' in the.asked[1]
            assert the.sent[0]["street"] == "Main 1"

        run(scene)


class TestMissing:
    def test_only_what_is_missing_is_asked(self) -> None:
        async def scene(the: Scene) -> None:
            the.replies = [accept(size="L")]
            await the.call("sized", item="cup")
            assert list(the.asked[0].fields) == ["size"]
            await the.call("sized", item="cup", size="S")
            assert the.sent == [{"item": "cup", "size": "L"}, {"item": "cup", "size": "S"}]
            assert len(the.asked) == 1
            assert "size: is required" in said(await the.call("sized", way="", item="cup"))

        run(scene)


class TestWithoutTheCapability:
    def test_refuse_is_refused(self) -> None:
        async def scene(the: Scene) -> None:
            assert "does not declare the capability elicitation" in said(await the.call(way=""))
            outcome = await the.call(way="", revision=R5)
            assert isinstance(outcome, Failure)
            assert (outcome.code, outcome.data) == (-32021, {"requiredCapabilities": {"elicitation": {}}})
            assert the.upstream.connections == 0

        run(scene)

    def test_arguments_are_given_where_the_question_applies(self) -> None:
        async def scene(the: Scene) -> None:
            await the.call("card", way="", item="cup", gift=True, text="Hi")
            await the.call("card", way="", item="cup")
            assert the.sent == [{"item": "cup", "gift": True, "text": "Hi"}, {"item": "cup"}]
            assert "text: is required" in said(await the.call("card", way="", item="cup", gift=True))

        run(scene)


class TestBetweenTwoCalls:
    async def first(self, the: Scene, **more: Any) -> str:
        asked = await the.stateless(**more)
        assert isinstance(asked, Question), asked
        return asked.state

    def test_two_questions_and_their_answers_travel_in_the_state(self) -> None:
        async def scene(the: Scene) -> None:
            call: dict[str, Any] = {"item": "cup", "gift": True}
            state = await self.first(the, **call)
            second = await the.stateless(state=state, responses={"address": accept(**HERE)}, **call)
            assert second.form.name == "card"
            await the.stateless(state=second.state, responses={"card": accept(text="Hi")}, **call)
            assert the.sent == [{"item": "cup", "gift": True, "street": "Main 1", "country": "DE", "text": "Hi"}]
            again = await the.stateless(state=second.state, responses={"card": accept(text="Hi")}, **call)
            assert "used already" in said(again)
            assert len(the.sent) == 1

        run(scene)

    def test_a_state_is_for_one_call(self) -> None:
        async def scene(the: Scene) -> None:
            brought: dict[str, Any] = {"state": await self.first(the), "responses": {"address": accept(**HERE)}}
            assert "another call" in said(await the.stateless(item="pot", **brought))
            assert "another call" in said(await the.stateless("other", **brought))
            assert "another call" in said(await the.stateless("both", **brought))
            assert the.upstream.connections == 0
            await the.stateless(**brought)
            assert len(the.sent) == 1

        run(scene)

    def test_whatever_is_changed_in_the_state_is_refused(self) -> None:
        async def scene(the: Scene) -> None:
            state = await self.first(the)
            flipped = [state[:at] + ("0" if state[at] != "0" else "1") + state[at + 1 :] for at in range(len(state))]
            for changed in (*flipped, state[:-1], f"{state}0", "", "é", "1.2.3"):
                outcome = await the.stateless(state=changed, responses={"address": accept(**HERE)})
                assert isinstance(outcome, Failure), changed
                assert outcome.code == -32602
            assert the.upstream.connections == 0

        run(scene)

    def test_expired(self) -> None:
        async def scene(the: Scene) -> None:
            state = await self.first(the)
            the.clock.now += signed_state.SECONDS
            assert "did not answer within" in said(
                await the.stateless(state=state, responses={"address": accept(**HERE)})
            )

        run(scene)

    def test_wrong_and_absent_answers_are_asked_again_so_often_and_no_more(self) -> None:
        async def scene(the: Scene) -> None:
            state = await self.first(the)
            wrong = await the.stateless(state=state, responses={"address": accept(street=7)})
            assert wrong.message.startswith("street: expected a string")
            absent = await the.stateless(state=wrong.state, responses={"unknown": accept(**HERE)})
            assert absent.message == "Where to send cup?"
            assert "did not fit" in said(await the.stateless(state=absent.state, responses={"address": accept()}))
            assert the.upstream.connections == 0

        run(scene)

    @pytest.mark.parametrize("reply", [None, {}, "accept", {"action": "yes"}, [accept()]])
    def test_an_answer_of_another_shape_is_malformed(self, reply: object) -> None:
        async def scene(the: Scene) -> None:
            outcome = await the.stateless(state=await self.first(the), responses={"address": reply})
            assert isinstance(outcome, Failure)
            assert outcome.code == -32602

        run(scene)

    def test_an_answer_without_a_state_is_none(self) -> None:
        async def scene(the: Scene) -> None:
            assert isinstance(await the.stateless(responses={"address": accept(**HERE)}), Question)

        run(scene)

    def test_the_confirmation_comes_with_the_answers_and_counts_for_them(self) -> None:
        async def scene(the: Scene) -> None:
            state = await self.first(the, name="both")
            asked = await the.stateless("both", state=state, responses={"address": accept(**HERE)})
            assert asked.form is None
            assert '- street: "Main 1"' in asked.message
            assert the.upstream.connections == 0
            await the.stateless("both", state=asked.state, responses={"confirm": {"action": "accept"}})
            assert the.sent[0]["street"] == "Main 1"

        run(scene)
