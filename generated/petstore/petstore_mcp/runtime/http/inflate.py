# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decode content codings (RFC 9110 section 8.4.1) up to a size limit: gzip or deflate, at most one of them.

The HTTP library would decode whole chunks before their size could be checked: 200 KB may become 200 MB.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"

_STEP = 256 * 1024
"""Bytes decoded at a time. Decoded data may be a thousand times as long as its input, and must not be held at once."""


_KNOWN = frozenset(["br", "compress", "dcb", "dcz", "exi", "x-compress", "zstd"])
"""Content codings that an error may name. Other values are not repeated, because an upstream may write anything."""


class BadCoding(Exception):
    """The content cannot be decoded. The message ends a sentence that begins with "the answer of HOST".

    `is_lasting`: True if each response will probably have this coding.
    """

    def __init__(self, message: str, is_lasting: bool = False) -> None:
        super().__init__(message)
        self.is_lasting = is_lasting


def undoing(coding: str, limit: int, take: Callable[[bytes], None]) -> PlainDecoder:
    """Return a decoder for a value of Content-Encoding. Raise BadCoding for a coding that the request did not offer."""
    coding = coding.strip().lower()
    return PlainDecoder(limit, take) if coding in ("", "identity") else InflateDecoder(coding, limit, take)


def refuse_transfer_coding(value: str) -> None:
    """Raise BadCoding for a Transfer-Encoding other than chunked (RFC 9112 section 6.1).

    This server's requests accept no other coding (header TE). The HTTP library would decode only the chunks, and leave
    any other coding in place.
    """
    if not {coding.strip().lower() for coding in value.split(",")} <= {"", "chunked", "identity"}:
        raise BadCoding("has a transfer coding that was not asked for")


class PlainDecoder:
    """Decoder for content without a coding.

    `full` becomes True if there is more data than `limit`; the excess is dropped.
    """

    __slots__ = ("_limit", "_size", "_take", "full")

    def __init__(self, limit: int, take: Callable[[bytes], None]) -> None:
        """Create a decoder that calls `take` with each piece of decoded data. Data beyond `limit` bytes is dropped."""
        self._limit = limit
        self._take = take
        self._size = 0
        self.full = False

    def feed(self, data: bytes) -> None:
        """Decode a piece of input and pass the result to `take`. Drop decoded data beyond `limit`, and set `full`.

        Raise BadCoding if the input is malformed.
        """
        room = self._limit - self._size
        self._size += len(data)
        if len(data) <= room:
            self._take(data)
            return
        self.full = True
        if room > 0:
            self._take(data[:room])

    def finish(self, may_be_empty: bool = True) -> None:
        """Check that the input is complete. Raise BadCoding if the coded stream ended early.

        An input without a single byte is an error unless `may_be_empty`.
        """


class InflateDecoder(PlainDecoder):
    """Decoder for content coded with gzip or deflate."""

    __slots__ = ("_behind", "_coding", "_raw", "_stream")

    def __init__(self, coding: str, limit: int, take: Callable[[bytes], None]) -> None:
        super().__init__(limit, take)
        if coding not in ("gzip", "x-gzip", "deflate"):
            named = f"the content coding {coding}, which" if coding in _KNOWN else "a content coding that"
            raise BadCoding(f"has {named} was not asked for", is_lasting=True)
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
        # Decode one byte beyond the limit, to learn whether there is more.
        while (room := min(self._limit + 1 - self._size, _STEP)) > 0 and (data or self._behind):
            if self._stream is None:
                self._stream = zlib.decompressobj(self._window(data))
            elif self._stream.eof:
                if not data.startswith(_GZIP_MAGIC):
                    return  # the data is padding after the last gzip member
                self._stream = zlib.decompressobj(_GZIP)
            try:
                decoded = self._stream.decompress(data, room)
            except zlib.error:
                raise BadCoding("is not compressed as its Content-Encoding says") from None
            super().feed(decoded)
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            # After a step of the maximum size, the decompressor may still hold output: decode again, even without input
            self._behind = len(decoded) == room and not self._stream.eof

    def _window(self, data: bytes) -> int:
        if self._coding != "deflate":
            return _GZIP
        # Some servers omit the zlib header that deflate requires. The header is there if the low four bits of the first
        # byte are 8, the number of the method "deflate".
        return _ZLIB if data[0] & 0x0F == 8 else _RAW
