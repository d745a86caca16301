# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Create the `requestState` of questions to users over HTTP, encrypted so that any replica can accept the answer.

A `requestState` contains how often the user was asked, a random number, the digest of the call, and earlier answers. It
can be used once. This replica remembers the random numbers that were used, or all replicas remember them through the
store.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...core import spans
from .seal import Expired, Unsealed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .seal import Seal

    Spend = Callable[[str, float, str], Awaitable[str]]

SECONDS = 300
"""Seconds that the user has to answer, as over stdio."""

LONGEST = 64 * 1024
"""Longest state in characters, with what users have answered so far."""

_PURPOSE = "state"
_NUMBER = 16


# A replayed call can harm the user, while a refused call only costs the model a second try (docs/decisions/http.md).
class States:
    """Issuer and checker of `requestState` values.

    `spend(number, seconds, caller)` records that the caller has used the value with this random number. It returns "",
    or why the value is invalid: `used` (used before), `crowded` (too many used numbers), `unknown` (the store does not
    answer).
    """

    def __init__(self, seal: Seal, spend: Spend) -> None:
        self._seal = seal
        self._spend = spend

    def issue(self, subject: str, turn: int, kept: bytes = b"") -> str:
        """Return a new `requestState`. `subject`: digest of the call, in hexadecimal.

        `turn`: how often the user is asked the same question, this time included. `kept`: bytes to store in the value;
        `take_kept` returns them when the client sends the value back.
        """
        value = bytes([turn]) + os.urandom(_NUMBER) + bytes.fromhex(subject) + kept
        return self._seal.close(_PURPOSE, spans.owner(), value, SECONDS)

    async def take(self, state: str, subject: str) -> tuple[int, str]:
        """Mark a `requestState` as used. Return how often the user was asked, and "" or why the value is invalid.

        The reasons: `forged` (not issued to this caller), `late` (expired), `other` (issued for another call), and the
        reasons that `spend` returns.
        """
        return (await self.take_kept(state, subject))[:2]

    async def take_kept(self, state: str, subject: str) -> tuple[int, str, bytes]:
        """Mark a valid `requestState` as used. Return how often the user was asked, the reason why the value is invalid
        (else ""), and the bytes `kept` that `issue` stored in it. For an invalid value, only the reason counts.
        """
        try:
            value = self._seal.open(_PURPOSE, spans.owner(), state, LONGEST)
        except Unsealed:
            return 0, "forged", b""
        except Expired:
            return 0, "late", b""
        about, begin = bytes.fromhex(subject), 1 + _NUMBER
        if value[begin : begin + len(about)] != about:
            return 0, "other", b""
        return value[0], await self._spend(value[1:begin].hex(), SECONDS, spans.caller()), value[begin + len(about) :]
