# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fetch JSON from an authorization server, with the limits of all requests: no redirects, deadlines, maximum sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import jsonrpc
from ..http.client import Client, Failure
from ..request.request import Request
from ..settings.credentials import client_login
from ..settings.origins import Endpoint
from ..text.addresses import parse_endpoint

if TYPE_CHECKING:
    from ..http_server.callers import Introspection
    from ..text.addresses import Address

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
