# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Define how the service reads HTTP requests and writes responses. Two modules implement this: `aiohttp_door` for
`--http`, and `asgi_door` for ASGI servers. They are called doors here.

A door runs `Service.handle` once for each request, and cancels it when the client has closed the connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..streamable.head import Answer, Fields

HEAD_SECONDS, BODY_SECONDS = 10.0, 30.0
"""Seconds that a client may take to send the head, and to send the body (E6)."""

WRITE_SECONDS = 60.0
"""Seconds that writing one piece may take. Then the client counts as not reading, and its connection is closed."""

PIECE = 128 * 1024
"""Bytes of a response that are written at a time. A client that reads fewer in `WRITE_SECONDS` is too slow. A piece is
larger than connection buffers, so each piece waits until the one before has left.
"""


def pieces(data: bytes) -> Iterator[memoryview]:
    """Return the data in pieces of at most PIECE bytes."""
    whole = memoryview(data)
    return (whole[start : start + PIECE] for start in range(0, len(data), PIECE))


class TooLarge(Exception):
    """The body is larger than allowed."""


class Broken(Exception):
    """The body has invalid framing."""


class Connection(Protocol):
    """One request and its response. `taken` is called with the size of each piece that the client has read."""

    taken: Callable[[int], None]

    async def body(self, most: int) -> bytes:
        """Return the whole body. Raises TooLarge beyond `most` bytes, TimeoutError if it does not arrive, and
        Broken.
        """

    async def answer(self, answer: Answer) -> None:
        """Write a whole response."""

    async def begin(self, fields: Fields) -> None:
        """Write the head of an event stream, with status 200."""

    async def write(self, data: bytes) -> None:
        """Write a part of the body, and send it at once."""

    async def end(self) -> None:
        """End the response."""

    def abort(self) -> None:
        """Close the connection at once, without sending the rest."""

    def divert(self, to: Request | None) -> bool:
        """Tell the request itself when its client leaves, instead of cancelling its task; None ends that. Return
        False if this door cannot.
        """


class Request(Protocol):
    """A request whose task must not be cancelled when its client leaves (`request_task.RequestTask`)."""

    def left(self) -> bool:
        """Give the request up. Return False if its response is being written, which must be cancelled then."""

    def cancel(self) -> None:
        """Cancel the writing of the response."""


class InlineDoor(Protocol):
    """One request that is served inline, as far as that goes (`inline_request`)."""

    def write_now(self, answer: Answer) -> bool:
        """Write a whole small response now. Return False if that is impossible; then nothing was written."""

    def hand_over(self) -> None:
        """Have a task serve the rest of the request (`Service.resume`)."""


def unheard(size: int) -> None:
    """Do nothing: used as `taken` until somebody counts what the client reads."""
