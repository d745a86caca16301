# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The caller of an HTTP request, as a checked access token identifies it."""

from __future__ import annotations

import hashlib

from ..core.jsonrpc import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PRINCIPAL = "token:"
"""Prefix of the principal of a caller with an access token. Callers with a static token have a name without a colon."""


class Identity:
    """A caller whose access token was checked (RFC 9068 section 2.2, RFC 7662 section 2.2).

    - `issuer`, `subject`, `client`: `iss`, `sub` and `client_id` (or `azp`) of the token; `client` may be "".
    - `scopes`: what the token allows.
    - `expires`: end of the token in seconds since 1970.
    - `claims`: all claims of the token.
    - `token`: the token as sent. It is a secret: it may go to the token endpoint of its issuer, and nowhere else.
    - `principal`: a digest of issuer, subject and client. Sessions and stored results belong to a principal.
    """

    __slots__ = ("claims", "client", "expires", "issuer", "principal", "scopes", "subject", "token")

    def __init__(
        self,
        issuer: str,
        subject: str,
        client: str,
        scopes: frozenset[str],
        expires: float,
        claims: Mapping[str, object],
        token: str,
    ) -> None:
        self.issuer = issuer
        self.subject = subject
        self.client = client
        self.scopes = scopes
        self.expires = expires
        self.claims = claims
        self.token = token
        self.principal = f"{PRINCIPAL}{hashlib.sha256(dumps([issuer, subject, client])).hexdigest()[:40]}"
