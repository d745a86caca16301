# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The wire: private copies of stdin and stdout, and nothing else on them.

While it serves, descriptor 1 is stderr and descriptor 0 the null device, so that a `print`, a C library or a child
process can neither write into the protocol nor read from it. Knows neither JSON nor MCP.

Invariants: a write is whole or the process ends, quietly, since a client that closed its side has said all it wants to;
reading and writing block, which is the back-pressure. One thread reads; writers hold the server's lock.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select

_CHUNK = 65536


def fill_gaps() -> None:
    """Give each of descriptors 0 to 2 that is closed the null device, before a file or socket gets its number."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def complain(sentence: str) -> None:
    """One line on stderr for whoever starts the server, if anybody listens."""
    try:
        os.write(2, f"{sentence}\n".encode("ascii", "backslashreplace"))
    except OSError:
        return


class Wire:
    """Takes stdin and stdout for itself when it is made."""

    __slots__ = ("_in", "_out", "_poll")

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        self._poll: select.poll | None = None
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        sys.stdout = sys.stderr  # line-buffered, so what a hook prints is seen when it is printed
        if os.name == "posix":  # a parent may have left either end non-blocking
            os.set_blocking(self._in, True)
            os.set_blocking(self._out, True)

    def watch(self) -> None:
        """From now on, end the process when the client closes its side of stdout, even if there is nothing to write."""
        import select  # a C module that the way to the first answer does without

        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._in, select.POLLIN)
            self._poll.register(self._out, 0)

    def read(self) -> bytes:
        """What has come, at least one byte; nothing at the end of the stream."""
        if self._poll is not None:
            self._wait(self._poll)
        try:
            return os.read(self._in, _CHUNK)
        except OSError:
            return b""

    def write(self, lines: bytes) -> None:
        """All of it, however long that takes."""
        rest = memoryview(lines)
        try:
            while rest:
                rest = rest[os.write(self._out, rest) :]
        except OSError:
            os._exit(0)

    def _wait(self, poll: select.poll) -> None:
        import select

        for descriptor, event in poll.poll():
            if event & select.POLLNVAL:  # where poll cannot watch a device, reading must do
                self._poll = None
            elif descriptor == self._out and event & (select.POLLERR | select.POLLHUP):
                os._exit(0)
