# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sign the state that a client returns with the user's answer (`requestState`), so that it can be trusted.

A ticket (a signed state) contains the digest of the call, its expiry, and how often the user was asked. The client can
read and store a ticket, but cannot make or change one. Each ticket can be used once, so that one consent is good for
one call.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    class States(Protocol):
        """Interface that issues and checks states (`requestState`), which a client returns with the user's answer.

        It is implemented by Tickets and sealed_states.States.
        """

        def issue(self, subject: str, turn: int, kept: bytes = b"") -> str:
            """Return a new `requestState`. `subject`: digest of the call, in hexadecimal. `turn`: how often the user is
            asked the same question, this time included.

            `kept`: bytes that `take_kept` returns later. The client can read them in a signed state (Tickets), but not
            in an encrypted one (sealed_states).
            """

        async def take(self, state: str, subject: str, /) -> tuple[int, str]:
            """Mark a `requestState` as used if it is valid. Return how often the user was asked about the call, and "".

            If the `requestState` is invalid, the second value is the reason instead, a key of consent.INSTEAD.
            """

        async def take_kept(self, state: str, subject: str, /) -> tuple[int, str, bytes]:
            """Mark a valid state as used. Return how often the user was asked, the reason why the state is invalid
            (else ""), and the bytes `kept` that `issue` stored in it. For an invalid state, only the reason counts.
            """


SECONDS = 300
"""Seconds that the user has to answer."""

MOST_SPENT = 10_000
"""Largest number of used tickets that are remembered until they expire. Beyond this number, no ticket is accepted."""


class Tickets:
    """Issuer and checker of tickets: signed values of `requestState`, which clients return with the user's answer.

    `clock()` returns seconds; `entropy(n)` returns n random bytes.
    """

    __slots__ = ("_clock", "_entropy", "_key", "_spent")

    def __init__(self, key: bytes, clock: Callable[[], float], entropy: Callable[[int], bytes]) -> None:
        self._key = key
        self._clock = clock
        self._entropy = entropy
        self._spent: dict[str, float] = {}  # random number in each used `requestState` -> its expiry

    def issue(self, subject: str, turn: int, kept: bytes = b"") -> str:
        """Return a new ticket (a signed `requestState`). `subject`: digest of the call, in hexadecimal.

        `turn`: how often the user is asked the same question, this time included. `kept`: bytes that `take_kept`
        returns later, such as earlier answers. The client can read these bytes.
        """
        until = int((self._clock() + SECONDS) * 1000)
        body = f"{turn}.{until}.{self._entropy(16).hex()}.{subject}" + (f".{kept.hex()}" if kept else "")
        return f"{body}.{self._signature(body)}"

    async def take(self, ticket: str, subject: str) -> tuple[int, str]:
        """Mark a ticket (a signed state) as used. Return how often the user was asked, and "" or the reason why the
        ticket is invalid.

        The reasons: `forged` (not made by this process), `late` (expired), `other` (for another call), `used` (used
        before), `crowded` (too many used tickets are remembered).
        """
        return (await self.take_kept(ticket, subject))[:2]

    async def take_kept(self, ticket: str, subject: str) -> tuple[int, str, bytes]:
        """Mark a valid ticket as used. Return how often the user was asked, the reason why the ticket is invalid (else
        ""), and the bytes `kept` that `issue` stored in the ticket. For an invalid ticket, only the reason counts.
        """
        body, _, signature = ticket.rpartition(".")
        # Compare bytes, since compare_digest rejects text that is not ASCII.
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature(body).encode()):
            return 0, "forged", b""
        turn, until_text, number, about, *kept = body.split(".")
        now, until = self._clock(), int(until_text) / 1000
        if now >= until:
            return 0, "late", b""
        if about != subject:
            return 0, "other", b""
        if number in self._spent:
            return 0, "used", b""
        self._forget(now)
        if len(self._spent) >= MOST_SPENT:
            return 0, "crowded", b""
        self._spent[number] = until
        return int(turn), "", bytes.fromhex("".join(kept))

    def _signature(self, body: str) -> str:
        return hmac.digest(self._key, body.encode("utf-8", "replace"), "sha256").hex()

    def _forget(self, now: float) -> None:
        """Forget used tickets (signed states) that have expired, since expired tickets are rejected as `late`."""
        if self._spent and next(iter(self._spent.values())) <= now:
            self._spent = {number: until for number, until in self._spent.items() if until > now}
