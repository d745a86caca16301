# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sends a request and reads the answer, under limits. The only importer of the HTTP library.

What goes on the wire is what the request says, byte for byte: the URL is handed over as encoded. No redirect is
followed, no cookie is kept, nothing of the environment is obeyed (proxies, .netrc, TLS key logs). One deadline covers
everything, from waiting for a connection to the last byte. Cancelling closes the connection. No text of the library
leaves: each of its exceptions becomes a clause of ours, without URLs and without values.

Of a success as much is read as the operator keeps, in a file where it is much; of a stream that does not end, what came
before the deadline. Then the connection is closed.

Nothing is sent twice in here: retry.py says what may be.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakSet

from . import tls
from .deadlines import Deadlines
from .exchange import Response
from .inflate import BadCoding, undoing
from .request import sender_fields
from .requestlog import Exchange
from .spool import Spool
from .unasked import deferred

with tls.unloaded(), deferred():
    import aiohttp
    from yarl import URL

if TYPE_CHECKING:
    import asyncio

    from aiohttp.connector import Connection
    from aiohttp.typedefs import LooseHeaders

    from .addresses import Address
    from .request import Request
    from .settings import Settings

LIMIT = 8 * 1024 * 1024
"""Bytes of an answer, on the wire and decoded, that are held in memory. More is not read where it is no success."""

BEGINNING = 2 * 1024 * 1024
"""Of an answer that is in a file, the bytes that are looked at."""

_STREAM = re.compile(r"text/event-stream|application/((x-)?ndjson|jsonl|json-seq|stream\+json)")

LONGEST_LINE = 16 * 1024
LONGEST_FIELD = 32 * 1024
MOST_FIELDS = 256

_AUTOMATIC = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
"""The fields that the library would add to a request that does not have them; the last one to some, and late."""

_UNREACHED = "{} could not be reached"

# The first that fits counts, so subclasses stand before their bases. `{}` is the server's name.
_REASONS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError), "the proxy did not let it through to {}"),
    ((aiohttp.ClientConnectorDNSError,), "the name {} is not known"),
    ((aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError), "the certificate of {} is not trusted"),
    ((aiohttp.ClientConnectorSSLError, ssl.SSLError), "no secure connection could be made to {}"),
    ((aiohttp.ClientConnectorError,), _UNREACHED),
    ((aiohttp.ClientPayloadError,), "{} closed the connection before its answer was complete"),
    ((aiohttp.ClientResponseError,), "{} did not answer in HTTP that can be read"),
    ((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, OSError), "{} closed the connection without an answer"),
    ((aiohttp.ClientError, ValueError, EOFError), "{} did not answer in HTTP that can be read"),
)


_CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionError)


