# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Keep programs that wait for their user in this process, for a server with one client (stdio).

The client gets a name that nobody can guess, and brings it with the answer. A name counts once.
"""

from __future__ import annotations

import os
import time

from .signed_state import SECONDS

MOST = 16
"""Most programs that wait at a time. The oldest makes room."""

MOST_BYTES = 64 * 2**20
_PREFIX = "run."


class KeptRuns:
    """Programs that wait, by their names, with the time until which they do."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, bytes]] = {}

    def keep(self, written: bytes) -> str:
        """Keep a program that was written down, and return its name, or "" if it is too large."""
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
        """Return the program of that name and "", or b"" and why there is none: `forged` or `late`."""
        until, written = self._kept.pop(state, (0.0, b""))
        if not written:
            return b"", "forged"
        return (written, "") if until > time.monotonic() else (b"", "late")
