# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store a response that is too large to be shown: text as UTF-8, with secrets removed.

The work is done in pieces, and the event loop runs between them, so that no other call waits. If the call's time ends
first, the part stored so far is kept.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..text.invisible import clean
from ..text.sanitize import charset, is_text

if TYPE_CHECKING:
    from ..http.exchange import Response
    from ..text.redaction import Redactor
    from .result_store import KeptResults

PIECE = 128 * 1024

LEAST_SECONDS = 1.0
"""Minimum number of seconds for storing a response, even if it was received just before the deadline of its call."""


async def keep(
    response: Response, uri: str, redactor: Redactor, resources: KeptResults, seconds: float = float("inf")
) -> int:
    """Store the response under `uri`, as much of it as can be written within `seconds`.

    Return how many bytes of the response were stored. Return 0 if the store is full, or if sanitizing and redaction
    leave nothing to store.
    """
    now = asyncio.get_running_loop().time
    end = now() + max(seconds, LEAST_SECONDS)
    text = is_text(response.media_type, response.content)
    default = "text/plain" if text else "application/octet-stream"
    resources.begin(uri, response.media_type or default, text)
    taken = shown = 0
    done = False
    try:
        for size, piece in _pieces(response, redactor, text, lambda: now() >= end):
            if not resources.add(uri, piece):
                return 0
            taken, shown = size, shown + len(piece)
            await asyncio.sleep(0)
        done = shown > 0
    finally:
        if not done:
            resources.drop(uri)
        if response.spool is not None:
            response.spool.close()
    return taken if done else 0


def _pieces(
    response: Response, redactor: Redactor, text: bool, late: Callable[[], bool]
) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces to store, each with the number of response bytes processed so far.

    End early once `late()` is True.
    """
    stream = redactor.stream()
    encoding = charset(response.content, response.header("content-type")) if text else "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)("replace") if text else None
    for start in range(0, response.size, PIECE):
        piece = response.content[start : start + PIECE]
        if response.spool is not None:
            piece = response.spool.read(start, PIECE)
        taken = min(start + PIECE, response.size)
        last = taken == response.size or late()
        if decoder is not None:
            piece = clean(decoder.decode(piece, last))[0].encode(errors="replace")
        piece = stream.feed(piece, last)
        if last and (response.cut or taken < response.size):
            piece = redactor.begun(piece.decode(errors="surrogateescape")).encode(errors="surrogateescape")
        yield taken, piece
        if last:
            return