class Failure(Exception):
    """No usable answer came. `reason` is a clause without URLs and values; `sent` is whether the request had left, and
    `advice` a sentence where it had not. `end` says how the connection ended: "refused" (there was none), "closed"
    before an answer came, "stale" (closed, and kept from a request before), "" for all else.
    """

    advice = "Nothing was sent."

    def __init__(self, reason: str, sent: bool, end: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.end = end

    @property
    def closed(self) -> bool:
        """Whether the connection ended before an answer came."""
        return self.end in ("closed", "stale")


class Client:
    """Exchanges requests for responses. To be made and used inside a running event loop."""

    def __init__(self, settings: Settings, agent: str) -> None:
        """`agent` is the User-Agent, `NAME-mcp/VERSION`; it may be set anew."""
        self._settings = settings
        self.agent = agent
        self._session: aiohttp.ClientSession | None = None
        self._deadlines = Deadlines()
        self._tls: ssl.SSLContext | None = None

    async def send(
        self, request: Request, address: Address, seconds: float, report: Callable[[str], None] = lambda _: None
    ) -> Response:
        """The answer to a request. Raises Failure. `report` hears "sent", "headers" and "body" as each is done."""
        with Exchange(request, address) as seen:
            answer = await self._answer(request, address, seconds, report)
            seen.answered(answer)
            return answer

    async def _answer(
        self, request: Request, address: Address, seconds: float, report: Callable[[str], None]
    ) -> Response:
        sent, body = _Sent(request, report), _Body()
        deadline = self._deadlines.within(seconds)
        try:
            with deadline:
                return await self._exchange(address, sent, body)
        except TimeoutError as late:
            if deadline.expired and body.streams:
                return body.response()
            if deadline.expired:
                raise Failure(
                    f"{address.authority} gave no complete answer within {_said(seconds)}", sent.done
                ) from None
            raise Failure(_reason(late, address), sent.done) from None
        except BadCoding as reason:
            raise Failure(f"the answer of {address.authority} {reason}", sent.done) from None
        except (aiohttp.ClientError, OSError, ValueError, EOFError) as problem:
            raise Failure(_reason(problem, address), sent.done, _end(problem, sent)) from None

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def _exchange(self, address: Address, sent: _Sent, body: _Body) -> Response:
        answer = await self._asked(address, sent)
        try:
            sent.report("headers")
            began = body.begin(answer)
            limit = self._settings.sizes.kept if 200 <= began.status < 300 else LIMIT
            content, decoded = answer.content, undoing(began.header("content-encoding"), limit, body.take)
            while not content.at_eof():
                decoded.feed(await content.readany())
                if decoded.full or body.full:
                    break
            else:
                decoded.finish()
                body.cut = False
            sent.report("body")
            return body.response()
        finally:
            if answer.connection is not None:  # one whose answer came to its end has gone back to the pool by now
                answer.close()

    def _asked(self, address: Address, sent: _Sent) -> Awaitable[aiohttp.ClientResponse]:
        request = sent.request
        fields = [*request.fields, *sender_fields(request, self.agent)]
        # The library goes through what it is given three times, and has rules of its own for names that come twice.
        if _TAKES and _are_apart(fields):
            sent.fields, fields = fields, []
        _leaving.set(sent)
        return self._opened().request(
            request.method,
            URL(address.origin + address.path + request.target, encoded=True),
            data=request.body,
            headers=fields,
            allow_redirects=False,
            ssl=self._secured() if address.scheme == "https" else True,
            proxy=self._settings.proxy,
        )

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                # Without a limit: pacing.py has one, and whoever is cancelled waiting for it leaves nothing in here.
                connector=aiohttp.TCPConnector(limit=0, resolver=aiohttp.ThreadedResolver()),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                trust_env=False,
                auto_decompress=False,
                skip_auto_headers=_AUTOMATIC,
                request_class=_Leaving,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_FIELD,
                max_headers=MOST_FIELDS,
            )
            # The library would send whatever is idempotent once more, DELETE too, on any connection that died. There is
            # no public way to have it leave that to us; tests count the requests at a socket.
            self._session._retry_connection = False
        return self._session

    def _secured(self) -> ssl.SSLContext:
        """One context for all connections, made when the first needs it."""
        if self._tls is None:
            self._tls = tls.context(self._settings.ca_file, self._settings.client)
        return self._tls


class _Sent:
    """A request on its way: the fields of it that `_Leaving` puts in, whether it has left, and on a connection that had
    been kept; and who wants to know.
    """

    __slots__ = ("done", "fields", "report", "request", "reused")

    def __init__(self, request: Request, report: Callable[[str], None]) -> None:
        self.request = request
        self.report = report
        self.fields: list[tuple[str, str]] = []
        self.done = not _TELLS
        self.reused = False

    def mark(self) -> None:
        if not self.done:
            self.done = True
            self.report("sent")


_TELLS = "send" in vars(aiohttp.ClientRequest)
"""Whether the library still sends by the method that tells us so; where it does not, all counts as sent."""

_TAKES = "update_headers" in vars(aiohttp.ClientRequest)
"""Whether it still makes the header by the method that takes ours; where it does not, it is given them as any other."""

