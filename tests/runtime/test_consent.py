"""Test confirmation at a raw socket, in all revisions: nothing is sent without the user's yes to exactly this call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core import log
from package.runtime.core.catalog import Tool
from package.runtime.core.effects import Dialogue
from package.runtime.core.wire_formats import Failure, OtherOutcome, Question, Result
from package.runtime.questions import consent, signed_state
from package.runtime.questions.consent import of_server, question
from package.runtime.questions.signed_state import Tickets
from package.runtime.settings import settings

from tests.runtime.revisions import R1, R2, R3, R4, R5
from tests.runtime.table_stub import Catalog
from tests.runtime.test_tickets import Clock
from tests.runtime.upstream import Upstream, answer_ok, serving
from tests.scheme_entries import api_key

SECRET = "sk-0123456789abcdef"
SECURITY = {"key": api_key("query", "key", "PETSTORE_API_KEY")}
PET = ["/pets/", {"argument": "pet_id", "name": "petId", "style": "simple"}]
DELETE: Any = {"method": "DELETE", "path": PET, "security": [["key"]], "open": False}
SCHEMA = {"type": "object", "properties": {"pet_id": {"type": "integer"}}, "required": ["pet_id"]}
TOOLS: dict[str, dict[str, Any]] = {
    "always": {"schema": SCHEMA, "binding": {**DELETE, "confirm": "always"}},
    "if_it_can": {"schema": SCHEMA, "binding": {**DELETE, "confirm": "when-supported"}},
    "never": {"schema": SCHEMA, "binding": DELETE},
}
ACCEPT, DECLINE, CANCEL = ({"action": action} for action in ("accept", "decline", "cancel"))


class Scene:
    """A tool executor, its API and clock, confirmation requests that its client got, and the client's next answer."""

    def __init__(self, caller: ToolExecutor, upstream: Upstream) -> None:
        self.caller, self.upstream = caller, upstream
        self.clock = Clock()
        self.asked: list[str] = []
        self.reply: object = ACCEPT
        made = Tickets(b"k" * 32, self.clock, self.clock.entropy)
        caller.lasting._states = made

    async def call(
        self, name: str, pet_id: object = 7, way: str = "request", revision: str = R4, **brought: Any
    ) -> Any:
        try:
            dialogue = Dialogue(way, revision, **brought)
            return await self.caller.call(name, {"pet_id": pet_id}, lambda phase: None, dialogue, self.ask)
        except OtherOutcome as ended:
            return ended.outcome

    async def stateless(self, name: str = "always", pet_id: object = 7, **brought: Any) -> Any:
        return await self.call(name, pet_id, "result", R5, **brought)

    async def question(self, pet_id: object = 7) -> str:
        """Make a call, whose first result asks for confirmation, and return the `requestState` of this result."""
        first = await self.stateless(pet_id=pet_id)
        assert isinstance(first, Question)
        return first.state

    async def ask(self, message: object) -> object:
        self.asked.append(str(message))
        return await self.reply if isinstance(self.reply, Awaitable) else self.reply

    @property
    def sent(self) -> int:
        return len(self.upstream.requests)


def run(scene: Callable[[Scene], Awaitable[None]]) -> None:
    async def main() -> None:
        async with serving(answer_ok) as upstream:
            catalog: Any = Catalog(TOOLS, security=SECURITY)
            environ = {"PETSTORE_API_KEY": SECRET}
            caller = ToolExecutor(catalog, settings.load(catalog, environ, str(upstream.address("/v1"))))
            await asyncio.wait_for(scene(Scene(caller, upstream)), 30)
            await caller.close()

    asyncio.run(main())


def said(outcome: object) -> str:
    """Return the text of an error result."""
    assert isinstance(outcome, Result), outcome
    assert outcome.is_error
    return str(outcome.content[0]["text"])


def fault(outcome: object) -> tuple[int, str]:
    """Return the code and the message of a JSON-RPC error."""
    assert isinstance(outcome, Failure), outcome
    return outcome.code, outcome.sentence


