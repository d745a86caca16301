# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sliding-window rate limit: at most `count` requests in any window of the given length.

This is not a token bucket. A bucket that starts full allows nearly twice the rate in its first period, and so would
exceed the API's own limit.
"""

from __future__ import annotations

import re
from collections import deque

MOST = 100_000

_SPANS = {"s": (1.0, "a second"), "min": (60.0, "a minute"), "h": (3600.0, "an hour")}
_FORM = re.compile(r"([0-9]{1,6}) ?/ ?(s|min|h)", re.IGNORECASE)


# A token bucket that starts full would allow nearly twice the rate in its first interval.
class Rate:
    """Sliding-window rate limiter: the limit, and the times of the latest requests."""

    def __init__(self, count: int, seconds: float, span: str) -> None:
        self.count = count
        self.seconds = seconds
        self._span = span
        self._sent: deque[float] = deque(maxlen=count)

    def __str__(self) -> str:
        return f"{self.count:,} request{'' if self.count == 1 else 's'} {self._span}"

    def due(self, now: float, ahead: int = 0) -> float:
        """Return the earliest time at which a request may be sent if `ahead` other requests are waiting to be sent
        before it.

        All times are in seconds.
        """
        sent, later = self._sent, 0.0
        # Index of the request that must leave the window before the new request may be sent. The index is too large for
        # `sent` if that request is still waiting, and negative if no request must leave.
        before = len(sent) + ahead - self.count
        while before >= len(sent) and before >= 0:
            before -= self.count
            later += self.seconds
        return max(now, sent[before] + self.seconds if before >= 0 else now) + later

    def note(self, now: float) -> None:
        """Record that a request was sent at the time `now`, in seconds."""
        self._sent.append(now)


def parse(value: str) -> Rate:
    """Return the rate for the operator's text, such as `10/s`.

    Raise ValueError with a reason such as "must say how many requests in which time" if the text is not valid.
    """
    found = _FORM.fullmatch(value)
    if not found:
        raise ValueError("must say how many requests in which time, such as 10/s, 100/min or 5000/h")
    if not 1 <= int(found[1]) <= MOST:
        raise ValueError(f"must allow 1 to {MOST:,} requests")
    return Rate(int(found[1]), *_SPANS[found[2].lower()])
