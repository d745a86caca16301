"""Measure the memory of idle sessions and of streams for notifications of changes, over HTTP.

The result is the growth of a server's RSS from few to many sessions or streams, divided by their number. Our server
stores no sessions: the id of a session contains its encrypted state. So a session should take no memory, except for
memory that the allocator has not yet returned. The limit that is checked is smaller than a session id. A stream is
measured with its connection: a GET in its own session in MCP revisions with sessions, `subscriptions/listen` in later
revisions.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing

from benchmarks.replicas.client import NEWER, OLDER
from benchmarks.speed.connection import Closed, Connection, begin_session, http, in_session, post
from benchmarks.speed.figures import Found
from benchmarks.speed.http_calls import Server, started
from benchmarks.speed.pipe import Wrong
from benchmarks.speed.programs import ASGI, HTTP
from benchmarks.speed.setting import Setting

ROUNDS = 1
SESSION, STREAM = "idle session", "listening stream"
SESSIONS, THEIR_SESSIONS, STREAMS = 10_000, 1000, 500
"""Numbers of sessions of our server, sessions of other servers, and streams. Sessions of other servers take long to
begin.
"""
BEFORE = 10
"""One in this many sessions or streams exists before the first measurement."""
QUICK = 10
MOST_OF_A_SESSION, MOST_OF_A_STREAM = 64, 40
"""Upper limits on the memory of a session in bytes, and of a stream in KiB."""
BYTES, KIB = "bytes", "KiB"
Hold = Callable[[Server, int, ExitStack], None]
_ASKED = {"id": 1, "method": "subscriptions/listen", "params": {"notifications": {"toolsListChanged": True}}}


def measure(setting: Setting) -> Found:
    """Measure the memory of idle sessions, of streams in a revision of MCP with sessions, and of streams in a revision
    without. Start a new server for each measurement.
    """
    part = QUICK if setting.quick else 1
    found = Found()
    for case, unit, hold in (
        (SESSION, BYTES, _hold_sessions),
        (f"{STREAM}, {OLDER}", KIB, _hold_gets),
        (f"{STREAM}, {NEWER}", KIB, _hold_listens),
    ):
        for server in started(setting.programs, setting.upstream.url):
            many = STREAMS if unit == KIB else SESSIONS if server.name in (HTTP, ASGI) else THEIR_SESSIONS
            try:
                grown = _growth(server, hold, many // part)
            except (Closed, Wrong):
                if server.name in (HTTP, ASGI):
                    raise
                found.notes.append(f"{server.name} is left out of {case}, which it does not serve.")
                continue
            found.add(case, server.name, unit, [grown * 1024 if unit == BYTES else grown])
            if server.name in (HTTP, ASGI):
                bar = MOST_OF_A_STREAM if unit == KIB else MOST_OF_A_SESSION
                found.at_most(bar, f"{case}: {server.name}, {unit}", found.median(case, server.name, unit), 1)
    return found


def _growth(server: Server, hold: Hold, many: int) -> float:
    """Return by how many KiB a server's memory grows for each session or stream. `hold`: function that opens them."""
    with server, ExitStack() as stack:
        hold(server, many // BEFORE, stack)
        before = server.resident()
        hold(server, many, stack)
        return max(0.0, server.resident() - before) / many


def _hold_sessions(server: Server, many: int, stack: ExitStack) -> None:
    """Begin `many` sessions on one connection."""
    connection = stack.enter_context(closing(server.connection()))
    for _ in range(many):
        begin_session(connection, server.port, OLDER)


def _hold_gets(server: Server, many: int, stack: ExitStack) -> None:
    """Open `many` streams by GET, each in its own session."""
    for _ in range(many):
        connection = stack.enter_context(closing(server.connection()))
        session = begin_session(connection, server.port, OLDER)
        fields = {"Accept": "text/event-stream", **in_session(session, OLDER)}
        _open(connection, http("GET", server.port, fields), b"\r\n\r\n")


def _hold_listens(server: Server, many: int, stack: ExitStack) -> None:
    """Open `many` streams by `subscriptions/listen`, which belong to no session."""
    for _ in range(many):
        connection = stack.enter_context(closing(server.connection()))
        _open(connection, post(server.port, NEWER, _ASKED), b"subscriptions/acknowledged")


def _open(connection: Connection, request: bytes, mark: bytes) -> None:
    """Open a stream, and wait for `mark`, the bytes with which the stream begins. Raise Wrong if the stream is
    refused.
    """
    connection.send(request)
    if not (came := connection.until(mark)).startswith(b"HTTP/1.1 200") or b"text/event-stream" not in came:
        raise Wrong(f"no stream was opened: {came[:300]!r}")
