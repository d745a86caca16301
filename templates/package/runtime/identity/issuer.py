# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fetch and renew the keys and metadata of one authorization server (RFC 8414, OpenID Connect Discovery).

Requests to the server have the limits of all requests: no redirects, deadlines, maximum sizes.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..core import jsonrpc, log
from ..http.client import Client, Failure
from ..oauth import well_known
from ..request.request import Request
from ..settings.credentials import client_login
from ..settings.origins import Endpoint
from ..text.addresses import parse, parse_endpoint
from . import signed_tokens
from .problems import InvalidToken, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..http_server.callers import Introspection
    from ..text.addresses import Address
    from .signed_tokens import Key


SECONDS = 10.0
"""Seconds that one request to an authorization server may take."""

LARGEST_METADATA = 64 * 1024
LARGEST_KEYS = 256 * 1024


class Unfetched(Exception):
    """No usable response came. The message is for the operator, and ends a sentence that begins with the issuer."""


async def get(client: Client, endpoint: Endpoint, most: int) -> dict[str, Any]:
    """Return the JSON object that a GET request to `endpoint` gets.

    Raise Unfetched if the request gets none, or more than `most` bytes.
    """
    request = Request("GET", endpoint.target, template=endpoint.target.partition("?")[0])
    request.headers = [("Accept", "application/json")]
    return await _sent(client, request, endpoint, most)


