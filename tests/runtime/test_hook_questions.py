"""Test hooks that ask the user, at a raw socket, in revisions with and without a handshake: what they ask, which hooks
run again after an answer, and which API requests are never sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.core.limits import Budget
from package.runtime.core.wire_formats import Failure, Question, Result
from package.runtime.hooks import Refuse, Unanswered, context, hook_context
from package.runtime.hooks.hook_runner import Hooks
from package.runtime.questions.signed_state import SECONDS
from package.runtime.request.argument_errors import HookFailed

from tests.runtime.revisions import R3, R5
from tests.runtime.test_questions import Scene, accept, run, said

STREET = {"street": "string required"}
HERE = accept(street="Main 1")
Arguments = dict[str, Any]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], None]:
    """Return a function that installs a hook function in the user's hooks.py, under the hook's own name."""
    return lambda function: monkeypatch.setattr(users_file, function.__name__, function, raising=False)


async def before_plain(arguments: Arguments) -> Arguments:
    return arguments | await context.ask("Which street?", STREET)


def two(item: str = "") -> Callable[..., Any]:
    async def before_plain(arguments: Arguments) -> Arguments:
        street = await context.ask(f"Where to send {item or arguments['item']}?", STREET)
        floor = await context.ask(f"Which floor of {street['street']}?", {"floor": {"type": "integer", "default": 3}})
        return {**arguments, **street, **floor}

    return before_plain


async def resumed(the: Scene, asked: Any, reply: object, name: str = "plain", **more: Any) -> Any:
    """Call the tool again with an answer to the question `asked`, and return the outcome."""
    assert isinstance(asked, Question), asked
    key = asked.form.name if asked.form is not None else "confirm"
    return await the.stateless(name, state=asked.state, responses={key: reply}, **more)


class TestWhileTheHookRuns:
    def test_two_questions_in_turn_and_the_defaults_of_fields(self, hook: Any) -> None:
        async def scene(the: Scene) -> None:
            the.replies = [HERE, accept(floor="")]
            await the.call("plain")
            assert the.sent == [{"item": "cup", "street": "Main 1", "floor": 3}]
            assert [each.message for each in the.asked] == ["Where to send cup?", "Which floor of Main 1?"]
            assert the.span.questions == {"question-1": "accept", "question-2": "accept"}

        hook(two())
        run(scene)

    @pytest.mark.parametrize(
        ("replies", "told", "how"),
        [
            ([{"action": "decline"}], "plain was not called. The user declined to answer", "decline"),
            ([{"action": "cancel"}], "plain was not called. The user closed the question", "cancel"),
            ([None], "no answer could be had", "lost"),
            ([accept(street=7)] * 3, "the answers did not fit", "wrong"),
        ],
    )
    def test_without_an_answer_nothing_is_sent(self, replies: list[Any], told: str, how: str, hook: Any) -> None:
        async def scene(the: Scene) -> None:
            the.replies = replies
            assert told in said(await the.call("plain"))
            assert (the.upstream.connections, the.span.unanswered) == (0, how)

        hook(before_plain)
        run(scene)

    def test_the_time_that_the_user_needs_is_not_counted(self, hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let a day pass on the clock of the call while the user answers. The call must not exceed its time limit."""
        now, limits, timeout = [0.0], [], asyncio.timeout

        def limited(seconds: float | None) -> asyncio.Timeout:
            limits.append(timeout(seconds))
            return limits[-1]

        async def scene(the: Scene) -> None:
            answers, budget = the.ask, Budget(30, lambda: now[0])

            async def late(form: object) -> object:
                now[0] += 86_400
                assert limits[0].when() is None
                return await answers(form)

            monkeypatch.setattr(the, "ask", late)
            monkeypatch.setattr(the.caller.plan("plain"), "budget", lambda: budget)
            monkeypatch.setattr(asyncio, "timeout", limited)
            the.replies = [HERE]
            await the.call("plain")
            assert (len(the.sent), budget.left) == (1, 30)

        hook(before_plain)
        run(scene)

    def test_a_hook_may_change_its_arguments_in_place_before_it_asks(self, hook: Any) -> None:
        """Check that the `requestState` belongs to the arguments as the client sent them, since the client sends them
        again.
        """

        async def before_plain(arguments: Arguments) -> Arguments:
            arguments["item"] = "mug"
            return arguments | await context.ask("Which street?", STREET)

        async def scene(the: Scene) -> None:
            await resumed(the, await the.stateless("plain"), HERE)
            assert the.sent == [{"item": "mug", "street": "Main 1"}]

        hook(before_plain)
        run(scene)

    def test_a_hook_may_go_on_without_an_answer(self, hook: Any) -> None:
        async def before_plain(arguments: Arguments) -> Arguments:
            try:
                return arguments | await context.ask("Which street?", STREET)
            except Unanswered as how:
                return {**arguments, "street": how.said}

        async def scene(the: Scene) -> None:
            the.replies = [{"action": "decline"}]
            await the.call("plain")
            asked = await the.stateless("plain")
            await resumed(the, asked, {"action": "cancel"})
            assert [each["street"] for each in the.sent] == ["decline", "cancel"]
            assert the.span.unanswered == ""

        hook(before_plain)
        run(scene)

    @pytest.mark.parametrize("kind", ["request_plain", "instead_of_plain"])
    def test_every_hook_before_the_request_can_ask(self, kind: str, hook: Any) -> None:
        async def asks(given: Any) -> Any:
            street = (await context.ask("Which street?", STREET))["street"]
            return street if kind == "instead_of_plain" else given.with_json({"street": street})

        async def scene(the: Scene) -> None:
            the.replies = [HERE]
            for outcome in (await the.call("plain"), await resumed(the, await the.stateless("plain"), HERE)):
                assert isinstance(outcome, Result)
                assert not outcome.is_error
                assert str(outcome) == "Main 1" or kind == "request_plain"
            assert [each["street"] for each in the.sent] == ["Main 1"] * (2 if kind == "request_plain" else 0)

        asks.__name__ = kind
        hook(asks)
        run(scene)


