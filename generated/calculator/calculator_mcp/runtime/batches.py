# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The answers to several messages of one line, which 2025-03-26 alone has.

No more than jsonrpc.MAX_BATCH messages are served of one line. Of more, none is, and each request gets an error.
"""

from __future__ import annotations

from .jsonrpc import MAX_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Id


class Answers:
    """The answers to a batch, which leave together once the last one is there."""

    __slots__ = ("awaited", "ids", "lines")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.ids: list[Id] = []
        self.awaited = 1  # the reading of the batch itself

    def arrays(self) -> bytes:
        """One array; several only where one would be longer than a client reads."""
        arrays: list[list[bytes]] = []
        room = 0
        for line in self.lines:
            room -= len(line)
            if room < 0:
                arrays.append([])
                room = MAX_LINE - len(line)
            arrays[-1].append(line[:-1])
        return b"".join(b"[%b]\n" % b",".join(array) for array in arrays)
