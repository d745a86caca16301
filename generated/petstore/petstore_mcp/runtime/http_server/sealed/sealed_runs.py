# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encrypt programs that models wrote and that wait for the user. So any replica can continue a program, but only once.

The encrypted state, which the client stores (`requestState`), contains the whole serialized program. A state that is
another caller's, changed, expired or used before is refused before its content is read as a program.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...core import spans
from .seal import Expired, Unsealed
from .sealed_states import SECONDS

if TYPE_CHECKING:
    from .seal import Seal
    from .sealed_states import Spend

LONGEST = 256 * 1024
"""Longest encrypted program in characters. Clients send it back in the body of a request."""

_PURPOSE = "run"
_NUMBER = 16


# Sealed, a paused program takes 2.4 kB, so the client can keep it. The sandbox does not notice a forged one
# (docs/decisions/search.md).
class SealedRuns:
    """Issuer and reader of `requestState` values that contain a model's paused program. `spend` marks such a value as
    used (`sealed_states.States`).
    """

    def __init__(self, seal: Seal, spend: Spend) -> None:
        self._seal = seal
        self._spend = spend

    def keep(self, written: bytes) -> str:
        """Return a `requestState` that contains a model's paused program, serialized and encrypted; "" if it is too
        large.
        """
        if len(written) * 4 // 3 + 100 > LONGEST:
            return ""
        return self._seal.close(_PURPOSE, spans.owner(), os.urandom(_NUMBER) + written, SECONDS)

    async def take(self, state: str) -> tuple[bytes, str]:
        """Mark a `requestState` as used. Return the model's paused program in it and "".

        If the `requestState` is refused, return b"" and the reason.

        The reasons: `forged` (invalid), `late` (expired), `used` (used before), `crowded` (too many used states are
        remembered). `unknown`: the store does not answer, so the state may have been used.
        """
        try:
            value = self._seal.open(_PURPOSE, spans.owner(), state, LONGEST)
        except Unsealed:
            return b"", "forged"
        except Expired:
            return b"", "late"
        void = await self._spend(value[:_NUMBER].hex(), SECONDS, spans.caller())
        return (b"", void) if void else (value[_NUMBER:], "")
