# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Open connections to the upstream, write requests to them and read the responses.

The HTTP library (aiohttp) connects, keeps connections, speaks TLS and parses HTTP. `DirectRequests` writes the bytes of
a request to its connections directly, past its public interface: it adds only the fields Host and Content-Length, and
does not encode any character again.

- Gain: of the 65 microseconds that the library takes for a call, 40 are saved. With 64 concurrent calls, these 40 are
  a third of a call's time.
- Risk: `ResponseHandler.set_response_params` and `read`, and the pool's `_factory`, are not public. So only releases in
  KNOWN are used like this; with any other, and through a proxy, requests go through the library's session
  (`Connections`).
- Test: the tests of the client run both ways (`tests/runtime/conftest.py`, `either_way`).
- Off switch: the environment variable `MCPGEN_TUNING=0`.

No cookie is kept and no redirect is followed. Proxies, .netrc and TLS key logs set by common variables (`HTTPS_PROXY`,
`NETRC`, `SSLKEYLOGFILE`) are ignored. A connection is kept only after a complete exchange. Otherwise it is aborted, and
unsent bytes are dropped. `SendRecord` says whether a request left this server, so that it is not sent twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from functools import cached_property, partial
from typing import TYPE_CHECKING
from weakref import WeakSet

from .. import tuning
from ..settings import tls
from ..text.fields import FRAMING
from ..tuning.bare_tls_contexts import unloaded
from ..tuning.lazy_imports import deferred


class Unwritable(Exception):
    """The request cannot be written as HTTP. No byte of it was sent."""


class SendRecord:
    """Record of whether a request was sent.

    - `done`: whether the request was sent. `reused`: whether its connection had been used before.
    - `report`: function that is called once with "sent", when the request is first sent.
    """

    __slots__ = ("_report", "done", "reused")

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self.done = False
        self.reused = False

    def by(self, transport: asyncio.Transport, used: WeakSet[asyncio.Transport]) -> None:
        """Record that the request is now sent on `transport`.

        `used`: the connections that have carried a request. `transport` is added to them.
        """
        if transport in used:
            self.reused = True
        else:
            used.add(transport)
        if not self.done:
            self.done = True
            self._report("sent")


with unloaded(), deferred():
    import aiohttp
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.http import HttpProcessingError
    from yarl import URL

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Mapping
    from typing import Protocol

    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection
    from aiohttp.http import RawResponseMessage
    from aiohttp.streams import StreamReader

    from ..request.request import Request
    from ..settings.settings import Settings
    from ..text.addresses import Address

    Field = tuple[str, str]

    class Answer(Protocol):
        """Interface of a response that is being received: status, reason, header fields, and the content as a stream.

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


# aiohttp takes 0.065 ms for a call, and `ClientSession` 0.04 of it. aiohttp does not promise two of the methods that
# replace it (docs/decisions/speed.md).
KNOWN = ("3.14.",)
"""Version prefixes of the aiohttp releases whose private parts were tested with this module."""

LONGEST_LINE = 16 * 1024
LONGEST_FIELD = 32 * 1024
MOST_FIELDS = 256

_BODILESS = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods whose requests have no Content-Length if they have no body (RFC 9110 section 8.6)."""

_SMALL = 64 * 1024
"""Largest body in bytes that is sent in one piece with the header. Any upstream reads that much before it responds."""

PATIENT = aiohttp.ClientTimeout(total=None, sock_connect=None)
"""Disable the time limits of the library, because `limits.py` limits the time of each whole exchange."""


def usable() -> bool:
    """Return True if this release of aiohttp was tested with this module, and the variable MCPGEN_TUNING is not 0."""
    return tuning.ON and aiohttp.__version__.startswith(KNOWN)


