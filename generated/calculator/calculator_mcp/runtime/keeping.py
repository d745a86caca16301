# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""An answer that is too large to be shown goes where it can be read: text as UTF-8, and all of it without secrets.

That is done in pieces, between which the loop turns, so that no other call waits for it.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .readable import charset, clean, is_text

if TYPE_CHECKING:
    from .exchange import Response
    from .redaction import Redactor
    from .resources import Resources

PIECE = 128 * 1024


async def keep(response: Response, uri: str, redactor: Redactor, resources: Resources) -> bool:
    """Keep what came under that URI. Whether there was room for it."""
    text = is_text(response.media_type, response.content)
    default = "text/plain" if text else "application/octet-stream"
    resources.begin(uri, response.media_type or default, text)
    kept = False
    try:
        for piece in _pieces(response, redactor, text):
            if not resources.add(uri, piece):
                return False
            await asyncio.sleep(0)
        kept = True
    finally:
        if not kept:
            resources.drop(uri)
        if response.spool is not None:
            response.spool.close()
    return True


def _pieces(response: Response, redactor: Redactor, text: bool) -> Iterator[bytes]:
    stream = redactor.stream()
    encoding = charset(response.content, response.header("content-type")) if text else "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)("replace") if text else None
    for start in range(0, response.size, PIECE):
        piece = response.content[start : start + PIECE]
        if response.spool is not None:
            piece = response.spool.read(start, PIECE)
        last = start + PIECE >= response.size
        if decoder is not None:
            piece = clean(decoder.decode(piece, last))[0].encode(errors="replace")
        piece = stream.feed(piece, last)
        if last and response.cut:
            piece = redactor.begun(piece.decode(errors="surrogateescape")).encode(errors="surrogateescape")
        yield piece
