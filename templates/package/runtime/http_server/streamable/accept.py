# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide by the `Accept` header which types of response a client takes (RFC 9110, 12.5.1). Pure functions."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .head import JSON

if TYPE_CHECKING:
    from .head import Head

STREAM = "text/event-stream"
_TYPES = {JSON: (JSON, "application/*", "*/*"), STREAM: (STREAM, "text/*", "*/*")}


def admits(head: Head, media_type: str) -> bool:
    """Return True if the `Accept` header has `media_type`, or a range such as `text/*`, with a weight above 0 (RFC
    9110, 12.5).

    A client that sends no such header accepts any type.
    """
    return not _accepted(head.get("accept") or "*/*").isdisjoint(_TYPES[media_type])


@lru_cache(maxsize=32)  # cached, since clients send the same few `Accept` headers again and again
def _accepted(accept: str) -> frozenset[str]:
    """Return the media types and ranges in the `Accept` header whose weight is above 0, in lower case."""
    found = set()
    for each in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in each.split(";"))
        weights = [part for part in parameters if part.startswith("q=")]
        if not (weights and not weights[0][2:].strip("0.")):
            found.add(kind)
    return frozenset(found)