class TestBetweenTwoCalls:
    def test_answers_are_given_in_order_when_the_hook_runs_again(self, hook: Any) -> None:
        async def scene(the: Scene) -> None:
            first = await the.stateless("plain")
            second = await resumed(the, first, HERE)
            assert (first.form.name, second.form.name) == ("question-1", "question-2")
            assert second.message == "Which floor of Main 1?"
            assert the.upstream.connections == 0
            await resumed(the, second, accept(floor=4))
            assert the.sent == [{"item": "cup", "street": "Main 1", "floor": 4}]
            assert "used already" in said(await resumed(the, second, accept(floor=4)))
            assert len(the.sent) == 1

        hook(two())
        run(scene)

    def test_a_question_is_not_to_be_caught(self, hook: Any) -> None:
        """Check that a hook that catches every exception still does not continue without the answer."""

        async def before_plain(arguments: Arguments) -> Arguments | None:
            try:
                return arguments | await context.ask("Which street?", STREET)
            except BaseException:
                return None

        async def scene(the: Scene) -> None:
            asked = await the.stateless("plain")
            assert the.upstream.connections == 0
            await resumed(the, asked, HERE)
            assert the.sent == [{"item": "cup", "street": "Main 1"}]

        hook(before_plain)
        run(scene)

    @pytest.mark.parametrize(
        "later",
        [
            ("Which town?", STREET),
            ("Which street?", {"street": "string"}),
            ("Which street?", {"town": "string required"}),
            None,
        ],
    )
    @pytest.mark.parametrize("reply", [{"action": "decline"}, HERE])
    def test_a_hook_that_asks_something_else_is_refused(self, reply: Any, later: Any, hook: Any) -> None:
        asks: list[Any] = [("Which street?", STREET), later]

        async def before_plain(arguments: Arguments) -> Arguments | None:
            question = asks.pop(0)
            return arguments | await context.ask(*question) if question else None

        async def scene(the: Scene) -> None:
            told = said(await resumed(the, await the.stateless("plain"), reply))
            assert "of this server did not ask what it asked before" in told
            assert the.upstream.connections == 0

        hook(before_plain)
        run(scene)

    def test_an_earlier_question_may_not_change_either(self, hook: Any) -> None:
        towns = ["Rome", "Rome", "Oslo"]

        async def before_plain(arguments: Arguments) -> Arguments:
            town = towns.pop(0)
            street = await context.ask(f"Which street of {town}?", STREET)
            return arguments | street | await context.ask("Which floor?", {"floor": "integer"})

        async def scene(the: Scene) -> None:
            second = await resumed(the, await the.stateless("plain"), HERE)
            assert "did not ask what it asked before" in said(await resumed(the, second, accept(floor=3)))
            assert the.upstream.connections == 0

        hook(before_plain)
        run(scene)

    def test_a_state_is_for_one_call_and_one_kind_of_question(self, hook: Any) -> None:
        async def before_all(tool: str, arguments: Arguments) -> Arguments:
            return await before_plain(arguments)

        async def scene(the: Scene) -> None:
            asked = await the.stateless("plain")
            assert "another call" in said(await resumed(the, asked, HERE, item="pot"))
            assert "another call" in said(await resumed(the, asked, HERE, "agreed"))
            asked.state = asked.state.removeprefix("hook.")
            assert isinstance(await resumed(the, asked, HERE), Question)
            assert "another call" in said(await resumed(the, asked, HERE, "both"))
            assert the.upstream.connections == 0

        hook(before_all)
        run(scene)

    def test_whatever_is_changed_in_the_state_is_refused(self, hook: Any) -> None:
        async def scene(the: Scene) -> None:
            asked = await the.stateless("plain")
            state = asked.state
            for at in range(len("hook."), len(state)):
                asked.state = state[:at] + ("0" if state[at] != "0" else "1") + state[at + 1 :]
                outcome = await resumed(the, asked, HERE)
                assert isinstance(outcome, Failure)
                assert outcome.code == -32602
            the.clock.now += SECONDS
            asked.state = state
            assert "did not answer within" in said(await resumed(the, asked, HERE))
            assert the.upstream.connections == 0

        hook(before_plain)
        run(scene)

    def test_a_confirmation_comes_after_the_answers_and_brings_them_back(self, hook: Any) -> None:
        async def before_all(tool: str, arguments: Arguments) -> Arguments:
            return await before_plain(arguments)

        async def scene(the: Scene) -> None:
            confirm = await resumed(the, await the.stateless("agreed"), HERE, "agreed")
            assert confirm.form is None
            await resumed(the, confirm, {"action": "accept"}, "agreed")
            assert the.sent == [{"item": "cup", "street": "Main 1"}]

        hook(before_all)
        run(scene)

    def test_questions_of_the_tools_file_come_first(self, hook: Any) -> None:
        async def before_order(arguments: Arguments) -> Arguments:
            answer = await context.ask(f"Ring at {arguments['street']}?", {"ring": {"type": "boolean"}})
            return {**arguments, "text": str(answer)}

        async def scene(the: Scene) -> None:
            mine = await resumed(the, await the.stateless(), HERE, "order")
            assert mine.message == "Ring at Main 1?"
            await resumed(the, mine, accept(ring=True), "order")
            assert the.sent[0]["text"] == "{'ring': True}"

        hook(before_order)
        run(scene)