class TestWhileTheCallRuns:
    """Test requirement MCP-25: the server asks the user to confirm a call while the call runs."""

    def test_a_client_that_refuses_often_fills_no_log(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines: list[bytes] = []
        monkeypatch.setattr(log, "_write", lines.append)

        async def scene(the: Scene) -> None:
            for the.reply in (DECLINE, DECLINE, DECLINE, ACCEPT, ACCEPT):
                await the.call("always")

        run(scene)
        outcomes = [json.loads(line)["outcome"] for line in lines if b'"confirmation"' in line]
        assert outcomes == ["decline", "accept", "accept"]

    def test_accepted(self) -> None:
        async def scene(the: Scene) -> None:
            result = await the.call("always")
            assert isinstance(result, Result)
            assert not result.is_error
            assert the.upstream.requests[0].startswith(b"DELETE /v1/pets/7?key=")
            assert the.asked == [
                f"Go on with this call of always?\nDELETE http://127.0.0.1:{the.upstream.port}/v1/pets/7\n- pet_id: 7"
            ]

        run(scene)

    @pytest.mark.parametrize(
        ("reply", "told"),
        [
            (DECLINE, "always was not called. The user said no."),
            (CANCEL, "always was not called. The user closed the question without an answer."),
            (None, "always was not called. The user must confirm it, and no answer could be had"),
            ({}, "always was not called. The user must confirm it, and no answer could be had"),
            ({"action": "ACCEPT"}, "always was not called. The user must confirm it"),
            ({"action": ["accept"]}, "always was not called. The user must confirm it"),
            ("accept", "always was not called. The user must confirm it"),
            (["accept"], "always was not called. The user must confirm it"),
            (True, "always was not called. The user must confirm it"),
        ],
    )
    def test_anything_else_sends_nothing(self, reply: object, told: str) -> None:
        async def scene(the: Scene) -> None:
            the.reply = reply
            assert said(await the.call("always")).startswith(told)
            assert said(await the.call("if_it_can")).startswith(told.replace("always", "if_it_can"))
            assert len(the.asked) == 2
            assert the.upstream.connections == 0

        run(scene)

    def test_time_runs_out(self) -> None:
        async def scene(the: Scene) -> None:
            the.reply = asyncio.get_running_loop().create_future()
            the.caller.services.once(of_server)._seconds = 0
            assert "did not answer within 5 minutes" in said(await the.call("always"))
            assert the.upstream.connections == 0

        run(scene)

    def test_a_cancel_ends_the_waiting(self) -> None:
        async def scene(the: Scene) -> None:
            the.reply = asyncio.get_running_loop().create_future()
            calling = asyncio.ensure_future(the.call("always"))
            while not the.asked:
                await asyncio.sleep(0)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            assert the.upstream.connections == 0

        run(scene)

    def test_what_cannot_be_sent_is_not_asked_about(self) -> None:
        async def scene(the: Scene) -> None:
            assert "expected an integer" in said(await the.call("always", "x"))
            assert the.asked == []

        run(scene)

    def test_a_tool_without_a_policy_asks_nobody(self) -> None:
        async def scene(the: Scene) -> None:
            await the.call("never")
            assert (the.asked, the.sent) == ([], 1)

        run(scene)


class TestWithoutTheCapability:
    @pytest.mark.parametrize("revision", [R1, R2, R3, R4])
    def test_always_is_refused(self, revision: str) -> None:
        async def scene(the: Scene) -> None:
            told = said(await the.call("always", way="", revision=revision))
            assert "does not declare the capability elicitation" in told
            assert "`confirm: when-supported`" in told
            assert (the.asked, the.upstream.connections) == ([], 0)

        run(scene)

    def test_mcp_25_always_names_the_capability_in_the_stateless_era(self) -> None:
        async def scene(the: Scene) -> None:
            outcome = await the.call("always", way="", revision=R5)
            code, sentence = fault(outcome)
            assert (code, sentence.startswith("always was not called. The user must confirm it, and")) == (-32021, True)
            assert isinstance(outcome, Failure)
            assert outcome.data == {"requiredCapabilities": {"elicitation": {}}}
            assert the.upstream.connections == 0

        run(scene)

    @pytest.mark.parametrize("revision", [R1, R4, R5])
    def test_when_supported_goes_on(self, revision: str) -> None:
        async def scene(the: Scene) -> None:
            result = await the.call("if_it_can", way="", revision=revision)
            assert isinstance(result, Result)
            assert not result.is_error
            assert the.sent == 1

        run(scene)


class TestBetweenTwoCalls:
    """Test requirement MCP-26: the question is the result of a first call, and a second call brings the answer."""

    def test_accepted(self) -> None:
        async def scene(the: Scene) -> None:
            first = await the.stateless()
            assert isinstance(first, Question)
            assert first.message.endswith("/v1/pets/7\n- pet_id: 7")
            assert the.upstream.connections == 0
            result = await the.stateless(state=first.state, responses={"confirm": ACCEPT, "other": 1})
            assert isinstance(result, Result)
            assert not result.is_error
            assert (the.sent, the.asked) == (1, [])

        run(scene)

    @pytest.mark.parametrize(("reply", "told"), [(DECLINE, "The user said no"), (CANCEL, "The user closed")])
    def test_not_accepted_and_the_same_state_is_not_asked_again(self, reply: object, told: str) -> None:
        async def scene(the: Scene) -> None:
            state = await the.question()
            assert told in said(await the.stateless(state=state, responses={"confirm": reply}))
            assert "used already" in said(await the.stateless(state=state, responses={"confirm": ACCEPT}))
            assert the.upstream.connections == 0

        run(scene)

    def test_a_yes_is_to_one_call(self) -> None:
        async def scene(the: Scene) -> None:
            state = await the.question()
            await the.stateless(state=state, responses={"confirm": ACCEPT})
            assert "used already" in said(await the.stateless(state=state, responses={"confirm": ACCEPT}))
            assert the.sent == 1

        run(scene)

    def test_other_arguments_or_another_tool(self) -> None:
        async def scene(the: Scene) -> None:
            state = await the.question()
            brought: dict[str, Any] = {"state": state, "responses": {"confirm": ACCEPT}}
            assert "another call" in said(await the.stateless(pet_id=8, **brought))
            assert "another call" in said(await the.stateless("if_it_can", **brought))
            assert the.upstream.connections == 0
            assert not getattr(await the.stateless(**brought), "is_error", True)

        run(scene)

    @pytest.mark.parametrize("late", [0, 0.001, 1e9])
    def test_expired(self, late: float) -> None:
        async def scene(the: Scene) -> None:
            state = await the.question()
            the.clock.now += signed_state.SECONDS + late
            told = said(await the.stateless(state=state, responses={"confirm": ACCEPT}))
            assert "did not answer within 5 minutes" in told
            assert the.upstream.connections == 0

        run(scene)

    def test_whatever_is_changed_in_the_state_is_refused(self) -> None:
        async def scene(the: Scene) -> None:
            state = await the.question()
            flipped = [state[:at] + ("0" if state[at] != "0" else "1") + state[at + 1 :] for at in range(len(state))]
            shortened = [state[:at] for at in range(len(state))]
            for changed in (*flipped, *shortened, state + "0", f" {state}", state.upper(), "é", "\ud800.\ud800"):
                code, sentence = fault(await the.stateless(state=changed, responses={"confirm": ACCEPT}))
                assert (code, "not the one that was given" in sentence) == (-32602, True)
            assert the.upstream.connections == 0

        run(scene)

    def test_the_state_of_another_process_is_refused(self) -> None:
        async def scene(the: Scene) -> None:
            other = Clock()
            foreign = Tickets(b"j" * 32, other, other.entropy).issue((await the.question()).split(".")[3], 1)
            assert fault(await the.stateless(state=foreign, responses={"confirm": ACCEPT}))[0] == -32602
            assert the.upstream.connections == 0

        run(scene)

    @pytest.mark.parametrize("reply", [None, {}, "accept", {"action": "yes"}, {"action": None}, [ACCEPT]])
    def test_an_answer_of_another_shape_is_malformed(self, reply: object) -> None:
        async def scene(the: Scene) -> None:
            state = await the.question()
            code, sentence = fault(await the.stateless(state=state, responses={"confirm": reply}))
            assert (code, "accept, decline or cancel" in sentence) == (-32602, True)
            assert the.upstream.connections == 0

        run(scene)

    def test_an_answer_without_a_state_is_none(self) -> None:
        async def scene(the: Scene) -> None:
            assert isinstance(await the.stateless(responses={"confirm": ACCEPT}), Question)
            assert the.upstream.connections == 0

        run(scene)

    def test_a_state_without_an_answer_is_asked_about_again_so_often_and_no_more(self) -> None:
        async def scene(the: Scene) -> None:
            state = await the.question()
            for _ in range(consent.MOST_TURNS - 1):
                again = await the.stateless(state=state, responses={"unknown": ACCEPT})
                assert isinstance(again, Question)
                assert again.state != state
                state = again.state
            assert "no answer came back" in said(await the.stateless(state=state))
            assert "used already" in said(await the.stateless(state=state, responses={"confirm": ACCEPT}))
            assert the.upstream.connections == 0

        run(scene)


class TestHooks:
    def test_what_a_hook_adds_is_not_shown_and_what_it_refuses_is_not_asked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def before(arguments: dict[str, Any]) -> None:
            arguments["pet_id"] += 1

        monkeypatch.setattr(users_file, "before_always", before, raising=False)

        async def scene(the: Scene) -> None:
            await the.call("always")
            assert the.asked[0].endswith("/v1/pets/8\n- pet_id: 7")
            state = await the.question()
            await the.stateless(state=state, responses={"confirm": ACCEPT})
            assert the.sent == 2

        run(scene)

    def test_what_answers_in_place_of_the_request_is_asked_about_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ran: list[object] = []
        monkeypatch.setattr(users_file, "instead_of_always", ran.append, raising=False)

        async def scene(the: Scene) -> None:
            the.reply = DECLINE
            assert said(await the.call("always"))
            assert "instead_of_always in hooks.py" in the.asked[0]
            assert ran == []
            the.reply = ACCEPT
            await the.call("always")
            assert ran == [{"pet_id": 7}]

        run(scene)


class TestQuestion:
    """Test the text of the confirmation question."""

    @staticmethod
    def lines(arguments: dict[str, Any], target: str = "DELETE https://x/y") -> list[str]:
        return question("t", arguments, target, lambda text: text.replace(SECRET, "[redacted]")).split("\n")

    def test_an_argument_is_one_line_whatever_it_holds(self) -> None:
        asked = self.lines({"a": "x\n- b: harmless\r\u2028", "b\n- c": {"d": ["é", None]}, "e": "\u202e\x1b[2J"})
        assert asked == [
            "Go on with this call of t?",
            "DELETE https://x/y",
            '- a: "x\\n- b: harmless\\r\\u2028"',
            '- "b\\n- c": {"d": ["é", null]}',
            '- e: "\\u202e\\u001b[2J"',
        ]

    @pytest.mark.parametrize("blank", "\u00a0\u115f\u1160\u200b\u2800\u3164\uffa0\U000e0041\U000e0100")
    def test_what_nobody_sees_is_written_out(self, blank: str) -> None:
        written = blank.encode("unicode_escape").decode()
        value, name = self.lines({"a": f"x{blank}", f"a{blank}": 1})[2:]
        assert (value, name.replace('"', "")) == (f'- a: "x{written}"', f"- a{written}: 1")

    def test_what_is_seen_stays(self) -> None:
        assert self.lines({"a": "한국어 日本 \u2764\ufe0f é"})[2:] == ['- a: "한국어 日本 \u2764\ufe0f é"']

    def test_what_is_long_is_cut_and_says_so_and_hides_no_other(self) -> None:
        asked = self.lines({"a": "x" * 5000, "b": 1, **{f"c{number}": 0 for number in range(99)}})
        assert asked[2] == f'- a: "{"x" * 199}\u2026 (5,002 characters)'
        assert asked[3] == "- b: 1"
        assert asked[-1] == "- and 71 more that are not shown"
        assert len(asked) == 2 + consent.MOST_SHOWN + 1

    def test_secrets_are_redacted_also_where_they_would_be_cut(self) -> None:
        asked = "\n".join(self.lines({SECRET: "x" * 195 + SECRET}, f"GET https://x/{SECRET}"))
        assert "sk-0" not in asked
        assert asked.count("[redacted]") >= 2


def test_a_subject_knows_types_and_not_order() -> None:
    def subject(arguments: object) -> str:
        return consent._subject(Tool("t", {}, DELETE), json.loads(json.dumps(arguments)), ("x", ""))

    assert subject({"a": 1, "b": 2}) == subject({"b": 2, "a": 1})
    assert len({subject(each) for each in ({"a": 1}, {"a": "1"}, {"a": True}, {"a": 1.5}, {"b": 1}, {})}) == 6
