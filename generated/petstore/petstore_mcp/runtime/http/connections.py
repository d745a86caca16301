# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Open connections to the upstream, write requests to them and read the responses.

The HTTP library (aiohttp) connects, keeps connections, speaks TLS and parses HTTP. This module writes the bytes of a
request itself. The only fields added are Host and Content-Length, and no character is encoded again. Sending through
the library would cost a third of a call's time. The library sends only requests through a proxy, and all requests if
its release is not in KNOWN. The reason for KNOWN: this module uses parts of the library that are not public.

No cookie is kept and no redirect is followed. Proxies, .netrc and TLS key logs set in the environment are ignored. A
connection is kept only after a complete exchange. Otherwise it is aborted, and unsent bytes are dropped.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakSet

from ..settings import tls
from ..text.fields import FRAMING
from .lazy_imports import deferred

with tls.unloaded(), deferred():
    import aiohttp
    from aiohttp.http import HttpProcessingError
    from yarl import URL

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Protocol

    from aiohttp.connector import Connection
    from aiohttp.http import RawResponseMessage
    from aiohttp.streams import StreamReader

    from ..request.request import Request
    from ..settings.settings import Settings
    from ..text.addresses import Address

    Field = tuple[str, str]

    class Answer(Protocol):
        """A response as it arrives: status, reason, all header fields, and the content as a stream.

        `close` must be called. It aborts the connection if the content was not read to its end.
        """

        @property
        def status(self) -> int: ...

        @property
        def reason(self) -> str | None: ...

        @property
        def headers(self) -> Mapping[str, str]: ...

        @property
        def content(self) -> StreamReader: ...

        def close(self) -> object: ...


# Decision 0157: Requests are written to the connection by us.
KNOWN = ("3.14.",)
"""Version prefixes of the library releases whose private parts are known to work as this module uses them."""

LONGEST_LINE = 16 * 1024
LONGEST_FIELD = 32 * 1024
MOST_FIELDS = 256

_BODILESS = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods whose requests have no Content-Length if they have no body (RFC 9110 section 8.6)."""

_AUTOMATIC = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
"""Header fields that the library would add to a request that lacks them."""

_SMALL = 64 * 1024
"""Largest body in bytes that is sent in one piece with the head. Any upstream reads that much before it responds."""

_PATIENT = aiohttp.ClientTimeout(total=None, sock_connect=None)


class Unwritable(Exception):
    """The request cannot be written as HTTP. No byte of it was sent."""


class Connections:
    """Connection pool of one server. Create and use it inside a running event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._direct = settings.proxy is None and aiohttp.__version__.startswith(KNOWN)
        self._connector: aiohttp.TCPConnector | None = None
        self._session: aiohttp.ClientSession | None = None
        self._tls: ssl.SSLContext | None = None
        self._initiators: dict[str, aiohttp.ClientRequest] = {}
        self._used: WeakSet[asyncio.Transport] = WeakSet()

    def ask(self, request: Request, address: Address, fields: list[Field], leaving: Leaving) -> Awaitable[Answer]:
        """Send a request with these header fields, and return once the head of the response has come.

        Raises Unwritable, ValueError for a response that is not HTTP, and the exceptions of the library and the system.
        """
        if not FRAMING.isdisjoint(request.names):  # only a credential can add such a field
            raise Unwritable
        way = self._directly if self._direct else self._by_session
        return way(request, address, fields, leaving)

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
        if self._connector is not None:
            await self._connector.close()

    async def _directly(self, request: Request, address: Address, fields: list[Field], leaving: Leaving) -> Answer:
        initiator = self._initiator(address)
        beginning = head(request, address, initiator.headers["Host"], fields)
        connection = await self._connected(initiator)
        try:
            protocol, transport = connection.protocol, connection.transport
            if protocol is None or transport is None:  # the types allow None; it was just connected
                raise aiohttp.ServerDisconnectedError
            protocol.set_response_params(
                skip_payload=request.method == "HEAD",
                read_until_eof=True,
                auto_decompress=False,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_FIELD,
                max_headers=MOST_FIELDS,
            )
            leaving.by(transport, self._used)
            _write(transport, beginning, request.body or b"")
            message, content = await protocol.read()
            while 100 <= message.code < 200 and message.code != 101:  # 1xx responses are interim
                message, content = await protocol.read()
            return _Direct(connection, message, content, len(request.body or b"") > _SMALL)
        except HttpProcessingError:
            _cut(connection)
            raise ValueError("not HTTP") from None
        except BaseException:
            _cut(connection)
            raise

    async def _connected(self, initiator: aiohttp.ClientRequest) -> Connection:
        """Return a connection. Drop kept connections that received bytes since: those would be taken for the
        response.
        """
        connector = self._opened()
        while True:
            connection = await connector.connect(initiator, traces=[], timeout=_PATIENT)
            kept = connection.transport in self._used
            if not kept or connection.protocol is None or not connection.protocol.should_close:
                return connection
            _cut(connection)

    def _initiator(self, address: Address) -> aiohttp.ClientRequest:
        """Return the request object that tells the library where and how to connect. It is never sent."""
        known = self._initiators.get(address.origin)
        if known is None:
            loop, url = asyncio.get_running_loop(), URL(address.origin, encoded=True)
            known = aiohttp.ClientRequest("GET", url, loop=loop, ssl=self._secured(address))
            self._initiators[address.origin] = known
        return known

    def _by_session(
        self, request: Request, address: Address, fields: list[Field], leaving: Leaving
    ) -> Awaitable[Answer]:
        if not _TELLS:
            leaving.done = True
        _leaving.set((leaving, self._used))
        return self._begun().request(
            request.method,
            URL(address.origin + address.path + request.target, encoded=True),
            data=request.body,
            headers=fields,
            allow_redirects=False,
            ssl=self._secured(address),
            proxy=self._settings.proxy,
        )

    def _opened(self) -> aiohttp.TCPConnector:
        if self._connector is None:
            # No limit here: pacing.py limits requests, and a cancelled caller in its queue leaves nothing behind in the
            # library.
            self._connector = aiohttp.TCPConnector(limit=0, resolver=aiohttp.ThreadedResolver())
        return self._connector

    def _begun(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=self._opened(),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=_PATIENT,
                trust_env=False,
                auto_decompress=False,
                skip_auto_headers=_AUTOMATIC,
                request_class=_Telling,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_FIELD,
                max_headers=MOST_FIELDS,
            )
            # The library would resend any idempotent request, DELETE too, when a connection dies. No public option
            # disables these retries. Tests that count requests at a socket notice if this attribute stops working.
            self._session._retry_connection = False
        return self._session

    def _secured(self, address: Address) -> ssl.SSLContext | bool:
        """Return the TLS context that all connections share, created at first use; True for plain HTTP."""
        if address.scheme != "https":
            return True
        if self._tls is None:
            self._tls = tls.context(self._settings.ca_file, self._settings.client)
        return self._tls


