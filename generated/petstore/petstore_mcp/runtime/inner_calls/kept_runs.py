# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store runs that wait for the user's answer: programs that a model wrote, and workflows.

The store of this process is for a server with one client (stdio). The client gets a random name for the run, and sends
the name with the answer. A name can be used once. Over HTTP, the client stores the run itself, encrypted
(`sealed/sealed_states`).
"""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..calls.services import Lasting
    from ..http_server.handles import PausedRuns

MOST = 16
"""Largest number of waiting runs. One more run displaces the oldest."""

MOST_BYTES = 64 * 2**20
LARGEST = 128 * 2**20
"""Maximum size in bytes of a decompressed run."""

_PREFIX = "run."


def of_server(lasting: Lasting) -> PausedRuns:
    """Return the store of waiting runs of one server."""
    return lasting.handles.runs if lasting.handles else KeptRuns()


class KeptRuns:
    """Store of runs that are paused until the user answers: name -> (time of expiry, run)."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, bytes]] = {}

    def keep(self, written: bytes) -> str:
        """Store a paused run, serialized, and return a name for it, or "" if the run is too large."""
        from ..questions.signed_state import SECONDS  # imported late: only a call that asks its user is paused

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
        """Remove the run that is stored under the name `state`, and return the run and "".

        If the name is unknown, return b"" and `forged`. If the run has expired, return b"" and `late`.
        """
        until, written = self._kept.pop(state, (0.0, b""))
        if not written:
            return b"", "forged"
        return (written, "") if until > time.monotonic() else (b"", "late")


class OtherRun(Exception):
    """Raised if stored bytes do not hold the expected run, for example since the server was generated again."""


def packed(about: Sequence[str], facts: dict[str, Any], rest: bytes = b"") -> bytes:
    """Return the facts about a paused run as bytes, with further bytes of the run.

    `about`: texts that the run belongs to, such as its code. `unpacked` refuses the bytes for other texts.
    """
    return zlib.compress(dumps([_digest(about), facts]) + b"\n" + rest)


def unpacked(about: Sequence[str], written: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the facts and the further bytes that `packed` converted to these bytes.

    Raise OtherRun if `about` differs, or if the decompressed bytes exceed LARGEST.
    """
    unpacking = zlib.decompressobj()
    whole = unpacking.decompress(written, LARGEST)
    head, _, rest = whole.partition(b"\n")
    found: Any = loads(head.decode())[0]
    if found[0] != _digest(about) or unpacking.unconsumed_tail:
        raise OtherRun
    return found[1], rest


def _digest(about: Sequence[str]) -> str:
    return hashlib.sha256(dumps(list(about))).hexdigest()
