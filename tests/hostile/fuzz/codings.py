"""Draw random codings of responses: stacked content codings, decompression bombs, and transfer codings.

Mostly the header fields name the codings that were applied (RFC 9110, section 8.4; RFC 9112, section 6.1). Sometimes
they name wrong codings, one too few or one too many.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import cache
from random import Random


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


def _raw(content: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


def _brotli(content: bytes) -> bytes:
    """Return `content` as one stored block (RFC 7932, section 9.2), which is brotli without compression."""
    content = content[: 2**16]
    length = max(len(content) - 1, 0)
    # Fields, with their widths in bits: WBITS 16 (1), not last (1), 4 nibbles of length (2), length (16), uncompressed
    # (1). Then follows an empty last block.
    head = 0 | 0 << 1 | 0 << 2 | length << 4 | 1 << 20
    return head.to_bytes(3, "little") + content + b"\x03"


def _same(content: bytes) -> bytes:
    return content


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "GZIP": _gzip,
    "deflate": zlib.compress,
    "Deflate": _raw,
    "br": _brotli,
    "identity": _same,
    "zstd": _same,
    "compress": _same,
    "x-unknown": _same,
    "": _same,
}
"""Name of a content coding in the header field → the function that encodes. Servers must ignore the case of names."""

KNOWN = ("gzip", "deflate", "gzip", "Deflate", "x-gzip")
DEPTHS = (1, 1, 1, 1, 2, 2, 2, 3, 5, 40)
BOMBS = (1, 8, 64, 300)
"""Sizes in MiB of a bomb after all codings are removed."""


@cache
def _bomb(mebibytes: int) -> bytes:
    """Return a compressed body of this many MiB of zeros. It is a thousandth of that size."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    zeros = bytes(2**20)
    return b"".join([*(packer.compress(zeros) for _ in range(mebibytes)), packer.flush()])


def coded(chance: Random, content: bytes) -> tuple[bytes, list[bytes]]:
    """Return `content` under a random stack of codings, and the header fields that declare the codings."""
    names = [chance.choice(KNOWN if chance.random() < 0.7 else tuple(CODINGS)) for _ in range(chance.choice(DEPTHS))]
    if chance.random() < 0.1:
        content = _bomb(chance.choice(BOMBS))
        names[0] = "gzip"
        applied = names[1:]
    else:
        applied = names
    for name in applied:
        content = CODINGS[name](content)
    extra = chance.random()
    if extra < 0.05:
        names = names[:-1]
    elif extra < 0.1:
        names.append(chance.choice(tuple(CODINGS)))
    if chance.random() < 0.1:
        content = content[: chance.randrange(len(content) + 1)]
    return content, _fields(chance, names)


def _fields(chance: Random, names: list[str]) -> list[bytes]:
    """Return one header field with all names, or one field for each name.

    Both mean the same (RFC 9110, section 5.3).
    """
    if chance.random() < 0.5:
        return [b"Content-Encoding: " + name.encode() for name in names]
    return [b"Content-Encoding: " + chance.choice((", ", ",", " ,\t")).join(names).encode()]


TRANSFERS = (*("chunked",) * 12, "Chunked", "gzip, chunked", "deflate, chunked", "chunked, gzip", "chunked, chunked")


def transferred(chance: Random, content: bytes) -> tuple[bytes, bytes]:
    """Return `content` in chunks, under random transfer codings, and the header field that declares the codings."""
    transfer = chance.choice(TRANSFERS)
    first = transfer.partition(",")[0]
    if first in ("gzip", "deflate"):
        content = CODINGS[first](content)
    most = 40 if len(content) < 8000 else 100_000
    cut = chance.randrange(1, most)
    pieces = [content[at : at + cut] for at in range(0, len(content), cut)][:200]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    return chunks, b"Transfer-Encoding: " + transfer.encode()
