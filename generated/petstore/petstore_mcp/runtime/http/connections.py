# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Connections to the upstream, and a request over one of them: its bytes, and what comes back.

The HTTP library connects, keeps connections, speaks TLS and reads HTTP. The bytes of a request are written here, as the
request says: no field is added but Host and Content-Length, and no character is encoded anew. The library's own way to
send costs a call a third of its time. It is left for requests through a proxy, and for releases of the library that are
not among KNOWN: more is asked of its parts here than its public interface promises.

No cookie is kept, no redirect followed, and nothing of the environment obeyed (proxies, .netrc, TLS key logs). A
connection is kept where the exchange came to its end, and otherwise cut: what was not sent yet is not sent any more.
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
        """What came of a request: the head of the answer, whose items are all its fields, and the content as it comes.
        `close` must follow; it cuts the connection where the content has not come to its end."""

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
"""How the releases of the library begin whose parts are known to do what is asked of them here."""

LONGEST_LINE = 16 * 1024
LONGEST_FIELD = 32 * 1024
MOST_FIELDS = 256

_BODILESS = ("GET", "HEAD", "OPTIONS", "TRACE")
"""The methods of requests that have no length where they have no body (RFC 9110 section 8.6)."""

_AUTOMATIC = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
"""The fields that the library would add to a request that does not have them."""

_SMALL = 64 * 1024
"""Bytes of a body that is sent together with the head, and taken by any upstream before it answers."""

_PATIENT = aiohttp.ClientTimeout(total=None, sock_connect=None)


class Unwritable(Exception):
    """A request that no HTTP can be made of; not one byte of it was sent."""


class Connections:
    """The connections of one server. To be made and used inside a running event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._direct = settings.proxy is None and aiohttp.__version__.startswith(KNOWN)
        self._connector: aiohttp.TCPConnector | None = None
        self._session: aiohttp.ClientSession | None = None
        self._tls: ssl.SSLContext | None = None
        self._initiators: dict[str, aiohttp.ClientRequest] = {}
        self._used: WeakSet[asyncio.Transport] = WeakSet()

    def ask(self, request: Request, address: Address, fields: list[Field], leaving: Leaving) -> Awaitable[Answer]:
        """Send a request with these header fields; come back when the head of the answer is there.

        Raises Unwritable, what the library and the system raise, and ValueError for what is no HTTP.
        """
        if not FRAMING.isdisjoint(request.names):  # which only a credential can have
            raise Unwritable
        way = self._directly if self._direct else self._by_session
        return way(request, address, fields, leaving)

    async def close(self) -> None:
        """Close them all."""
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
            if protocol is None or transport is None:  # as the library types it; it was connected a moment ago
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
            while 100 <= message.code < 200 and message.code != 101:  # what comes first is no answer yet
                message, content = await protocol.read()
            return _Direct(connection, message, content, len(request.body or b"") > _SMALL)
        except HttpProcessingError:
            _cut(connection)
            raise ValueError("not HTTP") from None
        except BaseException:
            _cut(connection)
            raise

    async def _connected(self, initiator: aiohttp.ClientRequest) -> Connection:
        """A connection, but none that was kept and on which something came since: it would be taken for the answer."""
        connector = self._opened()
        while True:
            connection = await connector.connect(initiator, traces=[], timeout=_PATIENT)
            kept = connection.transport in self._used
            if not kept or connection.protocol is None or not connection.protocol.should_close:
                return connection
            _cut(connection)

    def _initiator(self, address: Address) -> aiohttp.ClientRequest:
        """What tells the library where to connect, and how. It is never sent."""
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
            # Without a limit: pacing.py has one, and whoever is cancelled waiting for it leaves nothing in here.
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
            # The library would send whatever is idempotent once more, DELETE too, on any connection that died. There is
            # no public way to have it leave that to us; tests count the requests at a socket.
            self._session._retry_connection = False
        return self._session

    def _secured(self, address: Address) -> ssl.SSLContext | bool:
        """One context for all connections, made when the first needs it."""
        if address.scheme != "https":
            return True
        if self._tls is None:
            self._tls = tls.context(self._settings.ca_file, self._settings.client)
        return self._tls


class Leaving:
    """Whether a request has left (`done`), and on a connection that had been kept (`reused`). `report` hears "sent"."""

    __slots__ = ("_report", "done", "reused")

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self.done = False
        self.reused = False

    def by(self, transport: asyncio.Transport, used: WeakSet[asyncio.Transport]) -> None:
        """It leaves now, by a connection that is added to those that were used: nothing else is waited for."""
        if transport in used:
            self.reused = True
        else:
            used.add(transport)
        if not self.done:
            self.done = True
            self._report("sent")


def head(request: Request, address: Address, host: str, fields: list[Field]) -> bytes:
    """Request line and header fields (RFC 9112 sections 3 and 5). Raises Unwritable."""
    lines = [f"{request.method} {address.path}{request.target} HTTP/1.1", f"Host: {host}", *map(": ".join, fields)]
    if request.body is not None or request.method not in _BODILESS:
        lines.append(f"Content-Length: {len(request.body or b'')}")
    text = "\r\n".join([*lines, "", ""])
    # Each line has one line break, its own: so none stands inside of what was given.
    if not text.count("\r") == text.count("\n") == len(lines) + 1 or "\0" in text:
        raise Unwritable
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable from None


def _write(transport: asyncio.Transport, beginning: bytes, body: bytes) -> None:
    """Send both: what is small in one piece, and of what is large no copy."""
    if len(body) <= _SMALL:
        transport.write(beginning + body)
    else:
        transport.write(beginning)
        transport.write(body)


def _cut(connection: Connection) -> None:
    """End a connection at once. To close it would first send what is left of a request that nobody wants any more."""
    if connection.protocol is not None:
        connection.protocol.abort()
    connection.close()


class _Direct:
    """An answer whose head has come. With the end of its content the connection goes back to the others."""

    __slots__ = ("_connection", "_large", "content", "headers", "reason", "status")

    def __init__(self, connection: Connection, message: RawResponseMessage, content: StreamReader, large: bool) -> None:
        """`large` is whether the body of the request was: it may not have been taken whole."""
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
        # Of TLS the buffer that counts cannot be seen; an upstream that refuses a body often does not read it.
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
"""Whether the library still sends by the method that tells us so; where it does not, all counts as sent."""

_leaving: ContextVar[tuple[Leaving, WeakSet[asyncio.Transport]]] = ContextVar("leaving")


class _Telling(aiohttp.ClientRequest):
    """A request of the session, which says when it leaves."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        leaving, used = _leaving.get()
        if conn.transport is not None:
            leaving.by(conn.transport, used)
        return await super().send(conn)
