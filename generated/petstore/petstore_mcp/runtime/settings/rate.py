# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""How many requests may be sent in a while: never more than so many in any span of that length. Pure.

A window that slides, not a bucket that fills: a bucket that begins full lets nearly twice as many through in its first
span, and a quota that is set to what the API grants would be broken by it.
"""

from __future__ import annotations

import re
from collections import deque

MOST = 100_000

_SPANS = {"s": (1.0, "a second"), "min": (60.0, "a minute"), "h": (3600.0, "an hour")}
_FORM = re.compile(r"([0-9]{1,6}) ?/ ?(s|min|h)", re.IGNORECASE)


# Decision 0038: A rate is a sliding window.
class Rate:
    """So many requests in so many seconds, and when the latest of them were sent."""

    def __init__(self, count: int, seconds: float, span: str) -> None:
        self._count = count
        self._seconds = seconds
        self._span = span
        self._sent: deque[float] = deque(maxlen=count)

    def __str__(self) -> str:
        return f"{self._count:,} request{'' if self._count == 1 else 's'} {self._span}"

    def due(self, now: float, ahead: int = 0) -> float:
        """When a request may be sent that has so many others before it."""
        sent, later = self._sent, 0.0
        before = len(sent) + ahead - self._count  # the request that must be so long ago
        while before >= len(sent) and before >= 0:  # it has not been sent itself
            before -= self._count
            later += self._seconds
        return max(now, sent[before] + self._seconds if before >= 0 else now) + later

    def note(self, now: float) -> None:
        """One is sent."""
        self._sent.append(now)


def parse(value: str) -> Rate:
    """The rate that an operator wrote. Raises ValueError with the rest of a sentence about the variable."""
    found = _FORM.fullmatch(value)
    if not found:
        raise ValueError("must say how many requests in which time, such as 10/s, 100/min or 5000/h")
    if not 1 <= int(found[1]) <= MOST:
        raise ValueError(f"must allow 1 to {MOST:,} requests")
    return Rate(int(found[1]), *_SPANS[found[2].lower()])
