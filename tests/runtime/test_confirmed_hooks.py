"""Test calls that the user must confirm and whose `instead_of_` hook asks a question, too.

The user confirms once, and the confirmation is valid for this call only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.calls.plain_call import CallUnderWay
from package.runtime.core.catalog import Tool
from package.runtime.core.effects import Dialogue
from package.runtime.core.limits import Budget
from package.runtime.core.wire_formats import OtherOutcome, Question
from package.runtime.hooks import context
from package.runtime.questions.consent import of_server

from tests.runtime import test_consent as confirming
from tests.runtime.revisions import R5
from tests.runtime.test_hook_questions import HERE, STREET, Arguments, resumed
from tests.runtime.test_questions import TOOLS, Scene, accept, run, said

ACCEPT = {"action": "accept"}


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], None]:
    """Return a function that installs a hook function in the user's hooks.py, under the hook's own name."""
    return lambda function: monkeypatch.setattr(users_file, function.__name__, function, raising=False)


def test_a_confirmation_before_a_hook_that_asks(hook: Any) -> None:
    async def instead_of_agreed(arguments: Arguments) -> Any:
        return await context.ask("Which street?", STREET)

    async def scene(the: Scene) -> None:
        the.replies = [{"action": "accept"}, HERE]
        made: Any = await the.call("agreed")
        assert json.loads(made.content[0]["text"]) == {"street": "Main 1"}
        assert "Go on with this call of agreed?" in the.asked[0]
        assert the.asked[1].message == "Which street?"

    hook(instead_of_agreed)
    run(scene)


@pytest.mark.parametrize("before", [False, True], ids=["alone", "after a before_ hook"])
def test_a_confirmation_before_a_hook_that_asks_is_asked_once(before: bool, hook: Any) -> None:
    async def before_agreed(arguments: Arguments) -> Arguments:
        return arguments | await context.ask("Which town?", {"town": "string required"})

    async def instead_of_agreed(arguments: Arguments) -> Any:
        street = await context.ask("Which street?", STREET)
        return {**arguments, **street, **await context.ask("Which floor?", {"floor": "integer required"})}

    async def scene(the: Scene) -> None:
        asked = await the.stateless("agreed")
        if before:
            asked = await resumed(the, asked, accept(town="Ulm"), "agreed")
        assert "Go on with this call of agreed?" in asked.message
        street = await resumed(the, asked, ACCEPT, "agreed")
        assert street.message == "Which street?"
        floor = await resumed(the, street, HERE, "agreed")
        assert floor.message == "Which floor?"
        made = await resumed(the, floor, accept(floor=2), "agreed")
        assert json.loads(made.content[0]["text"]).items() >= {"street": "Main 1", "floor": 2}.items()
        assert the.span.confirmation == "accept"
        for used in (asked, street, floor):
            assert "used already" in said(await resumed(the, used, ACCEPT, "agreed"))

    if before:
        hook(before_agreed)
    hook(instead_of_agreed)
    run(scene)


@pytest.mark.parametrize("given", [{"item": "jar"}, {}], ids=["other arguments", "other tool"])
def test_a_confirmation_is_not_carried_over_to_another_call(
    given: Arguments, hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TOOLS, "agreed_too", TOOLS["agreed"])

    async def instead_of_agreed(arguments: Arguments) -> Any:
        return await context.ask("Which street?", STREET)

    async def instead_of_agreed_too(arguments: Arguments) -> Any:
        return await context.ask("Which street?", STREET)

    async def scene(the: Scene) -> None:
        street = await resumed(the, await the.stateless("agreed"), ACCEPT, "agreed")
        name = "agreed" if given else "agreed_too"
        refused = await resumed(the, street, HERE, name, **given)
        assert "answered for another call" in said(refused)

    hook(instead_of_agreed)
    hook(instead_of_agreed_too)
    run(scene)


@pytest.mark.parametrize(("pet_id", "about"), [(8, "DELETE /pets/7"), (7, "DELETE /pets/8")])
def test_a_confirmation_that_a_call_brings_is_for_this_call_alone(pet_id: int, about: str) -> None:
    async def scene(the: confirming.Scene) -> None:
        def repeated(pet_id: int, **brought: Any) -> CallUnderWay:
            given, dialogue = {"pet_id": pet_id}, Dialogue("result", R5, **brought)
            call = CallUnderWay(tool, given, lambda phase: None, dialogue, None, Budget(30, the.clock))
            call.given = given
            return call

        tool = Tool("always", confirming.SCHEMA, confirming.TOOLS["always"]["binding"])
        asks = the.caller.services.once(of_server)
        with pytest.raises(OtherOutcome) as ended:
            await asks.obtain(repeated(7), ("DELETE /pets/7", ""))
        assert isinstance(ended.value.outcome, Question)
        state = ended.value.outcome.state
        confirmed = repeated(7, state=state, responses={"confirm": ACCEPT})
        assert await asks.obtain(confirmed, ("DELETE /pets/7", "")) is None
        other = repeated(pet_id)
        other.confirmed = confirmed.confirmed
        with pytest.raises(OtherOutcome):
            await asks.obtain(other, (about, ""))
        again = repeated(7)
        again.confirmed = confirmed.confirmed
        assert await asks.obtain(again, ("DELETE /pets/7", "")) is None

    confirming.run(scene)
