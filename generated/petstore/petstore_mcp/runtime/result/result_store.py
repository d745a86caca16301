# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store responses that are too large to be shown, and return slices of them to `resources/read`.

    petstore://result/3?from=32000&size=8000

A slice is `size` bytes beginning at byte `from`; both may be omitted. If more follows, the slice comes with the URI of
the next one. When the store is full, the least recently used responses of the caller that stores most are dropped. All
responses are dropped when the process ends. The thread of the event loop stores responses here, and the thread that
reads stdin reads slices.

A large response is stored as UTF-8, with secrets removed. The work is done in pieces, and the event loop runs between
them, so that no other call waits. If the call's time ends first, the part stored so far is kept. Over stdio, where
there is a single client, the URIs end in a number. Over HTTP, `sealed_states` creates URIs that nobody can
guess.

For MCP hosts whose models cannot read resources, the operator enables a tool that reads the rest of a cut result, by
the environment variable whose name ends in `_RESULT_TOOL`. Each call of it returns one slice.
"""

from __future__ import annotations

import asyncio
import codecs
from _thread import allocate_lock
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, repeat
from typing import Any

from ..core import limits, spans
from ..core.read_result_tool import ARGUMENT
from ..core.wire_formats import Contents, Result
from ..http.exchange import Spool
from ..text.sanitize import charset, clean, is_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ..core.limits import Shares
    from ..core.wire_formats import Block
    from ..http.exchange import Response
    from ..text.redaction import Redactor

    class Names(Protocol):
        """Interface of a creator of URIs for stored results, which also decides who may read them.

        Over HTTP, the module `sealed_states` implements this protocol.
        """

        def new(self) -> Callable[[], str]:
            """Return a function that creates the URI for a result of the current call, since few calls need a URI."""

        def admits(self, uri: str) -> bool:
            """Return whether the client of the current request may read the result stored at `uri`."""


class CountedNames:
    """Creator of URIs for a single client: `SERVER://result/1` and so on."""

    def __init__(self, server: str) -> None:
        self._before = f"{server}://result/"
        # Each call takes a number, and few calls need a URI: so `new` runs no Python code.
        self.new: Callable[[], Callable[[], str]] = map(partial, repeat(self._uri), count(1)).__next__

    def _uri(self, number: int) -> str:
        return f"{self._before}{number}"

    def admits(self, uri: str) -> bool:
        """Return True: over stdio, the single client may read every result."""
        return True


IN_MEMORY = 256 * 1024
"""Bytes of one response that are held in memory before a file is used.