class TestClientsThatCannotAsk:
    def test_refused_unless_there_is_a_default(self, hook: Any) -> None:
        async def scene(the: Scene) -> None:
            assert "give a `default` to context.ask" in said(await the.call("plain", way="", revision=R3))
            outcome = await the.call("plain", way="", revision=R5)
            assert isinstance(outcome, Failure)
            assert (outcome.code, outcome.data) == (-32021, {"requiredCapabilities": {"elicitation": {}}})
            assert the.upstream.connections == 0

        hook(before_plain)
        run(scene)

    @pytest.mark.parametrize(("default", "sent"), [({"street": "Main 2"}, "Main 2"), ({}, None), ({"street": 7}, None)])
    def test_a_default_is_taken_if_it_fits(self, default: Any, sent: str | None, hook: Any) -> None:
        async def before_plain(arguments: Arguments) -> Arguments:
            return arguments | await context.ask("Which street?", STREET, default=default)

        async def scene(the: Scene) -> None:
            outcome = await the.call("plain", way="")
            if sent is None:
                assert "asks with a default that does not fit its form" in said(outcome)
            assert [each["street"] for each in the.sent] == [sent] * (sent is not None)

        hook(before_plain)
        run(scene)


@pytest.mark.parametrize("name", ["after_plain", "after_all"])
def test_a_hook_after_the_request_cannot_ask(name: str, hook: Any) -> None:
    async def asks(*given: Any) -> None:
        await context.ask("Which street?", STREET, default={})

    async def scene(the: Scene) -> None:
        told = said(await the.call("plain"))
        assert told.startswith("The result of plain is withheld.")
        assert f"The hook {name} of this server asked the user where it cannot" in told
        assert "POST" in told
        assert (the.asked, len(the.sent)) == ([], 1)

    asks.__name__ = name
    hook(asks)
    run(scene)


class Answering:
    """Fake of the object by which the hooks of a call ask the user. It answers every question."""

    def enter(self, name: str, budget: Budget, deadline: asyncio.Timeout) -> None:
        """Do nothing."""

    def leave(self) -> None:
        """Do nothing."""

    async def ask(self, message: str, form: Any, default: Any) -> dict[str, Any]:
        return {}


def test_a_hook_after_the_request_cannot_ask_within_another_call_either() -> None:
    async def asks(result: Result) -> None:
        await context.ask("Which street?", STREET)

    async def main() -> None:
        hook_context.enter(Answering())
        with pytest.raises(HookFailed, match="asked the user where it cannot"):
            await Hooks({"after_plain": asks}, ["plain"]).after("plain", Result.text("ok"), Budget(30, lambda: 0.0))

    asyncio.run(main())


def test_a_refusal_stays_a_refusal(hook: Any) -> None:
    async def before_plain(arguments: Arguments) -> None:
        if (await context.ask("Which street?", STREET))["street"] == "Main 1":
            raise Refuse("Nobody lives there.")

    async def scene(the: Scene) -> None:
        assert (
            said(await resumed(the, await the.stateless("plain"), HERE)) == "plain was not called. Nobody lives there."
        )

    hook(before_plain)
    run(scene)
