# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Framing of MCP over stdio: split bytes into lines, and queue lines in both directions.

A line ends at a line feed only; U+2028, U+0085 and a lone carriage return are text. This module does not parse JSON.
Invariant: the resulting lines do not depend on how the bytes are split, and at most `limit` bytes of an unfinished line
are held.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Line: TypeAlias = "bytes | Oversize"

#: Longest line that is read, in bytes. Only base64 files need more than 100 KB: 8 MiB of base64 hold a 6 MiB file.
LIMIT = 8 * 1024 * 1024

#: Largest line that may wait for later lines, and largest joint write, in bytes. Longest wait of a line, in seconds.
_SHORT = 16 * 1024
_TOGETHER = 64 * 1024
_MOMENT = 0.001

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Oversize:
    """A line that was longer than the limit. Its content was discarded; only its length is known."""

    __slots__ = ("length",)

    def __init__(self, length: int) -> None:
        self.length = length


class Lines:
    """Splitter of bytes into whole lines, without line ends and without blank lines."""

    __slots__ = ("_first", "_length", "_limit", "_pieces")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._length = 0
        self._first = True

    def feed(self, data: bytes) -> list[Line]:
        """Return the lines that `data` completes."""
        *ends, rest = data.split(b"\n")
        if not (rest or self._length or self._first) and len(data) <= self._limit:  # fast path: whole lines only
            return [line for each in ends if (line := each.removesuffix(b"\r")).strip(b" \t\r")]
        lines: list[Line] = []
        for end in ends:
            self._hold(end)
            lines += self._take()
        self._hold(rest)
        return lines

    def close(self) -> list[Line]:
        """Return the last line, in a list, if the stream ended without a line feed; else an empty list."""
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
    """Queue of lines that were read and not yet handled. `ended` is True after the end of the stream."""

    __slots__ = ("_came", "_lines", "ended")

    def __init__(self) -> None:
        self._lines = Lines()
        self._came: list[Line] = []
        self.ended = False

    def feed(self, data: bytes) -> None:
        """Add the bytes that were read. Empty `data` means the end of the stream."""
        self._came += self._lines.feed(data) if data else self._lines.close()
        self.ended = not data

    @property
    def first(self) -> Line | None:
        """Return the next line without removing it, or None if the queue is empty."""
        return self._came[0] if self._came else None

    def pop(self) -> Line:
        """Remove and return the next line."""
        return self._came.pop(0)


# Each write wakes the client, which takes a tenth of a small call's time (docs/decisions/speed.md).
class Outbox:
    """Queue of lines to the client, sent in the order in which they were added. Used by one thread at a time.

    Each write wakes the client, which costs a tenth of a short call. So a short line may be held and written together
    with later lines. Held lines are written before the next direct write, at `flush`, or when a line is added more than
    a millisecond after the first. The caller of `hold` must not do long work before `flush`. If a signal ends the
    process, held lines are lost.
    """

    __slots__ = ("_clock", "_held", "_since", "_size", "_write")

    def __init__(self, write: Callable[[bytes], object], clock: Callable[[], float]) -> None:
        """Create an empty queue. `clock` returns seconds."""
        self._write = write
        self._clock = clock
        self._held: list[bytes] = []
        self._size = 0
        self._since = 0.0

    def write(self, lines: bytes) -> None:
        """Write the held lines and then `lines`, now.

        `lines` may end in the middle of a line if the caller writes the rest of that line at once.
        """
        if self._held and len(lines) <= _SHORT:
            self._held.append(lines)
            self.flush()
        else:
            self.flush()
            self._write(lines)

    def hold(self, line: bytes) -> bool:
        """Hold a short line, to write it together with later lines. Write a long line now.

        Return True if the line is the first held line: the caller must then arrange a `flush`.
        """
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
        """Write the held lines."""
        if self._held:
            lines = b"".join(self._held)
            self._held.clear()
            self._size = 0
            self._write(lines)
