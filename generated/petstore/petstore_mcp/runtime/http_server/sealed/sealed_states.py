# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encrypt what clients store over HTTP, so that any replica can read it: the `requestState` of questions to users,
programs that wait for the user, URIs of stored results, and ids of MCP tasks. Each is encrypted for one caller.

A `requestState` contains how often the user was asked, a random number, the digest of the call, and earlier answers. It
can be used once. This replica remembers the random numbers that were used, or all replicas remember them through the
store. A program is the whole serialized program, and goes on only once. A state that is another caller's, changed,
expired or used before is refused before its content is read as a program.

The URI of a stored result contains a random number. So nobody can guess a URI, and no caller can use the URI of another
caller.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from ...core import spans
from ...core.limits import Places
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


_RESULT_SECONDS = 60 * 60.0
"""Seconds for which a stored result can be read."""

_OF_RESULTS = "result"
_RESULT_NUMBER = 8


class SealedNames:
    """Maker of URIs for stored results over HTTP. A URI works only for the caller whose call produced the result."""

    def __init__(self, seal: Seal, server: str) -> None:
        self._seal = seal
        self._before = f"{server}://result/"
        # The function that `new` returns must run within the call, since the URI works only for the call's caller.
        self.new: Callable[[], Callable[[], str]] = partial(partial, self._sealed)  # runs no Python code: few need it

    def _sealed(self) -> str:
        return self._before + self._seal.close(_OF_RESULTS, spans.owner(), os.urandom(_RESULT_NUMBER), _RESULT_SECONDS)

    def admits(self, uri: str) -> bool:
        """Return True if the caller of the current request may read the result at `uri`."""
        try:
            self._seal.open(_OF_RESULTS, spans.owner(), uri.removeprefix(self._before))
        except (Unsealed, Expired):
            return False
        return uri.startswith(self._before)


LONGEST_RUN = 256 * 1024
"""Longest encrypted program in characters. Clients send it back in the body of a request."""

_OF_RUNS = "run"
_RUN_NUMBER = 16


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
        if len(written) * 4 // 3 + 100 > LONGEST_RUN:
            return ""
        return self._seal.close(_OF_RUNS, spans.owner(), os.urandom(_RUN_NUMBER) + written, SECONDS)

    async def take(self, state: str) -> tuple[bytes, str]:
        """Mark a `requestState` as used. Return the model's paused program in it and "".

        If the `requestState` is refused, return b"" and the reason.

        The reasons: `forged` (invalid), `late` (expired), `used` (used before), `crowded` (too many used states are
        remembered). `unknown`: the store does not answer, so the state may have been used.
        """
        try:
            value = self._seal.open(_OF_RUNS, spans.owner(), state, LONGEST_RUN)
        except Unsealed:
            return b"", "forged"
        except Expired:
            return b"", "late"
        void = await self._spend(value[:_RUN_NUMBER].hex(), SECONDS, spans.caller())
        return (b"", void) if void else (value[_RUN_NUMBER:], "")


_OF_TASKS = "task"


class SealedTasks:
    """Encoder and decoder of MCP task ids. Each id contains an encrypted job."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def issue(self, job: bytes, seconds: float) -> str:
        """Return a task id that contains `job`, encrypted. The id is valid for `seconds` seconds, for the caller of the
        current request.
        """
        return self._seal.close(_OF_TASKS, spans.owner(), job, seconds)

    def open(self, id: str) -> tuple[bytes, str]:  # noqa: A002
        """Return the job that a task id contains, and the reason "".

        If the id is invalid, the job is b"", and the reason is `unknown` or `expired`.
        """
        try:
            return self._seal.open(_OF_TASKS, spans.owner(), id), ""
        except Unsealed:
            return b"", "unknown"
        except Expired:
            return b"", "expired"


MOST_SPENT = 100_000
"""Largest count of used numbers that are remembered until they expire. Beyond this count, no number is accepted."""

SHARE = 1 / 10
"""Largest fraction of the numbers for one caller. None may be forgotten, so whoever exceeds the share is refused."""


class SpentNumbers:
    """Memory of used one-time numbers, such as the random number in each confirmation. `clock()` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._places = Places(MOST_SPENT, SHARE)
        # used one-time number -> its expiry and who has used it, the number that was used first at the beginning
        self._used: dict[str, tuple[float, str]] = {}

    async def spend(self, number: str, seconds: float, caller: str) -> str:
        """Record for `seconds` seconds that `caller` has used a one-time number.

        Return "", `used` if it was used before, or `crowded` if too many numbers are remembered, of this caller or of
        all.
        """
        now = self._clock()
        while self._used and (oldest := next(iter(self._used.items())))[1][0] <= now:
            del self._used[oldest[0]]
            self._places.give(oldest[1][1])
        if number in self._used:
            return "used"
        if not self._places.has(caller):
            return "crowded"
        self._places.take(caller)
        self._used[number] = now + seconds, caller
        return ""

    def forget(self, number: str) -> None:
        """Forget a number that was used, because the store could not record it."""
        if found := self._used.pop(number, None):
            self._places.give(found[1])
