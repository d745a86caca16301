"""Fetch an http(s) URL. This is the only module of the compiler that opens a socket.

The HTTP library alone would apply its timeout to each read, follow redirects anywhere, and decompress without a limit.
So this module has a deadline for the whole fetch, a rule for redirects, and a decoder with a size limit.

Content codings (RFC 9110, section 8.4.1) are undone in small steps, because the library decompresses whole chunks
before their size can be checked: 5 kB that were compressed twice by gzip become 3 GB.
"""

import os
import time
from typing import TYPE_CHECKING, Self

from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped
from mcpgen.base.source_urls import fetch_headers, is_same_origin, without_secrets
from mcpgen.model.options import Options
from mcpgen.read.document import budgets
from mcpgen.read.fetch.redirects import STATUSES, resolve_redirect

if TYPE_CHECKING:
    import httpx
import zlib
from collections.abc import Iterator, Sequence

from mcpgen.read.document.budgets import too_large

_ACCEPTED = "gzip, deflate"
"""The value of Accept-Encoding: codings that a server may choose from."""

_GZIP, _ZLIB, _RAW = 31, 15, -15
_MEMBER = b"\x1f"
"""First byte of a further member of a gzip stream. Any other byte after a member is padding, which is ignored."""

_STEP = 64 * 1024
"""How many bytes a decoder passes to the next decoder at a time."""

_MOST_LAYERS = 4
_MOST_MEMBERS = 10_000
"""Limit on the members of one gzip stream (RFC 1952, section 2.2).

Empty members take time but yield no bytes to count.
"""


