# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data classes that describe how an access token is fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..text.folded_names import fold

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import Any, Protocol, TypeAlias

    from ..delegation.delegation_settings import Delegation
    from ..request.request import Request
    from ..tables import table
    from .origins import Endpoint

    Send: TypeAlias = Callable[[Request, Any], Awaitable[Any]]

    class UserTokens(Protocol):
        """Interface of the source of access tokens that uses a user's login (login.renewal.Renewal)."""

        async def token(self, send: Send) -> dict[str, Any]:
            """Return a token response (RFC 6749, section 5.1).

            Raise LoginNeeded if the user must log in, and NotReady if no token can be obtained now.
            """


class TokenRequest:
    """Data for fetching an access token with the given `scopes`, in one of three ways.

    - `user`: object that gets the token by a user's stored login, or None.
    - `login`: request whose response contains the token, or None.
    - Without both, the token is fetched by client credentials (RFC 6749 section 4.4).

    `variables` are the environment variables of the credentials. `put(request, token)` attaches the token to a request.
    """

    __slots__ = ("client_id", "client_secret", "endpoint", "login", "put", "scopes", "user", "variables")

    def __init__(
        self,
        endpoint: Endpoint,
        client_id: str,
        client_secret: str,
        scopes: tuple[str, ...],
        variables: list[str],
        login: Login | None = None,
        put: Callable[[Request, str], None] | None = None,
    ) -> None:
        self.login = login
        self.user: UserTokens | None = None
        self.put = put or set_token
        self.endpoint = endpoint
        self.client_id = client_id
        self.client_secret = client_secret
        self.scopes = scopes
        self.variables = variables


class CallerCredential:
    """Data for obtaining the credential of a caller: by `delegation`, with the scopes of the operation.

    `put(request, token)` attaches the credential to a request. The object holds no credential itself.
    """

    __slots__ = ("delegation", "put", "scopes")

    def __init__(
        self, delegation: Delegation, scopes: tuple[str, ...], put: Callable[[Request, str], None] | None = None
    ) -> None:
        self.delegation = delegation
        self.scopes = delegation.scopes or scopes
        self.put = put or set_token


class Login:
    """Request that logs the server in at the API: media type and fields of its body.

    `token`: JSON Pointer to the token in the response. `expires`: JSON Pointer to the token's lifetime in seconds,
    or "" if `bindings.json` has no such pointer.
    """

    __slots__ = ("content_type", "expires", "fields", "token")

    def __init__(self, described: table.Login, values: dict[str, str]) -> None:
        """Prepare the login request. `described`: the scheme's `login` entry in `bindings.json`.

        `values` maps roles (such as `password`) to credentials.
        """
        self.content_type = described["contentType"]
        self.token = described["token"]
        self.expires = described.get("expires", "")
        self.fields = {
            name: values[each["role"]] if "role" in each else each["value"]
            for name, each in described["fields"].items()
        }


def set_token(request: Request, token: str) -> None:
    """Attach a bearer token (RFC 6750) to the request."""
    set_field(request, "Authorization", f"Bearer {token}")


def set_field(request: Request, name: str, value: str) -> None:
    """Set a header field, replacing fields of the same name."""
    if request.headers:
        known = fold(name)
        request.headers = [field for field in request.headers if fold(field[0]) != known]
    request.headers.append((name, value))


def set_pair(pairs: list[str], name: str, value: str) -> None:
    """Set a pair `name=value` of a query or of cookies, replacing pairs of the same name."""
    known = fold(name)
    pairs[:] = [*(pair for pair in pairs if fold(pair.partition("=")[0]) != known), f"{name}={value}"]
