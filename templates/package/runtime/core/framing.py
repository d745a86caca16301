# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Bytes to lines: the framing of MCP over stdio; and the lines of either direction that wait.

A line ends at a line feed and nowhere else: U+2028, U+0085 and a lone carriage return are text. This module does not
know JSON. Invariant: however the bytes are cut into pieces, the same lines come out, and no more than `limit` bytes of
an unfinished line are ever held.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Line: TypeAlias = "bytes | Oversize"

#: The longest line that is read. Arguments of real calls stay below 100 KB; a file as base64 is what needs room, and
#: 8 MiB of it is 6 MiB of file. Beyond that `file:` arguments are the way.
LIMIT = 8 * 1024 * 1024

#: The longest line that is held, and what leaves together: the bytes that go into a pipe at once, and the seconds
#: between the first of them and the last.
_SHORT = 16 * 1024
_TOGETHER = 64 * 1024
_MOMENT = 0.001

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Oversize:
    """A line that was longer than the limit: what it held is gone, only its length is known."""

    __slots__ = ("length",)

    def __init__(self, length: int) -> None:
        self.length = length


class Lines:
    """Collects bytes and gives out whole lines, without their line ends and without the blank ones."""

    __slots__ = ("_first", "_length", "_limit", "_pieces")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._length = 0
        self._first = True

    def feed(self, data: bytes) -> list[Line]:
        """The lines that these bytes complete."""
        *ends, rest = data.split(b"\n")
        if not (rest or self._length or self._first) and len(data) <= self._limit:  # whole lines, as mostly
            return [line for each in ends if (line := each.removesuffix(b"\r")).strip(b" \t\r")]
        lines: list[Line] = []
        for end in ends:
            self._hold(end)
            lines += self._take()
        self._hold(rest)
        return lines

    def close(self) -> list[Line]:
        """The last line, where the stream ended without a line feed."""
        return self._take()

    def _hold(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > self._limit:
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _take(self) -> list[Line]:
        line, length, first = b"".join(self._pieces), self._length, self._first
        self._pieces.clear()
        self._length, self._first = 0, False
        if length > self._limit:
            return [Oversize(length)]
        if first:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        line = line.removesuffix(b"\r")
        return [line] if line.strip(b" \t\r") else []


class Inbox:
    """The lines that came and were not taken yet. `ended` says that none will come any more."""

    __slots__ = ("_came", "_lines", "ended")

    def __init__(self) -> None:
        self._lines = Lines()
        self._came: list[Line] = []
        self.ended = False

    def feed(self, data: bytes) -> None:
        """What was read; nothing is the end of the stream."""
        self._came += self._lines.feed(data) if data else self._lines.close()
        self.ended = not data

    @property
    def first(self) -> Line | None:
        """The line whose turn it is; None where there is none."""
        return self._came[0] if self._came else None

    def pop(self) -> Line:
        """Take it."""
        return self._came.pop(0)


# Decision 0156: Answers that are ready together leave in one write.
class Outbox:
    """The lines on their way to the client, which leave in the order in which they came. For one thread at a time.

    To write wakes the client, which costs a tenth of a short call. So a short line may be held: it leaves with the next
    that comes later than a moment behind it, before the next that is written, and with `flush`. Whoever holds one makes
    sure that nothing takes long until then; a signal that ends the process takes with it what is held.
    """

    __slots__ = ("_clock", "_held", "_since", "_size", "_write")

    def __init__(self, write: Callable[[bytes], object], clock: Callable[[], float]) -> None:
        """`clock` counts seconds."""
        self._write = write
        self._clock = clock
        self._held: list[bytes] = []
        self._size = 0
        self._since = 0.0

    def write(self, lines: bytes) -> None:
        """Let them leave now, behind what is held. They may be a piece of a line, whose rest is to follow at once."""
        if self._held and len(lines) <= _SHORT:
            self._held.append(lines)
            self.flush()
        else:
            self.flush()
            self._write(lines)

    def hold(self, line: bytes) -> bool:
        """Let it leave soon. Whether it is the first that is held, so that `flush` must follow."""
        if len(line) > _SHORT:
            self.write(line)
            return False
        first, now = not self._held, self._clock()
        if first:
            self._since = now
        self._held.append(line)
        self._size += len(line)
        if self._size <= _TOGETHER and now - self._since <= _MOMENT:
            return first
        self.flush()
        return False

    def flush(self) -> None:
        """Let what is held leave."""
        if self._held:
            lines = b"".join(self._held)
            self._held.clear()
            self._size = 0
            self._write(lines)
