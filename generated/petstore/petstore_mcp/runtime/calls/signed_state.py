# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What a client brings back with the user's answer (`requestState`): signed, so that it can be believed.

A ticket says what was asked about, until when an answer counts, and how often it was asked. The client can read it and
keep it, but neither make nor change one. It is good once: a yes is to one call, and who was told no cannot try again.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable

SECONDS = 300
"""How long the user has to answer."""

MOST_SPENT = 10_000
"""Tickets that came back and could come again: more than that within `SECONDS`, and no other is taken."""


class Forged(Exception):
    """No ticket of this process."""


class Void(Exception):
    """A ticket of ours that is good no more, or not for this: `late`, `other`, `used` or `crowded`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Tickets:
    """Issues and takes tickets. `clock` counts seconds; `entropy` makes so many random bytes."""

    __slots__ = ("_clock", "_entropy", "_key", "_spent")

    def __init__(self, key: bytes, clock: Callable[[], float], entropy: Callable[[int], bytes]) -> None:
        self._key = key
        self._clock = clock
        self._entropy = entropy
        self._spent: dict[str, float] = {}  # until when it would count, in that order

    def issue(self, subject: str, turn: int) -> str:
        """A ticket for that subject (hexadecimal), asked about for the `turn`-th time."""
        until = int((self._clock() + SECONDS) * 1000)
        body = f"{turn}.{until}.{self._entropy(16).hex()}.{subject}"
        return f"{body}.{self._signature(body)}"

    def take(self, ticket: str, subject: str) -> int:
        """Take it for good: how often that was asked. Raises Forged or Void."""
        body, _, signature = ticket.rpartition(".")
        # Bytes, since the comparison takes no text that is not ASCII.
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature(body).encode()):
            raise Forged
        turn, until_text, number, about = body.split(".")
        now, until = self._clock(), int(until_text) / 1000
        if now >= until:
            raise Void("late")
        if about != subject:
            raise Void("other")
        if number in self._spent:
            raise Void("used")
        self._forget(now)
        if len(self._spent) >= MOST_SPENT:
            raise Void("crowded")
        self._spent[number] = until
        return int(turn)

    def _signature(self, body: str) -> str:
        return hmac.digest(self._key, body.encode("utf-8", "replace"), "sha256").hex()

    def _forget(self, now: float) -> None:
        """Drop what came too late anyway."""
        if self._spent and next(iter(self._spent.values())) <= now:
            self._spent = {number: until for number, until in self._spent.items() if until > now}
