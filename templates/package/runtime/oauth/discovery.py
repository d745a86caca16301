# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Look up the token endpoint in an OpenID provider's metadata (OpenID Connect Discovery 1.0, section 4).

The lookup happens once, without credentials, and only if a client's id and secret are set. The endpoint found must obey
the rules for a token URL in an API description: TLS, and no link-local or cloud metadata address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..http.client import Failure
from ..request.request import Request
from . import token_response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..http.exchange import Response
    from ..settings.origins import Discovery, Endpoint
    from ..text.addresses import Address

    Send = Callable[[Request, Address], Awaitable[Response]]

LARGEST_ANSWER = 256 * 1024


class Undiscovered(Exception):
    """No token endpoint was found. The message is a sentence for the operator."""


# Several large providers have their token endpoint on another host. A table of them would need maintenance forever, so
# its origin must be accepted, or its host allowed.
async def discover(place: Discovery, send: Send) -> Endpoint:
    """Return the token endpoint from the authorization server's metadata document.

    Raise Undiscovered if the document cannot be fetched, or has no token endpoint that may be used.
    """
    request = Request("GET", place.target, template=place.target.partition("?")[0])
    request.headers = [("Accept", "application/json")]
    server = place.address.authority
    try:
        answer = await send(request, place.address)
    except Failure as failure:
        raise Undiscovered(f"The token endpoint could not be looked up: {failure.reason}.") from None
    if answer.status != 200:
        raise Undiscovered(f"{server} did not say where tokens are fetched: HTTP {answer.status}.")
    url = _token_endpoint(answer)
    if url is None:
        raise Undiscovered(f"{server} answered without a token_endpoint.")
    try:
        return place.resolve(url)
    except ValueError as reason:
        raise Undiscovered(f"The token_endpoint that {server} names {reason}.") from None


def _token_endpoint(answer: Response) -> str | None:
    """Return the absolute `token_endpoint` URL of the provider's metadata, or None."""
    url = token_response.content(answer, LARGEST_ANSWER).get("token_endpoint")
    return url if isinstance(url, str) and "://" in url else None
