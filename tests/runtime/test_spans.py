"""Test the telemetry of calls that end at the moment when their request is sent."""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.core import spans
from package.runtime.hooks.hook_runner import Hooks

from tests.runtime.test_sending import Scene, run


def test_what_was_given_up_does_nothing_any_more() -> None:
    span = spans.Span()
    assert span.end() is False
    assert span.act() is False


def test_what_was_done_is_known_at_its_end() -> None:
    span = spans.Span()
    assert span.act() is True
    assert span.end() is True


@pytest.mark.parametrize("own", [False, True])
def test_life_02_a_call_that_was_given_up_sends_nothing(own: bool) -> None:
    made: list[Any] = []

    async def scene(at: Scene) -> None:
        if own:
            at.caller.services.preparation.hooks = Hooks({"instead_of_POST": made.append}, ["POST"])
        span = spans.Span()
        spans.enter(span)
        span.end()
        assert "The server was stopped" in (await at.call("POST")).replace("the server", "The server")
        assert (at.upstream.requests, made) == ([], [])

    run(scene)
