"""Test the places of connections by counts: how often the server searches for a connection that may give way."""

from __future__ import annotations

from package.runtime.http_server.doors.aiohttp_door import ConnectionPlaces


class Served:
    """A connection whose request is being answered. It counts how often it was asked whether it is idle."""

    network = "127.0.0.2"

    def __init__(self) -> None:
        self.asked = 0

    def is_idle(self) -> bool:
        self.asked += 1
        return False

    def give_way(self) -> None:
        raise AssertionError("a connection that is served never gives way")


def test_a_search_that_finds_no_idle_connection_is_made_once() -> None:
    """Without this rule, each refused connection of a flood would search the same connections twice, in vain."""
    places, held = ConnectionPlaces(4), [Served() for _ in range(3)]
    assert all(map(places.enter, held))
    assert not places.enter(Served())
    assert [each.asked for each in held] == [1, 1, 1]
