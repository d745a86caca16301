# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Content codings (RFC 9110 section 8.4.1) undone under a limit: gzip and deflate, one at most, never past the limit.

The HTTP library would inflate whole chunks before anybody can count, and 200 KB become 200 MB.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"

_STEP = 256 * 1024
"""Bytes that are decoded at a time. What came in one piece may be a thousand times as long, and would all be held."""


class BadCoding(Exception):
    """The content cannot be decoded; the message is the rest of a sentence about the answer."""


def undoing(coding: str, limit: int, take: Callable[[bytes], None]) -> Plain:
    """Undoes that value of Content-Encoding. Raises BadCoding for all but one of those that were offered."""
    coding = coding.strip().lower()
    return Plain(limit, take) if coding in ("", "identity") else Inflate(coding, limit, take)


# Decision 0040: Transfer codings other than chunked are refused.
def refuse_transfer_coding(value: str) -> None:
    """Raise BadCoding for a value of Transfer-Encoding with more than chunks (RFC 9112 section 6.1).

    No request of ours offers another one in TE. The HTTP library undoes chunks and would pass on the rest as content.
    """
    if not {coding.strip().lower() for coding in value.split(",")} <= {"", "chunked", "identity"}:
        raise BadCoding("has a transfer coding that was not asked for")


class Plain:
    """Passes content on as it comes. `full` says that there was more than the limit, which was dropped."""

    __slots__ = ("_limit", "_size", "_take", "full")

    def __init__(self, limit: int, take: Callable[[bytes], None]) -> None:
        """`take` is given what was decoded, at most the limit."""
        self._limit = limit
        self._take = take
        self._size = 0
        self.full = False

    def feed(self, data: bytes) -> None:
        """Take in what came, as far as there is room. Raises BadCoding."""
        room = self._limit - self._size
        self._size += len(data)
        if len(data) <= room:
            self._take(data)
            return
        self.full = True
        if room > 0:
            self._take(data[:room])

    def finish(self, may_be_empty: bool = True) -> None:
        """All has come. Raises BadCoding where the coded stream ended early; before its first byte, where content must
        have come."""


class Inflate(Plain):
    """The same of content that has a coding."""

    __slots__ = ("_behind", "_coding", "_raw", "_stream")

    def __init__(self, coding: str, limit: int, take: Callable[[bytes], None]) -> None:
        super().__init__(limit, take)
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise BadCoding("has a content coding that was not asked for")
        self._coding = coding
        self._raw = 0
        self._behind = False
        self._stream: zlib._Decompress | None = None

    def feed(self, data: bytes) -> None:
        self._raw += len(data)
        self._decode(data)
        self.full = self._raw > self._limit or self._size > self._limit

    def finish(self, may_be_empty: bool = True) -> None:
        ended = may_be_empty if self._stream is None else self._stream.eof or self.full
        if not ended:
            raise BadCoding("is compressed, and ends too early")

    def _decode(self, data: bytes) -> None:
        # One byte over the limit is enough to know that there is more.
        while (room := min(self._limit + 1 - self._size, _STEP)) > 0 and (data or self._behind):
            if self._stream is None:
                self._stream = zlib.decompressobj(self._window(data))
            elif self._stream.eof:
                if not data.startswith(_GZIP_MAGIC):
                    return  # padding behind the last member
                self._stream = zlib.decompressobj(_GZIP)
            try:
                decoded = self._stream.decompress(data, room)
            except zlib.error:
                raise BadCoding("is not compressed the way it says") from None
            super().feed(decoded)
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            # A step that is full may have left something behind, although all that came was taken in.
            self._behind = len(decoded) == room and not self._stream.eof

    def _window(self, data: bytes) -> int:
        if self._coding != "deflate":
            return _GZIP
        # Some servers leave out the zlib header that the standard demands; its low bits say "deflate".
        return _ZLIB if data[0] & 0x0F == 8 else _RAW
