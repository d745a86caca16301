# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Open connections to the upstream, send requests over them and read the responses.

The HTTP library (aiohttp) connects, keeps connections, speaks TLS and parses HTTP. `direct_requests.py` writes the
requests. But if the operator has set a proxy, or if the library's release is not a tested one, the library writes them.

No cookie is kept and no redirect is followed. Proxies, .netrc and TLS key logs set by common variables (`HTTPS_PROXY`,
`NETRC`, `SSLKEYLOGFILE`) are ignored. A connection is kept only after a complete exchange. Otherwise it is aborted, and
unsent bytes are dropped.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakSet

from ..settings import tls
from ..text.fields import FRAMING
from ..tuning.bare_tls_contexts import unloaded
from ..tuning.lazy_imports import deferred
from . import direct_requests
from .direct_requests import LONGEST_FIELD, LONGEST_LINE, MOST_FIELDS, PATIENT, DirectRequests
from .leaving import Unwritable

with unloaded(), deferred():
    import aiohttp
    from yarl import URL

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Mapping
    from typing import Protocol

    from aiohttp.connector import Connection
    from aiohttp.streams import StreamReader

    from ..request.request import Request
    from ..settings.settings import Settings
    from ..text.addresses import Address
    from .direct_requests import Field
    from .leaving import SendRecord

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


_AUTOMATIC = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
"""Header fields that the HTTP library would add to a request that lacks them. It is told not to."""


class Connections:
    """Connection pool of one generated server. Create and use it inside a running event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._connector: aiohttp.TCPConnector | None = None
        self._session: aiohttp.ClientSession | None = None
        self._tls: ssl.SSLContext | None = None
        self._turn = 0
        self._used: WeakSet[asyncio.Transport] = WeakSet()
        direct = settings["PROXY"] is None and direct_requests.usable()
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
        """Close all connections."""
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
            proxy=self._settings["PROXY"],
        )

    def _opened(self) -> aiohttp.TCPConnector:
        if self._connector is None:
            # No limit of connections in aiohttp: pacing.py limits pending requests. So calls wait in pacing.py, before
            # aiohttp knows of them.
            self._connector = aiohttp.TCPConnector(limit=0, resolver=aiohttp.ThreadedResolver())
            if direct_requests.usable():
                direct_requests.set_protocol(self._connector)
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
            self._tls = tls.context(self._settings["CA_FILE"], self._settings.client)
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