class DirectRequests:
    """Sender of requests over the connections of one connection pool."""

    def __init__(
        self,
        connector: Callable[[], aiohttp.BaseConnector],
        secured: Callable[[Address], ssl.SSLContext | bool],
        used: WeakSet[asyncio.Transport],
    ) -> None:
        """Create the sender.

        `connector` returns the connection pool, `secured` the TLS context; `used` collects the connections that have
        carried a request.
        """
        self._connector = connector
        self._secured = secured
        self._used = used
        self._initiators: dict[str, _Initiator] = {}

    async def ask(self, request: Request, address: Address, fields: list[Field], leaving: SendRecord) -> DirectResponse:
        """Send a request with these header fields, and return once status and header fields of the response have come.

        Raise Unwritable if a header field cannot be sent, and ValueError for a response that is not HTTP. Exceptions of
        the HTTP library and of the system pass through.
        """
        initiator = self._initiator(address)
        beginning = head(request, address, initiator.headers["Host"], fields)
        connection = await self._connected(initiator)
        try:
            protocol, transport = connection.protocol, connection.transport
            if protocol is None or transport is None:  # never true: a new connection has both
                raise aiohttp.ServerDisconnectedError
            leaving.by(transport, self._used)
            _write(transport, beginning, request.body or b"")
            # Prepare the parser only now, while the upstream works. No bytes are received before the next `await`.
            protocol.set_response_params(
                skip_payload=request.method == "HEAD",
                read_until_eof=True,
                auto_decompress=False,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_FIELD,
                max_headers=MOST_FIELDS,
            )
            message, content = await protocol.read()
            # A response with status 1xx is interim, and another one follows.
            while 100 <= message.code < 200 and message.code != 101:
                message, content = await protocol.read()
            return DirectResponse(connection, message, content, len(request.body or b"") > _SMALL)
        except HttpProcessingError:
            _cut(connection)
            raise ValueError("not HTTP") from None
        except BaseException:
            _cut(connection)
            raise

    async def _connected(self, initiator: _Initiator) -> Connection:
        """Return a kept connection to the server that `initiator` names, or a new one if none can be used.

        Abort each kept connection that has received bytes since its last response, because the library would take
        these bytes for the next response.
        """
        connector = self._connector()
        while True:
            connection = await connector.connect(initiator, traces=[], timeout=PATIENT)
            kept = connection.transport in self._used
            if not kept or connection.protocol is None or not connection.protocol.should_close:
                return connection
            _cut(connection)

    def _initiator(self, address: Address) -> _Initiator:
        """Return the request object that stands for all requests to the server at `address`."""
        known, secured = self._initiators.get(address.origin), self._secured(address)
        if known is None or known.ssl is not secured:
            loop, url = asyncio.get_running_loop(), URL(address.origin, encoded=True)
            known = _Initiator("GET", url, loop=loop, ssl=secured)
            self._initiators[address.origin] = known
        return known


def set_protocol(connector: aiohttp.BaseConnector) -> None:
    """Let a connection pool use `_UpstreamProtocol` as the asyncio protocol of its new connections."""
    make: Callable[..., ResponseHandler] = _UpstreamProtocol
    connector._factory = partial(make, loop=asyncio.get_running_loop())


class _UpstreamProtocol(ResponseHandler):
    """aiohttp's asyncio protocol for one connection, but it resumes reading only after a pause."""

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Read from the upstream again after a pause.

        aiohttp calls this method for each piece of a body that is taken. Without a pause, its method only asks the
        parser for more of the response, which the parser does not hold back.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)


class _Initiator(aiohttp.ClientRequest):
    """Request object that tells aiohttp where and how to connect. The object itself is never sent."""

    @cached_property
    def connection_key(self) -> ConnectionKey:
        """Return the key of the pool's connections to this server. aiohttp would make the key for each request."""
        return super().connection_key


def head(request: Request, address: Address, host: str, fields: list[Field]) -> bytes:
    """Return the request line and header fields as bytes (RFC 9112 sections 3 and 5).

    Raise Unwritable if a value contains a line break, a null byte or a lone surrogate.
    """
    lines = [f"{request.method} {address.path}{request.target} HTTP/1.1", f"Host: {host}", *map(": ".join, fields)]
    if request.body is not None or request.method not in _BODILESS:
        lines.append(f"Content-Length: {len(request.body or b'')}")
    text = "\r\n".join([*lines, "", ""])
    # Refuse the request if it has more line breaks than lines: then a value contains one, and could add header fields.
    if not text.count("\r") == text.count("\n") == len(lines) + 1 or "\0" in text:
        raise Unwritable
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable from None


def _write(transport: asyncio.Transport, beginning: bytes, body: bytes) -> None:
    """Send the request's header and body.

    A small body is sent in one piece with the header; a large body is not copied.
    """
    if len(body) <= _SMALL:
        transport.write(beginning + body)
    else:
        transport.write(beginning)
        transport.write(body)


def _cut(connection: Connection) -> None:
    """Abort a connection. A normal close would first send the rest of a request that nobody wants any more."""
    if connection.protocol is not None:
        connection.protocol.abort()
    connection.close()


