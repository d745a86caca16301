# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Where access tokens are fetched, as an OpenID provider says itself (OpenID Connect Discovery 1.0, section 4).

Asked only where a client's id and secret are set, once, without any credential. What it names is held to the rules of a
token URL that the API's description names: TLS, and no address inside the network's own plumbing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import jsontext
from ..request.request import Request
from .client import Failure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..settings.origins import Discovery, Endpoint
    from ..text.addresses import Address
    from .exchange import Response

    Send = Callable[[Request, Address], Awaitable[Response]]

LARGEST_ANSWER = 256 * 1024


class Undiscovered(Exception):
    """No token endpoint was found; the message is a sentence for the operator."""


# Decision 0073: OpenID Connect is looked up once.
async def discover(place: Discovery, send: Send) -> Endpoint:
    """The token endpoint. Raises Undiscovered."""
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
    """An absolute URL, where the provider's metadata has one."""
    if answer.cut or len(answer.content) > LARGEST_ANSWER:
        return None
    try:
        found, _ = jsontext.loads(answer.content.decode())
    except ValueError:
        return None
    url = found.get("token_endpoint") if isinstance(found, dict) else None
    return url if isinstance(url, str) and "://" in url else None