_leaving: ContextVar[_Sent] = ContextVar("leaving")


class _Leaving(aiohttp.ClientRequest):
    """Takes its fields as they are. Says when it leaves: its connection is there, and nothing else is waited for."""

    def update_headers(self, headers: LooseHeaders | None) -> None:
        super().update_headers(headers)
        self.headers.extend(_leaving.get().fields)

    def update_auto_headers(self, skip_auto_headers: Iterable[str] | None) -> None:
        # None is to be added. Only of a body, to which it would give a type later on, must the library know that.
        bodiless = self.method == "GET" and _leaving.get().request.body is None
        if not bodiless and "Content-Type" not in self.headers:
            super().update_auto_headers(skip_auto_headers)

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        sent, transport = _leaving.get(), conn.transport
        if transport is not None:
            sent.reused = transport in _used
            if not sent.reused:
                _used.add(transport)
        sent.mark()
        return await super().send(conn)


_used: WeakSet[asyncio.Transport] = WeakSet()
"""The connections that a request has gone over."""


class _Body:
    """An answer as it comes, cut until its end was seen. What comes in one piece, as most does, needs no spool."""

    __slots__ = ("_answer", "_piece", "_spool", "cut", "full")

    def __init__(self) -> None:
        self._answer: Response | None = None
        self._piece = b""
        self._spool: Spool | None = None
        self.cut = True
        self.full = False

    def begin(self, answer: aiohttp.ClientResponse) -> Response:
        found = self._answer = Response(answer.status, answer.reason or "", [*answer.headers.items()])
        return found

    def take(self, data: bytes) -> None:
        if self._spool is None and not self._piece and len(data) <= LIMIT:
            self._piece = data
            return
        try:
            self._spooled().write(data)
        except OSError:  # the disk takes no more
            self.full = True

    def _spooled(self) -> Spool:
        if self._spool is None:
            self._spool = Spool(LIMIT)
            self._spool.write(self._piece)
        return self._spool

    @property
    def streams(self) -> bool:
        """Whether what came is worth having though its end did not come: it is one thing after another."""
        some = self._piece if self._spool is None else self._spool.size
        if self._answer is None or not some or not 200 <= self._answer.status < 300:
            return False
        return bool(_STREAM.fullmatch(self._answer.media_type))

    def response(self) -> Response:
        """What came, of an answer that has begun."""
        found = self._answer
        assert found is not None
        found.cut = self.cut
        if self._spool is None:
            found.content = self._piece
        elif self._spool.size > LIMIT:
            found.content, found.spool = self._spool.read(0, BEGINNING), self._spool
        else:
            found.content = self._spool.read(0, LIMIT)
            self._spool.close()
        return found


def _are_apart(fields: list[tuple[str, str]]) -> bool:
    """Whether no two have the same name, however it is written, nor one that of the field that the library makes."""
    names = {*map(str.lower, dict(fields))}
    return len(names) == len(fields) and "host" not in names


def _end(problem: BaseException, sent: _Sent) -> str:
    """How the connection ended, in the words of Failure."""
    if isinstance(problem, aiohttp.ClientConnectorError):
        return "refused" if isinstance(problem.os_error, ConnectionError) else ""
    if not isinstance(problem, _CLOSED):
        return ""
    return "stale" if sent.reused else "closed"


def _said(seconds: float) -> str:
    """A time in tenths, and never as none."""
    tenths = max(round(seconds, 1), 0.1)
    return f"{tenths:g} second{'' if tenths == 1 else 's'}"


def _reason(problem: BaseException, address: Address) -> str:
    """The clause for an exception of the library."""
    text = next((text for kinds, text in _REASONS if isinstance(problem, kinds)), _REASONS[-1][1])
    if text == _UNREACHED and isinstance(getattr(problem, "os_error", None), ConnectionRefusedError):
        text = "{} refused the connection"
    return text.format(address.authority)
