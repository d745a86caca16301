# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send a request and read the response, within limits of time and size, and log one line about both.

One deadline covers everything, from waiting for a connection to the last byte. If the call is cancelled, the connection
is closed. Exception texts of the HTTP library are never shown. Each exception becomes a fixed clause without URLs and
values.

A successful response is read up to the size that the operator allows to keep; a large one is written to a file. An
event stream that does not end is cut at the deadline. Then the part received so far is returned, and the connection is
closed. At most one content coding (RFC 9110 section 8.4.1) is undone, gzip or deflate, up to a size limit: the HTTP
library would decode whole chunks before their size could be checked, and 200 KB may become 200 MB.

A line of the log names the method, the host and the path template. It never contains a query or an argument's value. A
path that a hook changed may contain anything, so the line names the hook instead of the path.

This module never sends a request twice: sending.py decides about retries.
"""

from __future__ import annotations

import errno
import re
import ssl
import time
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core import log, spans
from ..core.limits import Deadlines, Shares
from ..request.request import sender_fields
from ..tuning.bare_tls_contexts import unloaded
from ..tuning.lazy_imports import deferred
from .connections import Connections, SendRecord, Unwritable
from .exchange import Response, Spool

if TYPE_CHECKING:
    from types import TracebackType

    from ..core.spans import Reading, Sending
    from ..request.request import Request
    from ..settings.settings import Settings
    from ..text.addresses import Address
    from .connections import Answer, Field

with unloaded(), deferred():
    import aiohttp

_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_MAGIC = b"\x1f\x8b"

_STEP = 256 * 1024
"""Bytes decoded at a time. Decoded data may be a thousand times as long as its input, and must not be held at once."""

_KNOWN = frozenset(["br", "compress", "dcb", "dcz", "exi", "x-compress", "zstd"])
"""Content codings that an error may name. Other values are not repeated, because an upstream may write anything."""


class BadCoding(Exception):
    """The content cannot be decoded. The message ends a sentence that begins with "the answer of HOST".

    `is_lasting`: True if each response will probably have this coding.
    """

    def __init__(self, message: str, is_lasting: bool = False) -> None:
        super().__init__(message)
        self.is_lasting = is_lasting


def undoing(coding: str, limit: int, take: Callable[[bytes], None]) -> PlainDecoder:
    """Return a decoder for a value of Content-Encoding. Raise BadCoding for a coding that the request did not offer."""
    coding = coding.strip().lower()
    return PlainDecoder(limit, take) if coding in ("", "identity") else InflateDecoder(coding, limit, take)


def refuse_transfer_coding(value: str) -> None:
    """Raise BadCoding for a Transfer-Encoding other than chunked (RFC 9112 section 6.1).

    This server's requests accept no other coding (header TE). The HTTP library would decode only the chunks, and leave
    any other coding in place.
    """
    if not {coding.strip().lower() for coding in value.split(",")} <= {"", "chunked", "identity"}:
        raise BadCoding("has a transfer coding that was not asked for")


class PlainDecoder:
    """Decoder for content without a coding.

    `full` becomes True if there is more data than `limit`; the excess is dropped.
    """

    __slots__ = ("_limit", "_size", "_take", "full")

    def __init__(self, limit: int, take: Callable[[bytes], None]) -> None:
        """Create a decoder that calls `take` with each piece of decoded data. Data beyond `limit` bytes is dropped."""
        self._limit = limit
        self._take = take
        self._size = 0
        self.full = False

    def feed(self, data: bytes) -> None:
        """Decode a piece of input and pass the result to `take`. Drop decoded data beyond `limit`, and set `full`.

        Raise BadCoding if the input is malformed.
        """
        room = self._limit - self._size
        self._size += len(data)
        if len(data) <= room:
            self._take(data)
            return
        self.full = True
        if room > 0:
            self._take(data[:room])

    def finish(self, may_be_empty: bool = True) -> None:
        """Check that the input is complete. Raise BadCoding if the coded stream ended early.

        An input without a single byte is an error unless `may_be_empty`.
        """


class InflateDecoder(PlainDecoder):
    """Decoder for content coded with gzip or deflate."""

    __slots__ = ("_behind", "_coding", "_raw", "_stream")

    def __init__(self, coding: str, limit: int, take: Callable[[bytes], None]) -> None:
        super().__init__(limit, take)
        if coding not in ("gzip", "x-gzip", "deflate"):
            named = f"the content coding {coding}, which" if coding in _KNOWN else "a content coding that"
            raise BadCoding(f"has {named} was not asked for", is_lasting=True)
        self._coding = coding
        self._raw = 0
        self._behind = False
        self._stream: zlib._Decompress | None = None

    def feed(self, data: bytes) -> None:
        self._raw += len(data)
        self._decode(data)
        self.full = self._raw > self._limit or self._size > self._limit

    def finish(self, may_be_empty: bool = True) -> None:
        ended = may_be_empty if self._stream is None else self._stream.eof or self.full
        if not ended:
            raise BadCoding("is compressed, and ends too early")

    def _decode(self, data: bytes) -> None:
        # Decode one byte beyond the limit, to learn whether there is more.
        while (room := min(self._limit + 1 - self._size, _STEP)) > 0 and (data or self._behind):
            if self._stream is None:
                self._stream = zlib.decompressobj(self._window(data))
            elif self._stream.eof:
                if not data.startswith(_GZIP_MAGIC):
                    return  # the data is padding after the last gzip member
                self._stream = zlib.decompressobj(_GZIP)
            try:
                decoded = self._stream.decompress(data, room)
            except zlib.error:
                raise BadCoding("is not compressed as its Content-Encoding says") from None
            super().feed(decoded)
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            # After a step of the maximum size, the decompressor may still hold output: decode again, even without input
            self._behind = len(decoded) == room and not self._stream.eof

    def _window(self, data: bytes) -> int:
        if self._coding != "deflate":
            return _GZIP
        # Some servers omit the zlib header that deflate requires. The header is there if the low four bits of the first
        # byte are 8, the number of the method "deflate".
        return _ZLIB if data[0] & 0x0F == 8 else _RAW


class Exchange:
    """Context manager that logs and measures one request and its response."""

    __slots__ = ("_address", "_heard", "_line", "_number", "_request", "_sending", "_span", "_started")

    def __init__(self, request: Request, address: Address, heard: bool) -> None:
        """Begin the record. `heard`: the log has a line for each request."""
        self._request = request
        self._address = address
        self._span = spans.current() or spans.Span()
        self._heard = heard
        self._sending: Sending | None = None

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the trace header fields for the upstream, or [] if no trace is recorded."""
        return [] if self._sending is None else self._sending.fields

    def __enter__(self) -> Exchange:
        self._span.requests += 1
        if self._span.client_log is not None:
            self._span.client_log("debug", f"Sends {self._request.method} {self._request.template}.")
        if self._span.operation is not None:
            self._sending = self._span.operation.sends(self._request, self._address)
        if self._heard:
            self._number, self._started = self._span.requests, time.monotonic()
            self._line: dict[str, object] = {}
        return self

    def reads(self, body: Reading) -> None:
        """Let the progress reports of the call say how much of this response was received."""
        self._span.reads = body

    def answered(self, answer: Response) -> None:
        """Record the response's status and the number of bytes sent and received."""
        sent, received = len(self._request.body or b""), answer.size
        self._span.sent += sent
        self._span.received += received
        if self._sending is not None:
            self._sending.status = answer.status
        if self._span.client_log is not None:
            self._span.client_log("debug", f"The API answered {answer.named} with {received:,} bytes.")
        if self._heard:
            self._line = {"status": answer.status, "sent": sent, "received": received}

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._span.reads = None
        if self._sending is not None:
            self._sending.close(problem)
        if not self._heard:
            return
        made = {"method": self._request.method, "url": f"{self._address}{self._request.template}"}
        if self._request.rewritten:
            made["rewritten"] = self._request.rewritten
        if kind is not None:
            self._line["failed"] = getattr(problem, "reason", kind.__name__)
        milliseconds = round((time.monotonic() - self._started) * 1000, 1)
        log.event("debug", "request", request=self._number, **made, **self._line, ms=milliseconds)


