# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Poll what the client over stdio watches. The protocol and the writing of its lines are under one lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .poller import Poller

if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable

    from ..core.effects import Fetch
    from ..core.framing import Outbox
    from ..core.protocol import Protocol
    from .poller import Executor


def poller(protocol: Protocol, lock: LockType, outbox: Outbox, executor: Callable[[], Executor | None]) -> Poller:
    """Return the poller of a server. `executor` returns what sends requests, once it is loaded."""

    def watched() -> dict[str, Fetch]:
        with lock:
            return protocol.polled()

    def changed(uri: str) -> None:
        with lock:
            if lines := protocol.updated(uri):
                outbox.write(lines)

    return Poller(watched, executor, changed)
