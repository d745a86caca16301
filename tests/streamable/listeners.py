"""Wait until replicas listen to messages of other replicas, and until the store has settings and events."""

from __future__ import annotations

from collections.abc import Callable

import redis


def wait_for_listeners(store: str, count: int) -> None:
    """Wait until `count` replicas listen at the store. A replica never gets a message that was sent before."""
    with redis.Redis.from_url(store) as client:
        while [heard for _, heard in client.pubsub_numsub(*client.pubsub_channels("*relay:"))] != [count]:
            continue


def wait_for_setting(store: str, sets: Callable[[], None]) -> None:
    """Call `sets`, by which a client makes a setting of its session, until the store has the setting.

    One call may not suffice: if the store is busy for too long, the replica accepts the setting without storing it.
    """
    with redis.Redis.from_url(store) as client:
        while not client.keys("*settings:*"):
            sets()


def wait_for_event(store: str) -> None:
    """Wait until the store has the first event of its only stream. A replica may send an event before it stores it."""
    with redis.Redis.from_url(store) as client:
        while [client.xlen(key) for key in client.keys("*events:*")] < [2]:  # the entry before it names the replica
            continue
