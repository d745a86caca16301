# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Record whether a request left this server, so that the request is not sent twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from weakref import WeakSet


class Unwritable(Exception):
    """The request cannot be written as HTTP. No byte of it was sent."""


class SendRecord:
    """Record of whether a request was sent.

    - `done`: whether the request was sent. `reused`: whether its connection had been used before.
    - `report`: function that is called once with "sent", when the request is first sent.
    """

    __slots__ = ("_report", "done", "reused")

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self.done = False
        self.reused = False

    def by(self, transport: asyncio.Transport, used: WeakSet[asyncio.Transport]) -> None:
        """Record that the request is now sent on `transport`.

        `used`: the connections that have carried a request. `transport` is added to them.
        """
        if transport in used:
            self.reused = True
        else:
            used.add(transport)
        if not self.done:
            self.done = True
            self._report("sent")