class Decoder:
    """Decoder for the content of one HTTP response. The input and the output of each coding are limited to `limit`
    bytes.
    """

    def __init__(self, codings: Sequence[str], limit: int, url: str) -> None:
        """Prepare decoders for the values of Content-Encoding, in the order of the header field.

        Raises FatalError for a coding that was not requested.
        """
        named = [coding.strip().lower() for coding in codings]
        layers = [coding for coding in named if coding not in ("", "identity")]
        if len(layers) > _MOST_LAYERS or not {*layers} <= {"gzip", "x-gzip", "deflate"}:
            raise _unreadable_answer(url, "has a Content-Encoding that mcpgen did not request")
        self._url = url
        self._limit = limit
        self._size = 0
        self._layers = [_Layer(coding, limit, url) for coding in reversed(layers)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of `data`, the next bytes of the content. Raises FatalError above the limit."""
        self._size += len(data)
        if self._size > self._limit:
            raise too_large(self._url)
        yield from _decode_through(self._layers, data)

    def finish(self) -> None:
        """Check that the content is complete. Raises FatalError if a compressed stream has not ended."""
        if not all(layer.is_complete for layer in self._layers):
            raise _unreadable_answer(self._url, "is compressed, and ends too early")


class _Layer:
    """Decoder for one content coding."""

    def __init__(self, coding: str, limit: int, url: str) -> None:
        self._coding = coding
        self._left = limit
        self._url = url
        self._members = 0
        self._stream: zlib._Decompress | None = None

    @property
    def is_complete(self) -> bool:
        """Return True if the compressed stream has begun and ended."""
        return self._stream is not None and self._stream.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of `data`."""
        while data:
            if self._stream is None or self._stream.eof:
                if self._stream is not None and (self._coding == "deflate" or data[:1] != _MEMBER):
                    return
                self._stream = self._begin_member(data)
            for piece in self._inflate(self._stream, data):
                self._left -= len(piece)
                if self._left < 0:
                    raise too_large(self._url)
                yield piece
            data = self._stream.unused_data

    def _begin_member(self, data: bytes) -> "zlib._Decompress":
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise _unreadable_answer(self._url, f"is compressed in more than {_MOST_MEMBERS:,} pieces")
        return zlib.decompressobj(self._window(data))

    def _inflate(self, stream: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
        """Yield the decoded content of one member of the stream, as far as `data` holds it.

        If a step fills the output buffer, the decoder may hold more output, even if it has consumed all of `data`. So
        another step follows.
        """
        full = False
        while data or full:
            try:
                piece = stream.decompress(data, _STEP)
            except zlib.error:
                raise _unreadable_answer(self._url, "is not compressed as its Content-Encoding says") from None
            yield piece
            data, full = stream.unconsumed_tail, len(piece) == _STEP
            if stream.eof:
                return

    def _window(self, data: bytes) -> int:
        if self._coding != "deflate":
            return _GZIP
        # Some servers omit the zlib header that the standard demands. The low bits of the first byte tell whether there
        # is a header.
        return _ZLIB if data[0] & 0x0F == 8 else _RAW


# A timeout for each read would begin again with every few bytes of a slow host.
SECONDS = 30.0
"""Deadline of one fetch, in seconds: name lookup, connections, redirects and the whole response."""

ALL_SECONDS = 120.0
"""Deadline of all fetches of one run together, in seconds."""

_MOST_REDIRECTS = 3
_HEADERS = {"Accept": "application/json, application/yaml, */*", "Accept-Encoding": _ACCEPTED}


class Network:
    """Network access of one run of mcpgen: allowed redirects, headers, and the seconds that are left."""

    def __init__(
        self,
        allowed: tuple[str, ...] = (),
        headers: tuple[str, ...] = (),
        home: str = "",
        certificate: tuple[str | None, str | None] = (None, None),
    ) -> None:
        """Set up the network access of one run of mcpgen.

        `allowed`: values of --allow-redirect. `headers`: values of --fetch-header. `certificate`: those of --fetch-cert
        and --fetch-key. Only the origin of `home`, the source for which they were given, gets headers and certificate.
        """
        self._allowed = allowed
        self._headers = headers
        self._home = home
        self._certificate = certificate
        self._left = ALL_SECONDS

    @classmethod
    def of(cls, options: Options, home: str) -> Self:
        """Return the network access for a run with these options. `home`: the source that the run fetches."""
        return cls(options.allow_redirect, options.fetch_header, home, (options.fetch_cert, options.fetch_key))

    def download(self, url: str) -> tuple[bytes, str]:
        """Return the bytes at `url`, and the base URL for relative URLs in the document.

        The base URL stays on the server of `url`, even if a flag allowed a redirect to another server. Raises
        FatalError if the server sends no document, or on a missed deadline.
        """
        import asyncio  # imported late, because the import is slow

        began, seconds = time.monotonic(), min(SECONDS, self._left)
        try:
            return asyncio.run(self._download_within(url, seconds))
        finally:
            self._left = max(0.0, self._left - (time.monotonic() - began))

    async def _download_within(self, url: str, seconds: float) -> tuple[bytes, str]:
        import asyncio  # imported late, because the import is slow

        try:
            async with asyncio.timeout(seconds):
                return await self._follow(url)
        except TimeoutError:
            raise _deadline_error(url, seconds) from None
        except FatalError:
            raise
        except Exception as error:  # catch all: the errors of httpx have many classes, and can be exception groups
            cause, hint = _explain(error)
            raise FatalError(
                "unreadable", f"{without_secrets(url)} could not be fetched: {cause}.", hint=hint
            ) from None

    async def _follow(self, url: str) -> tuple[bytes, str]:
        """Fetch `url`, following allowed redirects. Return the document's bytes and its base URL."""
        at = base = url
        on_own_server = True
        for _ in range(_MOST_REDIRECTS + 1):
            async with (
                self._client(at) as client,
                client.stream("GET", at, headers=self._headers_for(at), follow_redirects=False) as response,
            ):
                location = response.headers.get("Location")
                if response.status_code not in STATUSES or location is None:
                    return await _read_content(response, without_secrets(at)), base
            redirect = resolve_redirect(at, location, self._allowed)
            at, on_own_server = redirect.url, on_own_server and redirect.is_own
            base = at if on_own_server else base
        raise FatalError(
            "unreadable",
            f"{without_secrets(url)} redirects more than {_MOST_REDIRECTS} times.",
            hint="Open the URL in a browser, and use the URL at which it arrives.",
        )

    def _client(self, url: str) -> "httpx.AsyncClient":
        """Return a client for one request. Only a client for the origin of `home` has the certificate."""
        import httpx  # imported late: takes a tenth of a second, and a run that reads only files does not need it

        context = httpx.create_ssl_context(trust_env=True)
        if any(self._certificate) and is_same_origin(url, self._home):
            files = _certificate_files(*self._certificate)
            try:
                context.load_cert_chain(*files)
            except (OSError, ValueError):
                message = f"The client certificate that {self._certificate[0]} names cannot be used."
                hint = "The file must hold a certificate in PEM; its key may be in the file of --fetch-key."
                raise FatalError("unreadable", message, hint=hint) from None
        # The client's own timeout applies to each read. It is longer than the deadline of the fetch, so the deadline is
        # reached first.
        return httpx.AsyncClient(timeout=2 * SECONDS, trust_env=True, verify=context)

    def _headers_for(self, url: str) -> dict[str, str]:
        """Return the header fields for a request to `url`.

        Raises FatalError if the environment variable for a value is unset or unusable.
        """
        if not self._headers or not is_same_origin(url, self._home):
            return _HEADERS
        return {**_HEADERS, **fetch_headers(self._headers, url)}


def _certificate_files(certificate: str | None, key: str | None) -> tuple[str, str | None, str]:
    """Return the files of a client certificate and of its key, and the passphrase of the key.

    `certificate` and `key`: the values of --fetch-cert and --fetch-key, which name environment variables. Raises
    FatalError if a variable is not set.
    """
    found = []
    for flag, variable in (("--fetch-cert", certificate), ("--fetch-key", key)):
        path = os.environ.get(variable, "").strip() if variable else None
        if not path and (variable or flag == "--fetch-cert"):
            unset = f"The variable {clipped(variable)}, which {flag} names, is not set." if variable else ""
            hint = "Set a variable to the path of the PEM file, and name it."
            raise FatalError("invalid-flag", unset or f"{flag} is missing.", hint=hint)
        found.append(path)
    return found[0] or "", found[1], os.environ.get(f"{key or certificate}_PASSWORD", "")


async def _read_content(response: "httpx.Response", url: str) -> bytes:
    """Return the decoded content of a response.

    Raises FatalError if the status is not 200, or if the content has more than `budgets.BYTES` bytes.
    """
    if response.status_code != 200:
        message = f"{url} answered with status {response.status_code}."
        raise FatalError("unreadable", message, hint="Open the URL in a browser to see the reason.")
    decoder = Decoder(response.headers.get_list("Content-Encoding", split_commas=True), budgets.BYTES, url)
    data = bytearray()
    async for chunk in response.aiter_raw():
        for piece in decoder.feed(chunk):
            data += piece
    decoder.finish()
    return bytes(data)


def _explain(error: BaseException) -> tuple[str, str]:
    """Return why no connection could be made, and what to do. The causes are inside the errors of httpx."""
    import ssl  # imported late: only for a failed fetch

    causes: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and each not in causes:
        causes.append(each)
        each = each.__cause__ or each.__context__
    if any(isinstance(each, ssl.SSLCertVerificationError) for each in causes):
        hint = "If an authority of your own has issued it, name the file of its certificates in SSL_CERT_FILE."
        return "its certificate is not trusted", hint
    if any(isinstance(each, ssl.SSLError) for each in causes):
        hint = "If the server wants a client certificate, give --fetch-cert, and --fetch-key for its key."
        return "no secure connection could be made", hint
    if any(type(each).__name__ == "gaierror" for each in causes):  # by name, since no module imports `socket`
        return "the name of its host is not known", "Check the URL. Behind a proxy, set HTTPS_PROXY or HTTP_PROXY."
    if any(isinstance(each, ConnectionRefusedError) for each in causes):
        return "its host refused the connection", "Check the URL, and whether the server runs."
    return type(error).__name__, "Check the URL and the network."


def _deadline_error(url: str, seconds: float) -> FatalError:
    url = without_secrets(url)
    message = f"{url} was not fetched within {seconds:g} seconds."
    if seconds < SECONDS:
        message = f"{url} was not fetched: all the URLs of one run must be fetched within {ALL_SECONDS:g} seconds."
    return FatalError(
        "unreadable", message, hint="Download the document, and name the downloaded file instead of the URL."
    )


def refuse_login(url: str) -> None:
    """Raise FatalError for a URL with user and password, because messages repeat URLs and the lock records them."""
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise FatalError(
            "unreadable",
            "The URL of the document holds a user name or a password.",
            hint=(
                "Download the document and name that file, or send the password in a header: --fetch-header "
                "NAME=VARIABLE."
            ),
        )


# -- content codings ---------------------------------------------------------------------------------------------------


def _decode_through(layers: list[_Layer], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    for piece in layers[0].feed(data):
        yield from _decode_through(layers[1:], piece)


def _unreadable_answer(url: str, what: str) -> FatalError:
    """Return the error for an unreadable response from `url`. `what`: predicate of the message, such as "is not
    compressed".
    """
    return FatalError(
        "unreadable",
        f"The answer of {url} {what}.",
        hint="Download the document, and name the downloaded file instead of the URL.",
    )
