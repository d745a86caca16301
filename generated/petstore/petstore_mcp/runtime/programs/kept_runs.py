# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store, in this process, programs that a model wrote and that wait for the user's answer (`program_runs`).

This store is for a server with one client (stdio). The client gets a random name for the program, and sends the name
with the answer. A name can be used once.
"""

from __future__ import annotations

import os
import time

from ..questions.signed_state import SECONDS

MOST = 16
"""Largest number of waiting programs. One more program displaces the oldest."""

MOST_BYTES = 64 * 2**20
_PREFIX = "run."


class KeptRuns:
    """Store of models' programs that are paused until the user answers: name -> (time of expiry, program)."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, bytes]] = {}

    def keep(self, written: bytes) -> str:
        """Store a model's paused program, serialized, and return a name for it, or "" if the program is too large."""
        if len(written) > MOST_BYTES // MOST:
            return ""
        now = time.monotonic()
        self._kept = {name: each for name, each in self._kept.items() if each[0] > now}
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        name = _PREFIX + os.urandom(24).hex()
        self._kept[name] = now + SECONDS, written
        return name

    async def take(self, state: str) -> tuple[bytes, str]:
        """Remove the model's program that is stored under the name `state`, and return the program and "".

        If the name is unknown, return b"" and `forged`. If the program has expired, return b"" and `late`.
        """
        until, written = self._kept.pop(state, (0.0, b""))
        if not written:
            return b"", "forged"
        return (written, "") if until > time.monotonic() else (b"", "late")