class Leaving:
    """Record of whether a request was sent.

    `done`: the request was sent. `reused`: the connection had been used before. `report` is called with "sent".
    """

    __slots__ = ("_report", "done", "reused")

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self.done = False
        self.reused = False

    def by(self, transport: asyncio.Transport, used: WeakSet[asyncio.Transport]) -> None:
        """Record that the request is sent now on `transport`, and add `transport` to the used connections."""
        if transport in used:
            self.reused = True
        else:
            used.add(transport)
        if not self.done:
            self.done = True
            self._report("sent")


def head(request: Request, address: Address, host: str, fields: list[Field]) -> bytes:
    """Return the request line and header fields as bytes (RFC 9112 sections 3 and 5). Raises Unwritable."""
    lines = [f"{request.method} {address.path}{request.target} HTTP/1.1", f"Host: {host}", *map(": ".join, fields)]
    if request.body is not None or request.method not in _BODILESS:
        lines.append(f"Content-Length: {len(request.body or b'')}")
    text = "\r\n".join([*lines, "", ""])
    # Each line has exactly one line break, its own. More would mean a line break inside a given value.
    if not text.count("\r") == text.count("\n") == len(lines) + 1 or "\0" in text:
        raise Unwritable
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable from None


def _write(transport: asyncio.Transport, beginning: bytes, body: bytes) -> None:
    """Send head and body. A small body is sent in one piece with the head; a large body is not copied."""
    if len(body) <= _SMALL:
        transport.write(beginning + body)
    else:
        transport.write(beginning)
        transport.write(body)


def _cut(connection: Connection) -> None:
    """Abort a connection. Closing it normally would first send the rest of a request that is no longer wanted."""
    if connection.protocol is not None:
        connection.protocol.abort()
    connection.close()


class _Direct:
    """A response whose head has come. At the end of its content the connection returns to the pool."""

    __slots__ = ("_connection", "_large", "content", "headers", "reason", "status")

    def __init__(self, connection: Connection, message: RawResponseMessage, content: StreamReader, large: bool) -> None:
        """Create the response. `large` is whether the request's body was large, so that the upstream may not have read
        all.
        """
        self._connection: Connection | None = connection
        self._large = large
        self.status = message.code
        self.reason = message.reason
        self.headers = message.headers
        self.content = content
        content.on_eof(self._ended)

    def _ended(self) -> None:
        if self._connection is None:
            return
        transport = self._connection.transport
        # With TLS the real write buffer is not visible. An upstream that refuses a body often does not read all of it.
        if self._large and (self.status >= 400 or (transport is not None and transport.get_write_buffer_size())):
            self.close()
        else:
            self._connection.release()
            self._connection = None

    def close(self) -> None:
        if self._connection is not None:
            _cut(self._connection)
            self._connection = None


_TELLS = "send" in vars(aiohttp.ClientRequest)
"""Whether the library still calls `ClientRequest.send`, which reports the sending. Otherwise all requests count as
sent.
"""

_leaving: ContextVar[tuple[Leaving, WeakSet[asyncio.Transport]]] = ContextVar("leaving")


class _Telling(aiohttp.ClientRequest):
    """A request of the session that reports when it is sent."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        leaving, used = _leaving.get()
        if conn.transport is not None:
            leaving.by(conn.transport, used)
        return await super().send(conn)
