# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Poll the resources to which the client over stdio subscribes. One lock protects the protocol and its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .poller import Poller

if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable

    from ..core.effects import Fetch
    from ..core.protocol import Protocol
    from ..core.stdio import Outbox
    from .poller import Executor


def poller(protocol: Protocol, lock: LockType, outbox: Outbox, executor: Callable[[], Executor | None]) -> Poller:
    """Return the object that polls the resources that the client watches, and notifies the client of changes.

    `executor()` returns the tool executor, which sends requests, or None until it is loaded.
    """

    def watched() -> dict[str, Fetch]:
        with lock:
            return protocol.polled()

    def changed(uri: str) -> None:
        with lock:
            if lines := protocol.updated(uri):
                outbox.write(lines)

    return Poller(watched, executor, changed)
