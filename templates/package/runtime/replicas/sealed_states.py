# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make states of questions over HTTP (`requestState`): sealed, so that any replica can take the answer, and used once.

A state contains what `calls.signed_state` signs over stdio: how often the user was asked, a random number, the digest
of the call, and what was answered before. Used states are remembered by their number: by this replica, or through a
store by all.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..core import spans
from .seal import Expired, Unsealed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .seal import Seal

    Spend = Callable[[str, float], Awaitable[str]]

SECONDS = 300
"""Seconds that the user has to answer, as over stdio."""

LONGEST = 64 * 1024
"""Longest state in characters, with what users have answered so far."""

_PURPOSE = "state"
_NUMBER = 16


# Decision 0167: A confirmation is not taken where nobody knows whether it was used.
class States:
    """Issuer and checker of states.

    `spend` records for `seconds` that a state's number was used. It returns "", or why the state is void: `used`,
    `crowded` or `unknown`.
    """

    def __init__(self, seal: Seal, spend: Spend) -> None:
        self._seal = seal
        self._spend = spend

    def issue(self, subject: str, turn: int, kept: bytes = b"") -> str:
        """Return a state for that subject (hexadecimal), asked about for the `turn`-th time. It brings `kept` back."""
        value = bytes([turn]) + os.urandom(_NUMBER) + bytes.fromhex(subject) + kept
        return self._seal.close(_PURPOSE, spans.owner(), value, SECONDS)

    async def take(self, state: str, subject: str) -> tuple[int, str]:
        """Use up a state. Return how often the user was asked, and "" or why the state is void.

        The reasons are `forged`, `late`, `other`, `used`, `crowded` and `unknown`.
        """
        return (await self.take_kept(state, subject))[:2]

    async def take_kept(self, state: str, subject: str) -> tuple[int, str, bytes]:
        """Use up a state as `take`, and return what it kept as well."""
        try:
            value = self._seal.open(_PURPOSE, spans.owner(), state, LONGEST)
        except Unsealed:
            return 0, "forged", b""
        except Expired:
            return 0, "late", b""
        about, begin = bytes.fromhex(subject), 1 + _NUMBER
        if value[begin : begin + len(about)] != about:
            return 0, "other", b""
        return value[0], await self._spend(value[1:begin].hex(), SECONDS), value[begin + len(about) :]
