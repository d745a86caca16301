# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make states of confirmations over HTTP (`requestState`): sealed, so that any replica can take the answer, and used
once.

A state contains what `calls.signed_state` signs over stdio: how often the user was asked, a random number, and the
digest of the call. Used states are remembered by their number: by this replica, or through a store by all.
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

    def issue(self, subject: str, turn: int) -> str:
        """Return a state for that subject (hexadecimal), asked about for the `turn`-th time."""
        value = bytes([turn]) + os.urandom(_NUMBER) + bytes.fromhex(subject)
        return self._seal.close(_PURPOSE, spans.owner(), value, SECONDS)

    async def take(self, state: str, subject: str) -> tuple[int, str]:
        """Use up a state. Return how often the user was asked, and "" or why the state is void.

        The reasons are `forged`, `late`, `other`, `used`, `crowded` and `unknown`.
        """
        try:
            value = self._seal.open(_PURPOSE, spans.owner(), state)
        except Unsealed:
            return 0, "forged"
        except Expired:
            return 0, "late"
        if value[1 + _NUMBER :] != bytes.fromhex(subject):
            return 0, "other"
        return value[0], await self._spend(value[1 : 1 + _NUMBER].hex(), SECONDS)
