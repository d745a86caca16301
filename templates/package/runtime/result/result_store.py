# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answers that are too large to be shown, kept for `resources/read`, which hands them out in slices.

    petstore://result/3?from=32000&size=8000

A slice is so many bytes from there; both may be left out. What comes with it, where there is more, is the URI of the
next one. What was used longest ago makes room for what is new, and all is gone with the process. The engine's thread
keeps, the reader's reads.
"""

from __future__ import annotations

import codecs
from _thread import allocate_lock
from base64 import b64encode

from ..core.wire_formats import Contents
from ..http.spool import Spool
from ..text.invisible import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.wire_formats import Block
    from ..http.shares import Shares

IN_MEMORY = 256 * 1024
"""Bytes of one answer that are held without a file: MOST_KEPT times this is what all of them take of the memory."""

MOST_KEPT = 64

SLICE = 32_000
"""Bytes of a slice where none are asked for: as much as a model is shown of an answer."""

SMALLEST_SLICE = 1000
LARGEST_SLICE = 1024 * 1024
"""However it has to be escaped, it fits into a message."""

MOST_DIGITS = 15

MOST_REMEMBERED = 1000
"""URIs of answers that made room for later ones, of which a reader is told so."""

MADE_ROOM = "There is nothing at this URI any more: what was kept made room for later answers. Call the tool again."


class _Kept:
    """One answer: its type, whether it is text (in UTF-8), and its bytes."""

    __slots__ = ("media_type", "spool", "text")

    def __init__(self, media_type: str, text: bool, shares: Shares | None) -> None:
        self.media_type = media_type
        self.text = text
        self.spool = Spool(IN_MEMORY, shares, own=IN_MEMORY)


# Decision 0050: The resource capability is always offered.
class Resources:
    """The answers that one server keeps, by URI, the one used last at the end."""

    def __init__(self, most: int, shares: Shares | None = None) -> None:
        """`most` is how many bytes all of them take; their files are taken from the shares."""
        self._most = most
        self._shares = shares
        self._kept: dict[str, _Kept] = {}
        self._made_room: dict[str, None] = {}
        self._lock = allocate_lock()

    def begin(self, uri: str, media_type: str, text: bool) -> None:
        """Keep an answer under that URI, empty at first; `text` is given in UTF-8."""
        with self._lock:
            self._kept[uri] = _Kept(media_type, text, self._shares)
            if len(self._kept) > MOST_KEPT:
                self._make_room(next(iter(self._kept)))

    def add(self, uri: str, data: bytes) -> bool:
        """Add to it. False where it is kept no longer: there is no room, or the disk is full."""
        with self._lock:
            kept = self._kept.get(uri)
            if kept is None:
                return False
            while sum(each.spool.size for each in self._kept.values()) + len(data) > self._most:
                oldest = next(iter(self._kept))
                if oldest == uri:
                    self._drop(uri)
                    return False
                self._make_room(oldest)
            try:
                kept.spool.write(data)
            except OSError:
                self._drop(uri)
                return False
            return True

    def drop(self, uri: str) -> None:
        """Keep that one no longer."""
        with self._lock:
            if uri in self._kept:
                self._drop(uri)

    def read(self, uri: str) -> list[Block] | None:
        """The contents of that slice, and what comes next; None where nothing is kept there (any more)."""
        whole, _, query = uri.partition("?")
        place = _place(query)
        with self._lock:
            if place is None or whole not in self._kept:
                return None
            kept = self._kept[whole] = self._kept.pop(whole)
            start, size = place
            data = kept.spool.read(start, size)
            last = start + len(data) >= kept.spool.size
        if not data:
            return None
        content: Block = {"uri": uri, "mimeType": kept.media_type}
        used = len(data)
        if kept.text:
            text, used = codecs.utf_8_decode(data, "replace", last)
            content["text"] = clean(text)[0]
        else:
            content["blob"] = b64encode(data).decode()
        return [content] if last else [content, _following(whole, query, start + used, kept.spool.size)]

    def look_up(self, uri: str) -> Contents:
        """Return the answer to `resources/read`. What made room is told: a new call brings it back."""
        found = self.read(uri)
        gone = found is None and uri.partition("?")[0] in self._made_room
        return Contents(uri, found, MADE_ROOM if gone else "")

    def close(self) -> None:
        """Keep nothing any more."""
        with self._lock:
            for uri in list(self._kept):
                self._drop(uri)

    def _make_room(self, uri: str) -> None:
        self._drop(uri)
        self._made_room[uri] = None
        if len(self._made_room) > MOST_REMEMBERED:
            del self._made_room[next(iter(self._made_room))]

    def _drop(self, uri: str) -> None:
        self._kept.pop(uri).spool.close()


def _place(query: str) -> tuple[int, int] | None:
    """Where a slice begins and how long it is; None where the query says nothing that is understood."""
    asked = {"from": 0, "size": SLICE}
    for part in query.split("&") if query else []:
        name, _, digits = part.partition("=")
        if name not in asked or not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
            return None
        asked[name] = int(digits)
    return asked["from"], min(max(asked["size"], SMALLEST_SLICE), LARGEST_SLICE)


def _following(whole: str, query: str, start: int, size: int) -> Block:
    """The slice after this one, as contents of their own, which every client shows: its URI, and what that is."""
    sizes = [part for part in query.split("&") if part.startswith("size=")]
    uri = f"{whole}?{'&'.join([f'from={start}', *sizes[-1:]])}"
    return {"uri": uri, "mimeType": "text/plain", "text": f"{size - start:,} of {size:,} bytes follow. Next: {uri}"}
