"""Test what a process stores for clients that are slow, gone or many: each store has a limit, and drops its oldest
entries.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from package.runtime.core.limits import FairPool, FairQueue, Places, Shares
from package.runtime.core.notification_settings import NotificationSettings
from package.runtime.http_server.requests import response_writer
from package.runtime.http_server.requests.response_writer import Reader, UnreadBytes
from package.runtime.http_server.streamable import event_stream
from package.runtime.http_server.streamable import session as session_notifications
from package.runtime.http_server.streamable.event_stream import EventQueue, RecordedEvents, Recording
from package.runtime.http_server.streamable.session import SessionNotifications

from tests.leaks import planted

MEGABYTE = 2**20
_STARTED = """
import asyncio, gc
from caller_mcp.asgi import app
asyncio.run(app._started())
print(gc.get_threshold()[0], gc.get_freeze_count() > 0)
"""


@pytest.mark.parametrize(("switch", "expected"), [("1", "2000 True"), ("0", f"{gc.get_threshold()[0]} False")])
def test_a_started_service_collects_garbage_less_often(project: Path, switch: str, expected: str) -> None:
    """Check that a server over HTTP raises the thresholds of Python's garbage collector, as over stdio.

    `MCPGEN_TUNING=0` turns this off.
    """
    environ = {**planted("CALLER"), "CALLER_BASE_URL": "http://127.0.0.1:9", "MCPGEN_TUNING": switch}
    command = [sys.executable, "-c", _STARTED]
    done = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == expected


class TestUnread:
    """Test requirement E6: the limit on bytes of responses that clients do not read."""

    def test_a_thousand_clients_that_do_not_read_hold_no_more_than_the_limit(self) -> None:
        unread_by_all = UnreadBytes()
        given_up: list[int] = []
        for number in range(1000):
            Reader(unread_by_all, partial(given_up.append, number)).add(10 * MEGABYTE)
        assert given_up == list(range(1000 - response_writer.MOST // (10 * MEGABYTE)))

    def test_whoever_reads_is_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(response_writer, "MOST", 100)
        unread_by_all = UnreadBytes()
        given_up: list[str] = []
        slow, quick = (Reader(unread_by_all, partial(given_up.append, name)) for name in ("slow", "quick"))
        quick.add(50)
        slow.add(50)
        quick.took(1)
        Reader(unread_by_all, lambda: given_up.append("last")).add(20)
        assert given_up == ["slow"]

    def test_what_was_read_waits_no_more(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(response_writer, "MOST", 100)
        unread_by_all = UnreadBytes()
        given_up: list[int] = []
        for _ in range(50):
            reader = Reader(unread_by_all, lambda: given_up.append(1))
            reader.add(90)
            reader.took(1000)
        assert given_up == []


class TestReplay:
    """Test requirement L12: a session stores at most 1,000 events and 8 MiB for resumed streams, for five minutes after
    the response.
    """

    def test_a_session_keeps_so_many_events_of_all_its_streams(self) -> None:
        kept, session = RecordedEvents(), EventQueue()
        streams = [Recording(f"s{number}", lambda: 0.0, kept, session, "anna") for number in range(3)]
        for _ in range(600):
            for stream in streams:
                stream.add(b"{}")
        held = sum(len(stream._events) for stream in streams)
        assert held == event_stream.MOST_EVENTS
        assert all(stream.behind(0) is None for stream in streams)
        assert all(len(stream.behind(500) or []) == 100 for stream in streams)

    def test_a_session_keeps_so_many_bytes(self) -> None:
        stream = Recording("s", lambda: 0.0, RecordedEvents(), EventQueue(), "anna")
        for _ in range(10):
            stream.add(b"x" * MEGABYTE)
        assert stream.behind(0) is None
        assert len(stream.behind(3) or []) == 7

    def test_all_sessions_keep_so_much_together(self) -> None:
        kept, streams = RecordedEvents(), []
        for number in range(1000):
            streams.append(Recording(f"s{number}", lambda: 0.0, kept, EventQueue(), "anna"))
            streams[-1].add(b"x" * MEGABYTE)
        held = [stream for stream in streams if stream.behind(0)]
        assert held == streams[-len(held) :]
        # Each stream has one event, which is a little longer than its line of one megabyte. So the limit holds
        # one stream fewer than it has megabytes.
        assert len(held) == event_stream.MOST_BYTES_OF_ALL // MEGABYTE - 1

    def test_a_caller_with_many_events_displaces_no_others(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(event_stream, "MOST_BYTES_OF_ALL", 10_000)
        monkeypatch.setattr(event_stream, "MOST_EVENTS_OF_ALL", 100)
        kept = RecordedEvents()
        mine = Recording("mine", lambda: 0.0, kept, EventQueue(), "bob")
        mine.add(b"x" * 4000)
        for size in (1000, 0):
            theirs = [Recording(f"s{number}", lambda: 0.0, kept, EventQueue(), "anna") for number in range(200)]
            for stream in theirs:
                stream.add(b"x" * size)
            assert len(mine.behind(0) or []) == 1
            assert theirs[0].behind(0) is None
            assert len(theirs[-1].behind(0) or []) == 1
        mine.drop()
        for stream in theirs:
            stream.drop()
        assert (kept._of, kept._count, kept._size) == ({}, 0, 0)

    def test_streams_without_events_count_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(event_stream, "MOST_EVENTS", 10)
        kept, session = RecordedEvents(), EventQueue()
        streams = [Recording(f"s{number}", lambda: 0.0, kept, session, "anna") for number in range(100)]
        for stream in streams:
            stream.end()
        assert [stream.late for stream in streams] == [True] * 90 + [False] * 10

    def test_a_stream_is_kept_for_some_minutes_after_its_end(self) -> None:
        now = [0.0]
        stream = Recording("s", lambda: now[0], RecordedEvents(), EventQueue(), "anna")
        stream.add(b"{}")
        now[0] = 1000.0
        assert not stream.late
        stream.end()
        now[0] += event_stream.SECONDS
        assert not stream.late
        now[0] += 1
        assert stream.late


class TestPlaces:
    """Test requirements E6 and X4: a limit on places (calls, streams, connections or request bytes) for all callers
    together, and a smaller one for each caller.
    """

    def test_one_caller_leaves_some(self) -> None:
        places = Places(100)
        while places.has("greedy"):
            places.take("greedy")
        assert places.has("other", 25)
        assert not places.has("other", 26)

    def test_all_of_them_are_given_once(self) -> None:
        places = Places(100)
        for number in range(100):
            assert places.has(str(number))
            places.take(str(number))
        assert not places.has("one more")
        places.give("7")
        assert places.has("one more")

    def test_requests_without_a_body_are_counted_like_others(self) -> None:
        places = Places(100)
        for many in (0, 0, 5):
            places.take("one", many)
        for many in (5, 0, 0):
            places.give("one", many)
        assert places.has("one", 75)


class TestShares:
    """Test that one caller leaves some memory and files of large responses for others."""

    def test_memory_and_files_have_shares(self) -> None:
        shares = Shares(100, 8)
        assert [shares.take_memory("anna", 25) for _ in range(4)] == [True] * 3 + [False]
        assert [shares.take_memory("bob", 25) for _ in range(2)] == [True, False]
        assert [shares.take_file("anna") for _ in range(7)] == [True] * 6 + [False]
        assert [shares.take_file("bob") for _ in range(3)] == [True] * 2 + [False]
        shares.give_file("anna")
        assert shares.take_file("anna")
        assert [Shares(files=8).take_file("") for _ in range(8)] == [True] * 8, "over stdio there is one client"

    def test_settings_of_sessions_have_shares(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session_notifications, "MOST_NOTIFIED", 10)
        known, settings = SessionNotifications(), NotificationSettings()
        known.put("bob's", settings, "bob")
        for number in range(100):
            known.put(f"anna's {number}", settings, "anna")
        assert len(known) == 10
        assert known.get("bob's") is settings
        assert known.get("anna's 90") is None
        known.drop("anna's 99")
        known.put("bob's", settings, "bob")
        assert len(known) == 9


class TestFairPool:
    """Test the pool of places for which callers wait in turns."""

    def test_callers_take_turns_and_places_are_given_back(self) -> None:
        async def main() -> None:
            pool, order = FairPool(4, 8), list[str]()

            async def work(caller: str) -> None:
                await pool.enter(caller, None)
                order.append(caller)
                await asyncio.sleep(0)
                pool.leave(caller)

            await asyncio.gather(*(work("anna") for _ in range(9)), work("bob"))
            assert order[:4] == ["anna"] * 3 + ["bob"]
            assert len(order) == 10

        asyncio.run(main())

    def test_who_waits_too_long_or_is_one_too_many_gets_none(self) -> None:
        async def main() -> None:
            pool = FairPool(4, 4)
            for _ in range(3):
                await pool.enter("anna", None)
            waiting = [asyncio.ensure_future(pool.enter("anna", None)) for _ in range(3)]
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                await pool.enter("anna", None)
            await pool.enter("bob", None)
            with pytest.raises(TimeoutError):
                await pool.enter("bob", 0)
            waiting[0].cancel()
            pool.leave("anna")
            waiting[1].cancel()  # it has just got the place
            await asyncio.gather(*waiting, return_exceptions=True)
            assert [each.cancelled() for each in waiting] == [True, True, False]

        asyncio.run(main())


class TestTurns:
    """Test requirement X4: callers take turns, however many calls each has begun."""

    def test_callers_take_turns(self) -> None:
        turns: FairQueue[str] = FairQueue()
        for key, caller in enumerate("aaaabbc"):
            turns.add(caller, key, f"{caller}{key}")
        order = [turns.next(lambda caller: True) for _ in range(8)]
        assert order == ["a0", "b4", "c6", "a1", "b5", "a2", "a3", None]

    def test_who_may_not_is_passed_over(self) -> None:
        turns: FairQueue[str] = FairQueue()
        for key, caller in enumerate("aab"):
            turns.add(caller, key, f"{caller}{key}")
        assert turns.next(lambda caller: caller != "a") == "b2"
        assert turns.next(lambda caller: caller != "a") is None
        assert turns.next(lambda caller: True) == "a0"

    def test_what_is_given_up_waits_no_more(self) -> None:
        turns: FairQueue[str] = FairQueue()
        turns.add("a", 1, "a1")
        assert turns.remove(1) == "a1"
        assert turns.remove(1) is None
        assert not turns.has("a")
