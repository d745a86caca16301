"""Wait until replicas listen to messages of other replicas, which the store passes on."""

from __future__ import annotations

import redis


def wait_for_listeners(store: str, count: int) -> None:
    """Wait until `count` replicas listen at the store. A replica never gets a message that was sent before."""
    with redis.Redis.from_url(store) as client:
        while [heard for _, heard in client.pubsub_numsub(*client.pubsub_channels("*relay:"))] != [count]:
            continue
