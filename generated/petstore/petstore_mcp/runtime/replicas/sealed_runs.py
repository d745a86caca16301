# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Seal programs that wait for their user (`requestState`), so that any replica can go on with them, once.

The handle holds the whole program, as the sandbox wrote it down. A handle of another caller, one that was changed, one
that has expired and one that was used are refused before a byte of it is read as a program.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..core import spans
from .seal import Expired, Unsealed
from .sealed_states import SECONDS

if TYPE_CHECKING:
    from .seal import Seal
    from .sealed_states import Spend

LONGEST = 256 * 1024
"""Longest handle of a program in characters. Clients send it back in the body of a request."""

_PURPOSE = "run"
_NUMBER = 16


# Decision 0197: A stopped program travels with its client.
class SealedRuns:
    """Issuer and reader of such handles. `spend` as in `sealed_states.States`."""

    def __init__(self, seal: Seal, spend: Spend) -> None:
        self._seal = seal
        self._spend = spend

    def keep(self, written: bytes) -> str:
        """Return a handle for a program that was written down, or "" if it is too large for one."""
        if len(written) * 4 // 3 + 100 > LONGEST:
            return ""
        return self._seal.close(_PURPOSE, spans.owner(), os.urandom(_NUMBER) + written, SECONDS)

    async def take(self, state: str) -> tuple[bytes, str]:
        """Use up a handle. Return the program and "", or b"" and why there is none.

        The reasons are `forged`, `late`, `used`, `crowded` and `unknown`.
        """
        try:
            value = self._seal.open(_PURPOSE, spans.owner(), state, LONGEST)
        except Unsealed:
            return b"", "forged"
        except Expired:
            return b"", "late"
        void = await self._spend(value[:_NUMBER].hex(), SECONDS)
        return (b"", void) if void else (value[_NUMBER:], "")