async def post(client: Client, endpoint: Endpoint, form: bytes, login: Introspection) -> dict[str, Any]:
    """Post a form with the client's credentials (RFC 6749 section 2.3.1), and return the JSON object in the response.

    Raise Unfetched if there is no usable response.
    """
    request = Request("POST", endpoint.target, template=endpoint.target.partition("?")[0])
    request.headers = [
        ("Accept", "application/json"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Authorization", f"Basic {client_login(login.client_id, login.secret)}"),
    ]
    request.body = form
    return await _sent(client, request, endpoint, LARGEST_METADATA)


async def _sent(client: Client, request: Request, endpoint: Endpoint, most: int) -> dict[str, Any]:
    address = endpoint.address
    try:
        answer = await client.send(request, address, SECONDS)
    except Failure as failure:
        if not failure.closed:
            raise Unfetched(f"gave no answer: {failure.reason}") from None
        try:
            answer = await client.send(request, address, SECONDS)
        except Failure as again:
            raise Unfetched(f"gave no answer: {again.reason}") from None
    if answer.status != 200:
        raise Unfetched(f"answered with HTTP {answer.status}")
    if answer.cut or len(answer.content) > most:
        raise Unfetched(f"answered with more than {most // 1024} KiB")
    try:
        value, _ = jsonrpc.loads(answer.content.decode())
    except ValueError:
        raise Unfetched("answered with something else than JSON") from None
    if not isinstance(value, dict):
        raise Unfetched("answered with something else than a JSON object")
    return value


# Google and Entra publish keys on another host than the issuer, so one origin cannot be required
# (docs/decisions/identity.md).
def endpoint_of(issuer: Address, url: object, name: str) -> Endpoint:
    """Return the endpoint that an issuer's metadata give as `url`. `name` is the metadata field, for the error.

    Raise Unfetched if the URL must not be used. On the issuer's own origin any path is accepted. Elsewhere the URL
    needs https and a public host.
    """
    if not isinstance(url, str):
        raise Unfetched(f"has no {name} in its metadata")
    try:
        address, target = parse_endpoint(url)
    except ValueError:
        raise Unfetched(f"has no usable {name} in its metadata") from None
    if address.origin != issuer.origin and (address.scheme != "https" or address.loopback or _is_internal(address)):
        raise Unfetched(f"names a {name} that this server does not ask: another host needs https and a public address")
    return Endpoint(address, target)


def _is_internal(address: Address) -> bool:
    """Return True if the host is an IP address that is not public, or a cloud metadata service."""
    if address.forbidden:
        return True
    if not address.is_literal:
        return False
    from ipaddress import ip_address  # imported late: few hosts are IP addresses

    return not ip_address(address.host).is_global


BETWEEN_FETCHES = 30.0
"""Seconds between two fetches of an issuer's keys because of an unknown key id (`kid`)."""

RENEWAL = 600.0
"""Seconds after which keys are fetched again, to notice that the issuer withdrew one."""

PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds between attempts to reach an issuer for the first time. The last value repeats."""

_UNKNOWN = "The access token is signed by no key that its issuer publishes."
AWAY = "The authorization server of this access token cannot be asked now. Come again in a moment."


class Issuer:
    """One authorization server. `changed` is called whenever a key was withdrawn or replaced.

    - `name`: the issuer as tokens name it. `loaded`: whether its metadata and keys were fetched at least once.
    - `introspection`: its introspection endpoint; None before the metadata was fetched, or if tokens are not
      introspected.
    """

    def __init__(
        self, name: str, client: Client, clock: Callable[[], float], changed: Callable[[str], None], opaque: bool
    ) -> None:
        """Store the settings for one issuer. Nothing is fetched yet.

        `clock` returns monotonic seconds. `opaque` is whether tokens are introspected at this issuer.
        """
        self.name = name
        self.loaded = False
        self.introspection: Endpoint | None = None
        self._address = parse(name)
        self._client = client
        self._clock = clock
        self._changed = changed
        self._opaque = opaque
        self._keys: list[Key] = []
        self._fetching: asyncio.Task[None] | None = None
        self._next_unknown = self._renewal = 0.0
        self._failed = False
        self._tried = asyncio.Event()

    async def load(self) -> None:
        """Fetch metadata and keys. Raise Unfetched if the issuer gives no usable answer."""
        metadata = await self._metadata()
        introspection = None
        if self._opaque:
            introspection = endpoint_of(self._address, metadata.get("introspection_endpoint"), "introspection_endpoint")
        found: list[Key] = []
        if not self._opaque or "jwks_uri" in metadata:
            place = endpoint_of(self._address, metadata.get("jwks_uri"), "jwks_uri")
            found = signed_tokens.keys(await get(self._client, place, LARGEST_KEYS))
            if not found and not self._opaque:
                raise Unfetched("publishes no key that is accepted here")
        withdrawn = {each.value for each in self._keys} - {each.value for each in found}
        self.introspection, self._keys, self.loaded = introspection, found, True
        self._renewal = self._clock() + RENEWAL
        if withdrawn:
            self._changed(self.name)

    async def load_until_done(self) -> None:
        """Fetch metadata and keys, and repeat this until it succeeds. Failures are logged."""
        attempt = 0
        while not self.loaded:
            try:
                await self.load()
            except Unfetched as reason:
                self.report(reason)
                self._tried.set()
                await asyncio.sleep(PAUSES[min(attempt, len(PAUSES) - 1)])
                attempt += 1
        self._tried.set()

    async def started(self) -> None:
        """Wait for the first attempt to reach the issuer. Raise Unavailable if the issuer was not reached."""
        if not self.loaded:
            with suppress(TimeoutError):
                async with asyncio.timeout(SECONDS):
                    await self._tried.wait()
        if not self.loaded:
            raise Unavailable(AWAY, 5)

    async def key(self, algorithm: str, kid: str) -> Key:
        """Return the published key that the header of a token names.

        Raise InvalidToken if the issuer publishes no such key, and Unavailable if its keys cannot be fetched.
        """
        await self.started()
        if self._clock() >= self._renewal and self._fetching is None:
            self._renewal = self._clock() + BETWEEN_FETCHES
            self._fetch()
        found = self._find(algorithm, kid)
        if found is None:
            await self._fetch_unknown()
            found = self._find(algorithm, kid)
        if found is None:
            raise Unavailable(AWAY, 5) if self._failed else InvalidToken(_UNKNOWN)
        return found

    def report(self, reason: Unfetched) -> None:
        """Log the reason why the issuer gave no usable answer."""
        log.event("warning", "issuer_away", issuer=self.name, reason=f"The issuer {reason}.")

    async def close(self) -> None:
        """Cancel the current fetch of metadata and keys, if there is one."""
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.gather(self._fetching, return_exceptions=True)

    def _find(self, algorithm: str, kid: str) -> Key | None:
        """Return the key for `algorithm` that has the id `kid`, or None if there is none.

        If `kid` is "", return the only key for `algorithm`, or None if there are several or none.
        """
        fitting = [each for each in self._keys if each.fits(algorithm)]
        if kid:
            return next((each for each in fitting if each.kid == kid), None)
        return fitting[0] if len(fitting) == 1 else None

    async def _fetch_unknown(self) -> None:
        """Fetch the keys because a key id is unknown, unless that was done a moment ago.

        Concurrent calls share one fetch.
        """
        if self._fetching is None:
            if self._clock() < self._next_unknown:
                return
            self._next_unknown = self._clock() + BETWEEN_FETCHES
            self._fetch()
        if self._fetching is not None:
            await asyncio.wait({self._fetching})

    def _fetch(self) -> None:
        self._fetching = asyncio.get_running_loop().create_task(self._renew())

    async def _renew(self) -> None:
        try:
            await self.load()
            self._failed = False
        except Unfetched as reason:
            self._failed = True
            self.report(reason)
        finally:
            self._fetching = None

    async def _metadata(self) -> dict[str, Any]:
        """Return the issuer's metadata, from the first URL that has any.

        Raise Unfetched with the reason of the first failure.
        """
        address, problem = self._address, None
        for target in well_known.targets(address.path):
            try:
                found = await get(self._client, Endpoint(parse(address.origin), target), LARGEST_METADATA)
            except Unfetched as reason:
                problem = problem or reason
                continue
            if found.get("issuer") != self.name:
                raise Unfetched("has metadata that names another issuer")
            return found
        raise problem or Unfetched("has no metadata")
