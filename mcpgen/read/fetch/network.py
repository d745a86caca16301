"""http(s) URL → bytes. The only module of the compiler that opens a socket.

The HTTP library has a timeout per read, follows redirects anywhere, and inflates without a bound. So all three are done
here: one deadline for a whole fetch, redirects by our rule, and codings under the budget of bytes.
"""

import time
from typing import TYPE_CHECKING

from mcpgen.base.errors import CannotGoOn
from mcpgen.base.source_urls import fetch_headers, is_same_origin, without_secrets
from mcpgen.read.document import budgets
from mcpgen.read.fetch.codings import ACCEPTED, Decoder
from mcpgen.read.fetch.redirects import STATUSES, resolve_redirect

if TYPE_CHECKING:
    import httpx

# Decision 0111: A fetch has one deadline.
SECONDS = 30.0
"""Deadline of one fetch: name look-up, connections, redirects and all of the answer."""

ALL_SECONDS = 120.0
"""Deadline of all fetches of one run together."""

_MOST_REDIRECTS = 3
_HEADERS = {"Accept": "application/json, application/yaml, */*", "Accept-Encoding": ACCEPTED}


class Network:
    """What one run may ask of the network: the servers that redirects may lead to, and the seconds that are left."""

    def __init__(self, allowed: tuple[str, ...] = (), headers: tuple[str, ...] = (), home: str = "") -> None:
        """`allowed` are values of the flag --allow-redirect, `headers` of --fetch-header. The headers are sent to the
        origin of `home`, the source that they were given for, and to no other.
        """
        self._allowed = allowed
        self._headers = headers
        self._home = home
        self._left = ALL_SECONDS

    def download(self, url: str) -> tuple[bytes, str]:
        """Return the bytes at `url`, and the URL that relative ones in them count from. It is on the server that `url`
        names, even where a flag let redirects lead to another.

        CannotGoOn where there is no document, or not within the deadline.
        """
        import asyncio  # as long to load as httpx below

        began, seconds = time.monotonic(), min(SECONDS, self._left)
        try:
            return asyncio.run(self._download_within(url, seconds))
        finally:
            self._left = max(0.0, self._left - (time.monotonic() - began))

    async def _download_within(self, url: str, seconds: float) -> tuple[bytes, str]:
        import asyncio  # see download

        import httpx  # a tenth of a second that runs on files need not spend

        try:
            # The client's own timeout is for each read: the deadline comes before it.
            async with asyncio.timeout(seconds), httpx.AsyncClient(timeout=2 * SECONDS, trust_env=True) as client:
                return await self._follow(client, url)
        except TimeoutError:
            raise _deadline_error(url, seconds) from None
        except CannotGoOn:
            raise
        except Exception as error:  # its own, those of what it stands on, and groups of these
            message = f"{without_secrets(url)} could not be fetched ({type(error).__name__})."
            raise CannotGoOn("unreadable", message, hint="Check the URL and the network.") from None

    async def _follow(self, client: "httpx.AsyncClient", url: str) -> tuple[bytes, str]:
        """Return the document at the end of the redirects from `url`, and the URL it counts from."""
        at = base = url
        on_own_server = True
        for _ in range(_MOST_REDIRECTS + 1):
            async with client.stream("GET", at, headers=self._headers_for(at), follow_redirects=False) as response:
                location = response.headers.get("Location")
                if response.status_code not in STATUSES or location is None:
                    return await _read_content(response, without_secrets(at)), base
            redirect = resolve_redirect(at, location, self._allowed)
            at, on_own_server = redirect.url, on_own_server and redirect.is_own
            base = at if on_own_server else base
        raise CannotGoOn(
            "unreadable",
            f"{without_secrets(url)} redirects more than {_MOST_REDIRECTS} times.",
            hint="Open the URL in a browser.",
        )

    def _headers_for(self, url: str) -> dict[str, str]:
        """Return the header fields of a request to `url`. CannotGoOn where a variable of one cannot be used."""
        if not self._headers or not is_same_origin(url, self._home):
            return _HEADERS
        return {**_HEADERS, **fetch_headers(self._headers, url)}


async def _read_content(response: "httpx.Response", url: str) -> bytes:
    """Return the decoded content of an answer. CannotGoOn where it is no good one, or is over the budget."""
    if response.status_code != 200:
        message = f"{url} answered with status {response.status_code}."
        raise CannotGoOn("unreadable", message, hint="Open the URL in a browser.")
    decoder = Decoder(response.headers.get_list("Content-Encoding", split_commas=True), budgets.BYTES, url)
    data = bytearray()
    async for chunk in response.aiter_raw():
        for piece in decoder.feed(chunk):
            data += piece
    decoder.finish()
    return bytes(data)


def _deadline_error(url: str, seconds: float) -> CannotGoOn:
    url = without_secrets(url)
    message = f"{url} was not fetched within {seconds:g} seconds."
    if seconds < SECONDS:
        message = f"{url} was not fetched: all the URLs of one run have {ALL_SECONDS:g} seconds together."
    return CannotGoOn("unreadable", message, hint="Download the document, and name the file.")


def refuse_login(url: str) -> None:
    """Raise CannotGoOn for a URL with a login: URLs are repeated in messages, and recorded in the lock."""
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise CannotGoOn(
            "unreadable",
            "The URL of the document holds a user name or a password.",
            hint="Download it and name the file, or send them in a header: --fetch-header NAME=VARIABLE.",
        )
