# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write event streams: protocol messages as server-sent events (HTML standard), with ids if the stream can be resumed.

    id: STREAM-N        the stream, and the number of the event in it
    event: message
    data: one line of JSON

Messages are ASCII without line breaks, so each fits into one `data:` line. Pure functions.
"""

from __future__ import annotations

HEADERS = [
    ("Content-Type", "text/event-stream"),
    ("Cache-Control", "no-cache, no-transform"),
    ("X-Accel-Buffering", "no"),
]

KEEP_ALIVE = b": keep-alive\n\n"
SILENCE = 15.0
"""Seconds of silence after which a keep-alive is sent, since proxies close silent connections."""

RETRY = 1000
"""Milliseconds that a client waits before it reconnects."""

_STREAM = 32
_MOST_DIGITS = 6


def event(line: bytes, id: str = "") -> bytes:  # noqa: A002
    """Return a protocol message as a server-sent event, with an event id if one is given."""
    named = b"id: %b\n" % id.encode() if id else b""
    return b"%bevent: message\ndata: %b\n\n" % (named, line.rstrip(b"\n"))


def first_event(stream: str) -> bytes:
    """Return the first event of a resumable stream, with empty data: an id from which the client can resume, and the
    reconnection delay.
    """
    return b"id: %b\nretry: %d\ndata: \n\n" % (event_id(stream, 0).encode(), RETRY)


def event_id(stream: str, number: int) -> str:
    """Return the event id for an event of a stream, from the stream's id and the event's number."""
    return f"{stream}-{number}"


def read_id(text: str) -> tuple[str, int] | None:
    """Return stream and number of an event id, or None if the id does not have the form that this server writes."""
    stream, _, number = text.rpartition("-")
    if not (0 < len(stream) <= _STREAM and stream.isascii() and stream.isalnum()):
        return None
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        return None
    if number != str(int(number)):
        return None
    return stream, int(number)
