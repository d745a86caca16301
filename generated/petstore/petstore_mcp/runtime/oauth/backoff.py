# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Exponential backoff for credentials that a token endpoint has refused.

Many APIs lock an account after a few refused logins, and a model that repeats a call would log in again each time. So a
pause follows each refusal: FIRST seconds at first, then twice as long each time, up to LONGEST.
"""

from __future__ import annotations

from collections.abc import Callable

FIRST, LONGEST = 10.0, 600.0


class Backoff:
    """Exponential backoff per credential.

    A key is a tuple of texts that identifies one credential. `clock` returns seconds.
    """

    __slots__ = ("_clock", "_refused")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._refused: dict[tuple[str, ...], tuple[int, float, str]] = {}

    def reason(self, key: tuple[str, ...]) -> str:
        """Return why no attempt may be made now, and when the next one may be. Return "" if an attempt may be made."""
        _, end, reason = self._refused.get(key, (0, 0.0, ""))
        left = end - self._clock()
        return f"{reason} The next attempt is made in {max(round(left), 1)} s." if left > 0 else ""

    def refused(self, key: tuple[str, ...], reason: str) -> int:
        """Record that the credential `key` was refused, and begin a pause. Return the number of refusals in a row."""
        count = self._refused.get(key, (0, 0.0, ""))[0] + 1
        pause = min(FIRST * 2.0 ** min(count - 1, 20), LONGEST)
        self._refused[key] = count, self._clock() + pause, reason
        return count

    def accepted(self, key: tuple[str, ...]) -> None:
        """Forget the refusals of a credential that the endpoint has now accepted."""
        self._refused.pop(key, None)
