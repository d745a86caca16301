# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide whether a request is retried, and after what pause. Pure functions: time and randomness are arguments.

A request that was never sent may be retried. A request that was sent is retried only if repeating does no harm. That
holds for safe methods (RFC 9110 section 9.2.1, and QUERY), and for requests with an Idempotency-Key. PUT and DELETE are
idempotent too. But a second DELETE may find nothing, and a second PUT may undo what others wrote meanwhile. They are
retried only if a connection kept from an earlier request turned out to be closed (RFC 9112 section 9.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .exchange import Response

if TYPE_CHECKING:
    from ..request.request import Request
    from .client import Failure

MOST = 3
"""Maximum number of tries of one request."""

LONGEST_FIRST = 0.5
"""Maximum of the first pause in seconds. The maximum doubles with each further pause."""

PASSING = frozenset({408, 429, 502, 503, 504})
"""HTTP statuses that report a temporary problem."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})
IDEMPOTENT = _SAFE | {"PUT", "DELETE"}
"""Idempotent methods (RFC 9110 section 9.2.2, and QUERY)."""


# A request that changes data must be sent at most once, and aiohttp by itself would repeat a DELETE
# (docs/decisions/requests.md).
def pause(request: Request, outcome: Response | Failure, tries: int, left: float, chance: float) -> float | None:
    """Return the seconds to wait before the next try, or None if the outcome is final.

    The request was tried `tries` times and has `left` seconds; `chance` is random, from 0 up to 1. A pause takes at
    most half of the time left, so that the response has time. If the upstream asks for a longer pause, the outcome is
    final.
    """
    if tries >= MOST:
        return None
    harmless = request.method in _SAFE or bool(request.key)
    asked = 0.0
    if isinstance(outcome, Response):
        if outcome.status not in PASSING or not harmless:
            return None
        asked = max(outcome.retry_after or 0.0, 0.0)
    elif outcome.end == "stale" and tries == 1 and (harmless or request.method in IDEMPOTENT):
        return 0.0
    elif outcome.end != "refused" and not (outcome.closed and harmless):
        return None
    longest = LONGEST_FIRST * 2 ** (tries - 1)
    seconds = asked + longest * chance if asked else longest * (1 + chance) / 2
    return seconds if seconds <= left / 2 else None
