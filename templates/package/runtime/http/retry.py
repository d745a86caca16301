# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Whether a request is sent again, and after what pause. Pure: time and chance are handed in.

What never left may go again. What did may only where a second time does no harm: with a safe method (RFC 9110 section
9.2.1, and QUERY), or with an Idempotency-Key, by which the upstream knows it for the same. PUT and DELETE are
idempotent as well, but a second DELETE finds nothing, and a second PUT undoes what others wrote meanwhile: they go
again where a connection that was kept from before turned out to be closed (RFC 9112 section 9.5), and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .exchange import Response

if TYPE_CHECKING:
    from ..request.request import Request
    from .client import Failure

MOST = 3
"""Times that a request is tried."""

LONGEST_FIRST = 0.5
"""Seconds of the first pause, at most; the next is twice as long."""

PASSING = frozenset({408, 429, 502, 503, 504})
"""What an upstream answers that may well answer better soon."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})
IDEMPOTENT = _SAFE | {"PUT", "DELETE"}
"""Methods of which a second time does what the first did (RFC 9110 section 9.2.2, and QUERY)."""


# Decision 0035: Only what is safe is sent again.
def pause(request: Request, outcome: Response | Failure, tries: int, left: float, chance: float) -> float | None:
    """The seconds to wait before the request is tried once more; None where what came of it stands.

    It was tried `tries` times and has `left` seconds; `chance` is random, from 0 up to 1. A pause takes half of what is
    left at most, so that there is time for the answer; a longer one that the upstream asks for is not begun.
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
