# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Settings for callers with access tokens: authorization servers, audience, scopes, and the endpoint's public URL.

Each function that reads a setting raises ValueError if the value is not valid. The message is the rest of a sentence
that begins with the variable's name; it never contains the value.
"""

from __future__ import annotations

from ..text import addresses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ISSUERS = 16
MOST_SCOPES = 100
LONGEST = 512
ALL = "*"
"""Value of AUTH_FIRST_SCOPES for the scopes of all tools."""

_CLIENT, _OWN_SCOPE = "client:", "scope:"
_SCOPE = frozenset(chr(code) for code in range(0x21, 0x7F)) - set('"\\')


class Introspection:
    """Credentials of this server for the introspection endpoint (RFC 7662 section 2.1): client id and secret.

    `clients` and `scopes`: an introspected token without an audience is accepted only if it belongs to one of these
    clients, or has one of these scopes.
    """

    __slots__ = ("client_id", "clients", "scopes", "secret")

    def __init__(self, client_id: str, secret: str, instead: tuple[str, ...] = ()) -> None:
        """Store the credentials. `instead`: result of `instead_of_audience` for AUTH_INSTEAD_OF_AUDIENCE."""
        self.client_id = client_id
        self.secret = secret
        self.clients = frozenset(each.removeprefix(_CLIENT) for each in instead if each.startswith(_CLIENT))
        self.scopes = frozenset(each.removeprefix(_OWN_SCOPE) for each in instead if each.startswith(_OWN_SCOPE))


def unnamed(prefix: str) -> str:
    """Return the error message for a server whose public URL is not set although it is needed."""
    return (
        f"{prefix}_AUTH_ISSUER needs {prefix}_HTTP_URL, the endpoint's URL as clients use it, such as"
        " https://mcp.example.com/mcp: access tokens are issued for it."
    )


def issuers(value: str) -> tuple[str, ...]:
    """Return the issuers in a comma-separated text, each exactly as written."""
    found = tuple(dict.fromkeys(each.strip() for each in value.split(",") if each.strip()))
    if not found or len(found) > MOST_ISSUERS:
        raise ValueError(f"must hold 1 to {MOST_ISSUERS} URLs of authorization servers, joined by commas")
    for each in found:
        _secured(each, "https://login.example.com")
    return found


def url(value: str) -> str:
    """Return the public URL of this server's MCP endpoint, without a slash at its end."""
    _secured(value, "https://mcp.example.com/mcp")
    return value.rstrip("/")


def host(url: str) -> str:
    """Return the value of the `Host` header in requests to `url` (RFC 9110, 7.2)."""
    return addresses.parse(url).authority


def audiences(value: str) -> frozenset[str]:
    """Return the set of audiences in a comma-separated text. Each access token must be for one of these audiences."""
    return frozenset(text(each.strip()) for each in value.split(",") if each.strip())


def scopes(value: str) -> tuple[str, ...]:
    """Return a tuple of the scopes in a text that separates them by spaces (RFC 6749, 3.3) or commas."""
    found = tuple(dict.fromkeys(value.replace(",", " ").split()))
    if len(found) > MOST_SCOPES or any(not _SCOPE.issuperset(each) or len(each) > LONGEST for each in found):
        raise ValueError("must be scopes such as pets:read, separated by blanks")
    return found


def instead_of_audience(value: str) -> tuple[str, ...]:
    """Return the clients and scopes that stand for an audience, as written: `client:ID` or `scope:NAME`."""
    found = tuple(dict.fromkeys(each.strip() for each in value.split(",") if each.strip()))
    named = [text(each).partition(":") for each in found]
    if len(found) > MOST_SCOPES or not all(f"{kind}:" in (_CLIENT, _OWN_SCOPE) and name for kind, _, name in named):
        raise ValueError("must be client:ID or scope:NAME, joined by commas")
    return found


def claim(value: str) -> str:
    """Return the name of a claim, or a JSON Pointer to the claim (RFC 6901)."""
    return text(value)


def claimed(claims: Mapping[str, object], claim: str) -> object:
    """Return the value of a claim, by its name or by a JSON Pointer (RFC 6901); None if there is none."""
    is_pointer = claim.startswith("/")
    found: object = claims
    for name in claim[1:].split("/") if is_pointer else [claim]:
        step = name.replace("~1", "/").replace("~0", "~") if is_pointer else name
        found = found.get(step) if isinstance(found, dict) else None
    return found


def client_secret(value: str) -> str:
    """Return `value`, the secret of this server's client, if it can be sent."""
    if not (value.isascii() and value.isprintable()):
        raise ValueError("must be printable ASCII characters")
    return value


def text(value: str) -> str:
    """Return `value` if it is a short text of printable characters, else raise ValueError."""
    if len(value) > LONGEST or not value.isprintable():
        raise ValueError(f"must be printable text of at most {LONGEST} characters")
    return value


def _secured(value: str, example: str) -> None:
    """Raise ValueError unless `value` is a URL to which tokens may be sent.

    `example`: a valid URL for the error message.
    """
    try:
        address = addresses.parse(value)
    except ValueError:
        raise ValueError(f"must be a URL such as {example}") from None
    if '"' in value or len(value) > LONGEST:
        raise ValueError(f"must be a URL such as {example}")
    if address.scheme == "http" and not address.loopback:
        raise ValueError("must begin with https://, except on this machine")