The limit on all responses is MOST_KEPT times this.
"""

MOST_KEPT = 64

SLICE = 32_000
"""Default size of a slice in bytes. It is as large as the part of a response that a model is shown."""

SMALLEST_SLICE = 1000
LARGEST_SLICE = 1024 * 1024
"""Largest slice in bytes. It fits into a message even if every character must be escaped."""

MOST_DIGITS = 15

MOST_REMEMBERED = 1000
"""Maximum number of URIs of dropped responses that are remembered, so that a reader can be told the reason."""

MADE_ROOM = "There is nothing at this URI any more: what was kept made room for later answers. Call the tool again."


class _KeptResponse:
    """One stored response: its media type, True if it is text (in UTF-8), the caller for whom it is stored, and its
    bytes.
    """

    __slots__ = ("caller", "media_type", "spool", "text")

    def __init__(self, media_type: str, text: bool, shares: Shares | None) -> None:
        self.media_type = media_type
        self.text = text
        self.caller = spans.caller()
        self.spool = Spool(IN_MEMORY, shares, own=IN_MEMORY)


# A client reads the capabilities once, before it knows that some result will be too large, so `resources` is always
# declared. Stored results are not listed, since each cut result names its URI.
class KeptResults:
    """Stored responses of one server by URI, in order of use, the most recently used last."""

    def __init__(self, most: int, shares: Shares | None = None, names: Names | None = None) -> None:
        """Create a store of at most `most` bytes. `shares`: limits on memory and files of all large responses together.

        `names`: object that tells if the current client may read a URI; with None, every client may read every URI.
        """
        self._names = names
        self._most = most
        self._shares = shares
        self._kept: dict[str, _KeptResponse] = {}
        self._made_room: dict[str, None] = {}
        self._lock = allocate_lock()

    def begin(self, uri: str, media_type: str, text: bool) -> None:
        """Begin to store a response for the current caller under `uri`. `add` then appends its content.

        `text`: True if the content will be UTF-8 text.
        """
        with self._lock:
            self._kept[uri] = _KeptResponse(media_type, text, self._shares)
            self._fit(uri, 0)

    def add(self, uri: str, data: bytes) -> bool:
        """Append bytes to a stored response.

        Return False if the response was dropped because the store or the disk is full.
        """
        with self._lock:
            kept = self._kept.get(uri)
            if kept is None:
                return False
            if not self._fit(uri, len(data)):
                return False
            try:
                kept.spool.write(data)
            except OSError:
                self._drop(uri)
                return False
            return True

    def has(self, uri: str) -> bool:
        """Return whether a response is stored in this process under `uri`."""
        return uri in self._kept

    def whole(self, uri: str) -> tuple[str, bool, list[bytes]]:
        """Return a stored response: its media type, True if it is text, and its bytes in pieces.

        Raise KeyError if nothing is stored under `uri`.
        """
        with self._lock:
            kept = self._kept[uri]
            pieces = [kept.spool.read(start, LARGEST_SLICE) for start in range(0, kept.spool.size, LARGEST_SLICE)]
            return kept.media_type, kept.text, pieces

    def take(self, uri: str, media_type: str, text: bool, pieces: list[bytes]) -> None:
        """Store a copy of a response that another replica stored under `uri`, if the copy fits into the store."""
        self.begin(uri, media_type, text)
        for piece in pieces:
            if not self.add(uri, piece):
                return

    def drop(self, uri: str) -> None:
        """Drop the response stored under `uri`, if there is one."""
        with self._lock:
            if uri in self._kept:
                self._drop(uri)

    def read(self, uri: str) -> list[Block] | None:
        """Return the resource contents for a slice: the slice itself, and if more follows, a text that names the next
        slice.

        Return None if nothing is stored under the URI, or no longer.
        """
        whole, _, query = uri.partition("?")
        place = _place(query)
        if place is None or (self._names is not None and not self._names.admits(whole)):
            return None
        with self._lock:
            if whole not in self._kept:
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
        """Return the contents for `resources/read`.

        If the response was dropped, the contents say so, and the model can call the tool again.
        """
        found = self.read(uri)
        whole = uri.partition("?")[0]
        gone = found is None and whole in self._made_room and (self._names is None or self._names.admits(whole))
        return Contents(uri, found, MADE_ROOM if gone else "")

    def close(self) -> None:
        """Drop all stored responses."""
        with self._lock:
            for uri in list(self._kept):
                self._drop(uri)

    def _fit(self, uri: str, more: int) -> bool:
        """Drop other responses until the response at `uri` can grow by `more` bytes.

        Drop the response itself and return False if it would not even fit alone.
        """
        held = ((name, kept.caller, kept.spool.size + more * (name == uri)) for name, kept in self._kept.items())
        for name in limits.displaced(held, uri, MOST_KEPT, self._most):
            if name == uri:
                self._drop(uri)
                return False
            self._make_room(name)
        return True

    def _make_room(self, uri: str) -> None:
        self._drop(uri)
        self._made_room[uri] = None
        if len(self._made_room) > MOST_REMEMBERED:
            del self._made_room[next(iter(self._made_room))]

    def _drop(self, uri: str) -> None:
        self._kept.pop(uri).spool.close()


def _place(query: str) -> tuple[int, int] | None:
    """Return the start and size, in bytes, of the slice that a URI's query requests; None if the query is malformed."""
    asked = {"from": 0, "size": SLICE}
    for part in query.split("&") if query else []:
        name, _, digits = part.partition("=")
        if name not in asked or not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
            return None
        asked[name] = int(digits)
    return asked["from"], min(max(asked["size"], SMALLEST_SLICE), LARGEST_SLICE)


def _following(whole: str, query: str, start: int, size: int) -> Block:
    """Return a text content that names the URI of the next slice.

    A text content is used because every client shows it.
    """
    sizes = [part for part in query.split("&") if part.startswith("size=")]
    uri = f"{whole}?{'&'.join([f'from={start}', *sizes[-1:]])}"
    return {"uri": uri, "mimeType": "text/plain", "text": f"{size - start:,} of {size:,} bytes follow. Next: {uri}"}


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


_NOTHING = (
    "Nothing is kept at this URI. A cut result names one, and each slice the next. What was kept makes room for later"
    " results: then call the tool again that it came from."
)
_NO_TEXT = "What is kept at this URI is a file ({}), which cannot be read as text."


def read(resources: KeptResults, arguments: dict[str, Any], shown: int) -> Result:
    """Return the slice of a stored result at the URI in the arguments.

    The slice has `shown` bytes, unless the URI gives a size.
    """
    uri = str(arguments[ARGUMENT]).strip()
    whole, mark, query = uri.partition("?")
    if "size=" not in query:
        size = min(shown, LARGEST_SLICE)
        uri = f"{whole}?{query}&size={size}" if mark else f"{whole}?size={size}"
    found = resources.read(uri)
    if found is None:
        return Result.error(_NOTHING)
    if "text" not in found[0]:
        return Result.error(_NO_TEXT.format(found[0]["mimeType"]))
    return Result([{"type": "text", "text": each["text"]} for each in found])
