# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Listen on a port of this machine for the redirect of the browser (RFC 8252, section 7.3), and accept exactly one
redirect.

Any web page in the user's browser can send requests to the port. So a request is accepted only with the right path,
Host and `state`. Any other request is refused and changes nothing.
"""

from __future__ import annotations

import asyncio
import hmac
import html
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from .errors import LoginFailed

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

HOST, PATH = "127.0.0.1", "/callback"
LONGEST_HEAD = 32 * 1024
MOST_CONNECTIONS = 16
READ_SECONDS = 10.0
"""Seconds within which a browser must send the header of its request."""

_NAMES = ("state", "code", "error", "iss")

#: Content-Security-Policy: the page loads nothing and runs no script, whatever it contains.
POLICY = "default-src 'none'; frame-ancestors 'none'"

DONE = "You can close this window. The login goes on where you began it."
REFUSED = "This is not the answer that the login waits for."


def page(status: str, title: str, sentence: str) -> bytes:
    """Return a whole HTTP response with a page of one sentence. `status` is code and phrase, such as "200 OK"."""
    body = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<h1>{html.escape(title)}</h1><p>{html.escape(sentence)}</p></html>"
    ).encode()
    fields = (
        f"HTTP/1.1 {status}",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(body)}",
        f"Content-Security-Policy: {POLICY}",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
        "Connection: close",
    )
    return "\r\n".join(fields).encode() + b"\r\n\r\n" + body


class Loopback:
    """HTTP receiver of one authorization response, at `redirect_uri`.

    Call `listen` to open it, and `close` at the end.
    """

    def __init__(self, title: str) -> None:
        """Create the receiver. `title` is the heading of the page that the user sees."""
        self._title = title
        self._state = b""
        self._answer: asyncio.Future[dict[str, str]] | None = None
        self._server: asyncio.Server | None = None
        self._open = 0
        self.port = 0

    @property
    def redirect_uri(self) -> str:
        return f"http://{HOST}:{self.port}{PATH}"

    async def listen(self, port: int) -> None:
        """Listen on the port `port`, or on any free port if `port` is 0. Raise LoginFailed if the port is taken."""
        self._answer = asyncio.get_running_loop().create_future()
        try:
            self._server = await asyncio.start_server(self._connected, HOST, port, limit=LONGEST_HEAD)
        except OSError:
            raise LoginFailed(f"Port {port} of this machine is taken: choose another with --port.") from None
        self.port = self._server.sockets[0].getsockname()[1]

    async def answer(self, state: str, seconds: float) -> dict[str, str]:
        """Return the parameters of the redirect with this `state`. Raise LoginFailed if none comes within `seconds`."""
        assert self._answer is not None
        self._state = state.encode()
        try:
            async with asyncio.timeout(seconds):
                return await self._answer
        except TimeoutError:
            minutes = max(round(seconds / 60), 1)
            raise LoginFailed(f"Nobody logged in within {minutes} minute{'' if minutes == 1 else 's'}.") from None

    def expect(self, state: str) -> None:
        """Accept a redirect with this `state` from now on."""
        self._state = state.encode()

    def close(self) -> None:
        """Close the port, and cancel waiting for the redirect."""
        if self._server is not None:
            self._server.close()
        if self._answer is not None and not self._answer.done():
            self._answer.cancel()

    async def _connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= MOST_CONNECTIONS:
                async with asyncio.timeout(READ_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(self._answered(head.decode("latin-1")))
                    await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # send no response to a malformed request
        finally:
            self._open -= 1
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _answered(self, head: str) -> bytes:
        """Return the HTTP response to a request. Store the request's parameters if it is the expected redirect."""
        line, *lines = head.split("\r\n")
        method, _, rest = line.partition(" ")
        path, _, query = rest.partition(" ")[0].partition("?")
        hosts = [each.partition(":")[2].strip() for each in lines if each.lower().startswith("host:")]
        if path != PATH or hosts != [f"{HOST}:{self.port}"]:
            return page("404 Not Found", self._title, REFUSED)
        if method != "GET":
            return page("405 Method Not Allowed", self._title, REFUSED)
        found = self._parameters(query)
        if found is None or not self._is_expected(found.get("state", "")):
            return page("400 Bad Request", self._title, REFUSED)
        assert self._answer is not None
        if self._answer.done():
            return page("410 Gone", self._title, REFUSED)
        self._answer.set_result(found)
        return page("200 OK", self._title, DONE)

    def _is_expected(self, state: str) -> bool:
        return bool(self._state) and hmac.compare_digest(state.encode(), self._state)

    @staticmethod
    def _parameters(query: str) -> dict[str, str] | None:
        """Return the parameters of an authorization response, or None if one of them occurs twice."""
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=50)
        except ValueError:
            return None
        names = [name for name, _ in pairs if name in _NAMES]
        return None if len({*names}) < len(names) else {name: value for name, value in pairs if name in _NAMES}