LIMIT = 8 * 1024 * 1024
"""Bytes of one response, raw or decoded, that may be held in memory while the shared memory (limits.py) has room."""

OWN = 512 * 1024
"""Bytes of each response that are always held in memory; further bytes are taken from the shared memory. No more than
this is read of an error response.
"""

BEGINNING = 512 * 1024
"""Bytes that are examined of a response stored in a file, or twice the size shown to the model if that is more."""

_SMALL = 64 * 1024
"""Largest response in bytes that is held without a spool, provided that it was received in one piece."""

_LONGEST_LENGTH = 15
"""Maximum number of digits of a Content-Length; a longer value is ignored."""

_STREAM = re.compile(r"text/event-stream|application/((x-)?ndjson|jsonl|json-seq|stream\+json)")

_UNREACHED = "{} could not be reached"

# The first match applies, so subclasses stand before their base classes. `{}` becomes the requested host and port.
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

_FULL = (errno.EMFILE, errno.ENFILE)
"""Error numbers for a process or system without free file descriptors. As this may pass, the request is retried."""

_KINDS = {
    "refused": "connection_refused",
    "closed": "connection_closed",
    "stale": "connection_closed",
    "late": "timeout",
}

_CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionError)


class Failure(Exception):
    """No usable response was received.

    - `reason`: a clause without URLs and values.
    - `sent`: whether the request had left this server.
    - `advice`: a sentence for the model, used if the request had not left.
    - `end`: how the connection ended. "refused": none was made. "closed": closed before the response. "stale": closed
      before the response too, on a connection kept open from an earlier request. "late": the time was over. "coding":
      the response has a content coding that this server does not read. "": any other end.
    """

    advice = "Nothing was sent."

    def __init__(self, reason: str, sent: bool, end: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.end = end

    @property
    def closed(self) -> bool:
        """Return whether the connection was closed before the response."""
        return self.end in ("closed", "stale")

    @property
    def kind(self) -> str:
        """Return the error class that traces and metrics show; "" if there is no class for this failure."""
        return _KINDS.get(self.end, "")


class Client:
    """HTTP client: each call of `send` sends one request. Create and use the client inside a running event loop."""

    def __init__(self, settings: Settings, agent: str, shares: Shares | None = None) -> None:
        """Create a client. `agent` is the User-Agent, `NAME-mcp/VERSION`, and may be changed later.

        `shares` limits the memory and files that all large responses may take together.
        """
        self._settings = settings
        self._shares = shares or Shares()
        self.agent = agent
        proxy = settings["PROXY"]
        self._connections = Connections(settings, proxy)
        if settings["NO_PROXY"] or settings["BASE_URL"].startswith("unix:") or (proxy and not proxy.startswith("http")):
            from ..reach.routes import Routes  # imported late: most operators set no such way

            self._connections = Routes(settings)
        self._heard = log.hears("debug")
        self._deadlines = Deadlines()

    async def send(
        self, request: Request, address: Address, seconds: float, report: Callable[[str], None] = lambda _: None
    ) -> Response:
        """Send a request and return the response. Raise Failure if no usable response comes within `seconds`.

        `report` is called with "sent", "headers" and "body" once the request, the header fields and the body have been
        transferred.
        """
        with Exchange(request, address, self._heard) as seen:
            answer = await self._answer(request, address, seconds, report, seen)
            seen.answered(answer)
            return answer

    async def _answer(
        self, request: Request, address: Address, seconds: float, report: Callable[[str], None], seen: Exchange
    ) -> Response:
        leaving, body = SendRecord(report), _Body(self._shares, max(BEGINNING, 2 * self._settings.sizes.shown))
        seen.reads(body)
        deadline = self._deadlines.within(seconds)
        try:
            with deadline:
                fields = [*request.fields, *sender_fields(request, self.agent, seen.fields)]
                return await self._exchange(request, address, fields, leaving, report, body)
        except TimeoutError as late:
            # Each event or line of a stream is complete by itself. Half of a JSON document is useless.
            if deadline.expired and body.streams:
                began = body.response()
                began.late = _said(seconds)
                return began
            if deadline.expired:
                reason = f"{address.authority} gave no complete answer within {_said(seconds)}"
                if not leaving.done:
                    from .operator_hints import proxy  # imported late: most requests succeed

                    reason += proxy(self._settings, address)
                raise Failure(reason, leaving.done, "late") from None
            raise Failure(_reason(late, address), leaving.done) from None
        except Unwritable:
            raise Failure("a header field of the request cannot be sent", sent=False) from None
        except BadCoding as reason:
            end = "coding" if reason.is_lasting else ""
            raise Failure(f"the answer of {address.authority} {reason}", leaving.done, end) from None
        except (aiohttp.ClientError, OSError, ValueError, EOFError) as problem:
            raise self._failure(problem, address, leaving) from None

    async def close(self) -> None:
        await self._connections.close()

    def _failure(self, problem: BaseException, address: Address, leaving: SendRecord) -> Failure:
        """Return the failure for an exception of the HTTP library, with the setting that may be missing."""
        from . import operator_hints  # imported late: most requests succeed

        reason = _reason(problem, address)
        if isinstance(problem, aiohttp.ClientConnectorError):
            reason += operator_hints.proxy(self._settings, address)
        if refusal := operator_hints.certificate(problem, self._settings):
            return Failure(reason + refusal, sent=False)  # the upstream reads no request without the certificate
        return Failure(reason, leaving.done, _end(problem, leaving))

    async def _exchange(
        self,
        request: Request,
        address: Address,
        fields: list[Field],
        leaving: SendRecord,
        report: Callable[[str], None],
        body: _Body,
    ) -> Response:
        answer = await self._connections.ask(request, address, fields, leaving)
        try:
            report("headers")
            began = body.begin(answer)
            limit = self._settings.sizes.kept if 200 <= began.status < 300 else min(OWN, LIMIT)
            if (transfer := began.header("transfer-encoding")) not in ("", "chunked"):
                refuse_transfer_coding(transfer)
            coding = began.header("content-encoding")
            content, decoded = answer.content, undoing(coding, limit, body.take)
            while not content.at_eof():
                piece = await content.readany()
                body.received += len(piece)
                decoded.feed(piece)
                if decoded.full or body.full:
                    break
            else:
                if coding:
                    decoded.finish(may_be_empty=_may_be_empty(request.method, began.status))
                body.cut = False
            report("body")
            return body.response()
        finally:
            answer.close()


class _Body:
    """Body of a response while it is being received.

    `cut` stays True until the end of the body was read. `received` counts the bytes received, before decoding. A small
    body that comes in one piece is stored without a `Spool` (buffer that can move to a file).
    """

    __slots__ = ("_answer", "_beginning", "_piece", "_shares", "_spool", "cut", "full", "received")

    def __init__(self, shares: Shares, beginning: int) -> None:
        """Create an empty body. Of a body in a file, `response` reads only the first `beginning` bytes."""
        self._shares = shares
        self._beginning = beginning
        self._answer: Response | None = None
        self._piece = b""
        self._spool: Spool | None = None
        self.cut = True
        self.full = False
        self.received = 0

    @property
    def began(self) -> bool:
        """Return whether status and header fields of the response were received."""
        return self._answer is not None

    @property
    def expected(self) -> int | None:
        """Return the Content-Length of the response, or None if it has none."""
        length = self._answer.header("content-length").strip() if self._answer is not None else ""
        return int(length) if length.isascii() and length.isdigit() and len(length) <= _LONGEST_LENGTH else None

    def begin(self, answer: Answer) -> Response:
        found = self._answer = Response(answer.status, answer.reason or "", [*answer.headers.items()])
        return found

    def take(self, data: bytes) -> None:
        if not data:
            return  # an empty piece only marks the end of the body
        if self._spool is None and not self._piece and len(data) <= min(_SMALL, LIMIT):
            self._piece = data
            return
        try:
            self._spooled().write(data)
        except OSError:  # OSError: the disk is full
            self.full = True

    def _spooled(self) -> Spool:
        if self._spool is None:
            self._spool = Spool(LIMIT, self._shares, own=OWN)
            self._spool.write(self._piece)
            self._piece = b""
        return self._spool

    @property
    def streams(self) -> bool:
        """Return whether an incomplete body is still useful.

        That is so for a successful response in a format of separate parts, such as server-sent events or JSON lines.
        """
        some = self._piece if self._spool is None else self._spool.size
        if self._answer is None or not some or not 200 <= self._answer.status < 300:
            return False
        return bool(_STREAM.fullmatch(self._answer.media_type))

    def response(self) -> Response:
        """Return the response with the part of the body received so far. `begin` must have been called."""
        found = self._answer
        assert found is not None
        found.cut = self.cut
        if self._spool is None:
            found.content = self._piece
        elif self._spool.in_file:
            found.content, found.spool = self._spool.read(0, self._beginning), self._spool
        else:
            found.content, found.held = self._spool.read(0, LIMIT), self._spool
        return found


def _may_be_empty(method: str, status: int) -> bool:
    """Return True if a response whose header states a content coding may nevertheless have an empty body (RFC 9110,
    sections 9.3.2 and 15).

    This includes every error response, because the status of an error matters more than a lost body.
    """
    return method == "HEAD" or not 200 <= status < 300 or status in (204, 205)


def _end(problem: BaseException, leaving: SendRecord) -> str:
    """Return how the connection ended, as one of the values of `Failure.end`."""
    if isinstance(problem, aiohttp.ClientConnectorError):
        refused = isinstance(problem.os_error, ConnectionError) or problem.os_error.errno in _FULL
        return "refused" if refused else ""
    if not isinstance(problem, _CLOSED):
        return ""
    return "stale" if leaving.reused else "closed"


def _said(seconds: float) -> str:
    """Return a duration as text, rounded to tenths of a second and at least 0.1."""
    tenths = max(round(seconds, 1), 0.1)
    return f"{tenths:g} second{'' if tenths == 1 else 's'}"


def _reason(problem: BaseException, address: Address) -> str:
    """Return a clause that describes an exception of the HTTP library."""
    text = next((text for kinds, text in _REASONS if isinstance(problem, kinds)), _REASONS[-1][1])
    if text == _UNREACHED and isinstance(getattr(problem, "os_error", None), ConnectionRefusedError):
        text = "{} refused the connection"
    if text == _UNREACHED and getattr(problem, "errno", 0) in _FULL:
        text = "this server has too few descriptors left for a connection to {}"
    return text.format(address.authority)
