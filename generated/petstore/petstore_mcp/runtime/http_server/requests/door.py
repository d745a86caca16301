# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Interface by which the service reads HTTP requests and writes responses.

Two modules implement the interface: `aiohttp_door` for `--http`, and `asgi_door` for ASGI servers. Both are called
doors. A door runs `Service.handle` once for each request, and cancels it if the client closes the connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..streamable.admission import Answer, Fields

HEAD_SECONDS, BODY_SECONDS = 10.0, 30.0
"""Seconds that a client may take to send the head, and to send the body (E6)."""

WRITE_SECONDS = 60.0
"""Seconds that writing one piece may take. Then the connection is closed, since its client does not read."""

PIECE = 128 * 1024
"""Size in bytes of a piece of a response. A client that reads less in `WRITE_SECONDS` seconds is too slow. A piece is
larger than connection buffers, so a piece is written only after the piece before it was sent.
"""


def pieces(data: bytes) -> Iterator[memoryview]:
    """Return an iterator over the data, in pieces of at most PIECE bytes."""
    whole = memoryview(data)
    return (whole[start : start + PIECE] for start in range(0, len(data), PIECE))


class TooLarge(Exception):
    """Raised if the body is larger than allowed."""


class Broken(Exception):
    """Raised if the body has invalid framing."""


class Connection(Protocol):
    """One request and its response.

    After writing a piece of the response's body, the connection calls `taken` with the size of the piece.
    """

    taken: Callable[[int], None]

    async def body(self, most: int) -> bytes:
        """Return the whole body.

        Raise TooLarge if it has more than `most` bytes, TimeoutError if it is late, and Broken if its framing is wrong.
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
        """Close the connection at once, without sending the rest of the response."""

    def divert(self, to: Request | None) -> bool:
        """Call `to.left()` when the client disconnects, instead of cancelling the asyncio task that serves the
        request. If `to` is None, cancel this task when the client disconnects, as without `divert`.

        Return True, or False if this HTTP server can only cancel the task.
        """


class Request(Protocol):
    """A request whose asyncio task must not be cancelled when its client leaves (`request_task.RequestTask`)."""

    def left(self) -> bool:
        """Stop serving the request, since its client has disconnected.

        Return False if its response is being written: the caller must then cancel the writing.
        """

    def cancel(self) -> None:
        """Stop writing the response."""


class InlineDoor(Protocol):
    """Connection to the client of one HTTP request that is served without its own asyncio task (`request_task`)."""

    def write_now(self, answer: Answer) -> bool:
        """Write a whole small response now. If that is impossible, write nothing and return False."""

    def hand_over(self) -> None:
        """Let the connection's asyncio task serve the rest of the request (`Service.resume`)."""


def unheard(size: int) -> None:
    """Do nothing. Used as `Connection.taken` if nothing counts the bytes that are written."""
