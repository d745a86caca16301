"""Undo content codings (RFC 9110, section 8.4.1) under one size limit, however many are nested.

The HTTP library decompresses whole chunks before their size can be checked: 5 kB that were compressed twice by gzip
become 3 GB. So raw bytes are received, and decompressed here in small steps.
"""

import zlib
from collections.abc import Iterator, Sequence

from mcpgen.base.errors import FatalError
from mcpgen.read.fetch.size import too_large

ACCEPTED = "gzip, deflate"
"""The value of Accept-Encoding: codings that a server may choose from."""

_GZIP, _ZLIB, _RAW = 31, 15, -15
_MEMBER = b"\x1f"
"""First byte of a further member of a gzip stream. Any other byte after a member is padding, which is ignored."""

_STEP = 64 * 1024
"""How many bytes a decoder passes to the next decoder at a time."""

_MOST_LAYERS = 4
_MOST_MEMBERS = 10_000
"""Limit on the members of one gzip stream (RFC 1952, section 2.2).

Empty members take time but yield no bytes to count.
"""


class Decoder:
    """Decoder for the content of one HTTP response. The input and the output of each coding are limited to `limit`
    bytes.
    """

    def __init__(self, codings: Sequence[str], limit: int, url: str) -> None:
        """Prepare decoders for the values of Content-Encoding, in the order of the header field.

        Raises FatalError for a coding that was not requested.
        """
        named = [coding.strip().lower() for coding in codings]
        layers = [coding for coding in named if coding not in ("", "identity")]
        if len(layers) > _MOST_LAYERS or not {*layers} <= {"gzip", "x-gzip", "deflate"}:
            raise unreadable_answer(url, "has a Content-Encoding that mcpgen did not request")
        self._url = url
        self._limit = limit
        self._size = 0
        self._layers = [_Layer(coding, limit, url) for coding in reversed(layers)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of `data`, the next bytes of the content. Raises FatalError above the limit."""
        self._size += len(data)
        if self._size > self._limit:
            raise too_large(self._url)
        yield from _decode_through(self._layers, data)

    def finish(self) -> None:
        """Check that the content is complete. Raises FatalError if a compressed stream has not ended."""
        if not all(layer.is_complete for layer in self._layers):
            raise unreadable_answer(self._url, "is compressed, and ends too early")


class _Layer:
    """Decoder for one content coding."""

    def __init__(self, coding: str, limit: int, url: str) -> None:
        self._coding = coding
        self._left = limit
        self._url = url
        self._members = 0
        self._stream: zlib._Decompress | None = None

    @property
    def is_complete(self) -> bool:
        """Return True if the compressed stream has begun and ended."""
        return self._stream is not None and self._stream.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of `data`."""
        while data:
            if self._stream is None or self._stream.eof:
                if self._stream is not None and (self._coding == "deflate" or data[:1] != _MEMBER):
                    return
                self._stream = self._begin_member(data)
            for piece in self._inflate(self._stream, data):
                self._left -= len(piece)
                if self._left < 0:
                    raise too_large(self._url)
                yield piece
            data = self._stream.unused_data

    def _begin_member(self, data: bytes) -> "zlib._Decompress":
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise unreadable_answer(self._url, f"is compressed in more than {_MOST_MEMBERS:,} pieces")
        return zlib.decompressobj(self._window(data))

    def _inflate(self, stream: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
        """Yield the decoded content of one member of the stream, as far as `data` holds it.

        If a step fills the output buffer, the decoder may hold more output, even if it has consumed all of `data`. So
        another step follows.
        """
        full = False
        while data or full:
            try:
                piece = stream.decompress(data, _STEP)
            except zlib.error:
                raise unreadable_answer(self._url, "is not compressed as its Content-Encoding says") from None
            yield piece
            data, full = stream.unconsumed_tail, len(piece) == _STEP
            if stream.eof:
                return

    def _window(self, data: bytes) -> int:
        if self._coding != "deflate":
            return _GZIP
        # Some servers omit the zlib header that the standard demands. The low bits of the first byte tell whether there
        # is a header.
        return _ZLIB if data[0] & 0x0F == 8 else _RAW


def _decode_through(layers: list[_Layer], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    for piece in layers[0].feed(data):
        yield from _decode_through(layers[1:], piece)


def unreadable_answer(url: str, what: str) -> FatalError:
    """Return the error for an unreadable response from `url`. `what`: predicate of the message, such as "is not
    compressed".
    """
    return FatalError(
        "unreadable",
        f"The answer of {url} {what}.",
        hint="Download the document, and name the downloaded file instead of the URL.",
    )
