"""Test `requestState`: a state that a client sends back must be the server's own, not expired, for the same call, and
not used before.
"""

from __future__ import annotations

import asyncio

import pytest
from package.runtime.questions import signed_state
from package.runtime.questions.signed_state import Tickets

SUBJECT = "ab" * 32


class Clock:
    """Clock that the test sets, and a source of random bytes that never repeat."""

    def __init__(self) -> None:
        self.now, self.drawn = 1000.5, 0

    def __call__(self) -> float:
        return self.now

    def entropy(self, size: int) -> bytes:
        self.drawn += 1
        return self.drawn.to_bytes(size, "big")


def take(made: Tickets, ticket: str) -> tuple[int, str]:
    return asyncio.run(made.take(ticket, SUBJECT))


def test_each_is_taken_once() -> None:
    clock = Clock()
    made = Tickets(b"k", clock, clock.entropy)
    one, two = made.issue(SUBJECT, 1), made.issue(SUBJECT, 2)
    assert (take(made, two), take(made, one)) == ((2, ""), (1, ""))
    for ticket in (one, two):
        assert take(made, ticket) == (0, "used")


def test_what_was_taken_is_remembered_only_while_it_could_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_state, "MOST_SPENT", 3)
    clock = Clock()
    made = Tickets(b"k", clock, clock.entropy)
    for _ in range(3):
        take(made, made.issue(SUBJECT, 1))
    waiting = made.issue(SUBJECT, 1)
    assert take(made, waiting) == (0, "crowded")
    clock.now += signed_state.SECONDS
    assert take(made, made.issue(SUBJECT, 1)) == (1, "")
    assert len(made._spent) == 1


def test_it_holds_nothing_of_the_arguments() -> None:
    clock = Clock()
    ticket = Tickets(b"k", clock, clock.entropy).issue(SUBJECT, 1)
    assert ticket.split(".")[:4] == ["1", "1300500", f"{1:032x}", SUBJECT]
    assert take(Tickets(b"l", clock, clock.entropy), ticket) == (0, "forged")
