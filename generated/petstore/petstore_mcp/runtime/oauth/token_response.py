# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the response of a token endpoint (RFC 6749 sections 5.1 and 5.2).

The endpoint is not trusted: sizes are limited, and error messages repeat only standard error codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import jsonrpc
from ..text import fields

if TYPE_CHECKING:
    from typing import Protocol

    class Response(Protocol):
        """Interface of an HTTP response (http.exchange.Response)."""

        cut: bool
        content: bytes

        @property
        def fields(self) -> list[tuple[str, str]]:
            """Header fields in the order received."""

        def header(self, name: str) -> str:
            """Return all values of a header field, joined; "" if the field is absent."""


LARGEST = 64 * 1024
"""Largest response of a token endpoint, in bytes."""

LONGEST = 16 * 1024
"""Longest token in characters. Servers accept header fields of 8 to 16 KiB."""

LONGEST_LIFE = 10 * 365 * 86400.0
"""Maximum lifetime of a token in seconds. A longer lifetime is reduced to it."""

CODES = frozenset(
    (
        *("invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type"),
        *("invalid_scope", "invalid_target", "server_error", "temporarily_unavailable", "access_denied"),
        *("unsupported_response_type", "authorization_pending", "slow_down", "expired_token"),
        *("invalid_redirect_uri", "invalid_client_metadata", "interaction_required", "login_required"),
        *("account_selection_required", "consent_required"),
    )
)
"""Error codes of RFC 6749, RFC 7591, RFC 8628, RFC 8693 and OpenID Connect."""


def content(response: Response, largest: int = LARGEST) -> dict[str, Any]:
    """Return the JSON object of a response; {} if the response is not a JSON object, or larger than `largest` bytes."""
    if response.cut or len(response.content) > largest:
        return {}
    try:
        value, _ = jsonrpc.loads(response.content.decode())
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def error_code(answer: dict[str, Any]) -> str:
    """Return the error code of a response's content if a standard defines it, else ""."""
    error = answer.get("error")
    return error if isinstance(error, str) and error in CODES else ""


def access_token(answer: dict[str, Any]) -> str:
    """Return the bearer token of a response's content.

    Raise ValueError if there is none that can be sent. The caller puts the name of the server that responded before
    the error message.
    """
    token, kind = answer.get("access_token"), answer.get("token_type", "Bearer")
    if not isinstance(token, str) or not 0 < len(token) <= LONGEST or not fields.is_value(token):
        raise ValueError("answered without an access token that can be sent.")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise ValueError("gave an access token that is no bearer token.")
    return token


def seconds(value: object) -> float | None:
    """Return a lifetime such as `expires_in` in seconds, from 0 to LONGEST_LIFE, or None if `value` is not a number."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:12])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return min(max(float(min(value, LONGEST_LIFE)), 0.0), LONGEST_LIFE)