class DirectResponse:
    """Response of which status and header fields have come.

    At the end of its content, the connection returns to the pool.
    """

    __slots__ = ("_connection", "_large", "content", "headers", "reason", "status")

    def __init__(self, connection: Connection, message: RawResponseMessage, content: StreamReader, large: bool) -> None:
        """Create a response.

        `large`: True if the request's body was large. If a part of this body may still be unsent at the end of the
        response, the connection is closed instead of reused.
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
        # Close the connection if parts of the body may be unsent. With TLS the real write buffer is not visible, so an
        # error status counts as a sign of that. An upstream that refuses a large body often does not read all of it.
        if self._large and (self.status >= 400 or (transport is not None and transport.get_write_buffer_size())):
            self.close()
        else:
            self._connection.release()
            self._connection = None

    def close(self) -> None:
        if self._connection is not None:
            _cut(self._connection)
            self._connection = None


_AUTOMATIC = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
"""Header fields that the HTTP library would add to a request that lacks them. It is told not to."""


class Connections:
    """Connection pool of one generated server. Create and use it inside a running event loop."""

    def __init__(
        self, settings: Settings, proxy: str | None = None, pool: Callable[[], aiohttp.BaseConnector] | None = None
    ) -> None:
        """Create the pool. `proxy`: URL of an HTTP proxy. `pool` makes another kind of pool than one of TCP."""
        self._settings = settings
        self._proxy = proxy
        self._pool = pool
        self._connector: aiohttp.BaseConnector | None = None
        self._session: aiohttp.ClientSession | None = None
        self._tls: ssl.SSLContext | None = None
        self._turn = 0
        self._used: WeakSet[asyncio.Transport] = WeakSet()
        direct = proxy is None and pool is None and usable()
        self._ask = DirectRequests(self._opened, self._secured, self._used).ask if direct else self._by_session

    def ask(self, request: Request, address: Address, fields: list[Field], leaving: SendRecord) -> Awaitable[Answer]:
        """Send a request with these header fields, and return once status and header fields of the response have come.

        Raise Unwritable if a header field cannot be sent, and ValueError for a response that is not HTTP. Exceptions of
        the HTTP library and of the system pass through.
        """
        # refuse a field of FRAMING, such as Content-Length, which only the HTTP library sets: it can come only from a
        # credential that the operator configured
        if not FRAMING.isdisjoint(request.names):
            raise Unwritable
        return self._ask(request, address, fields, leaving)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        if self._connector is not None:
            await self._connector.close()

    def _by_session(
        self, request: Request, address: Address, fields: list[Field], leaving: SendRecord
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
            proxy=self._proxy,
        )

    def _opened(self) -> aiohttp.BaseConnector:
        if self._connector is None:
            # No limit of connections in aiohttp: sending.py limits pending requests. So calls wait there, before
            # aiohttp knows of them.
            plain = partial(aiohttp.TCPConnector, limit=0, resolver=aiohttp.ThreadedResolver())
            self._connector = (self._pool or plain)()
            if usable():
                set_protocol(self._connector)
        return self._connector

    def _begun(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=self._opened(),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=PATIENT,
                trust_env=False,
                auto_decompress=False,
                skip_auto_headers=_AUTOMATIC,
                request_class=_ReportingRequest,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_FIELD,
                max_headers=MOST_FIELDS,
            )
            # When a connection dies, the library would resend any idempotent request, even DELETE. No public option
            # disables these retries. Tests that count requests at a socket notice if this attribute stops working.
            self._session._retry_connection = False
        return self._session

    def _secured(self, address: Address) -> ssl.SSLContext | bool:
        """Return the TLS context that all new connections share, created at first use and after its files have changed.

        For an address with plain HTTP, return True instead.
        """
        if address.scheme != "https":
            return True
        rotation = self._settings.rotation
        if self._tls is None or (rotation is not None and rotation.turn() != self._turn):
            self._turn = 0 if rotation is None else rotation.turn()
            settings = self._settings
            self._tls = tls.context(settings["CA_FILE"], settings.client, settings["CLIENT_KEY_PASSWORD"])
        return self._tls


_TELLS = "send" in vars(aiohttp.ClientRequest)
"""Whether the library calls `ClientRequest.send`, which reports that a request is sent. Otherwise all requests count as
sent.
"""

_leaving: ContextVar[tuple[SendRecord, WeakSet[asyncio.Transport]]] = ContextVar("leaving")


class _ReportingRequest(aiohttp.ClientRequest):
    """Request of aiohttp's ClientSession, whose `send` notes in the SendRecord that the request is being sent."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        leaving, used = _leaving.get()
        if conn.transport is not None:
            leaving.by(conn.transport, used)
        return await super().send(conn)
