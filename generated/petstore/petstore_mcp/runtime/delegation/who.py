# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Identity of the caller: the person or program on whose behalf a call is made, as far as this server has
checked it.
"""

from __future__ import annotations

import hashlib
import time

from ..core import spans
from ..core.jsonrpc import dumps
from ..settings.settings import NotReady


class CheckedCaller:
    """Checked identity of the caller of one call.

    - `issuer` and `subject` name the caller. Without an authorization server, `issuer` is "" and `subject` the name of
      the caller's static token.
    - `token` is the caller's access token, or "". It is secret, and only sent to the token endpoint of its issuer.
    - `expires` is the end of that token in seconds since 1970.
    """

    __slots__ = ("expires", "issuer", "subject", "token")

    def __init__(self, issuer: str, subject: str, token: str = "", expires: float = float("inf")) -> None:
        self.issuer = issuer
        self.subject = subject
        self.token = token
        self.expires = expires

    @property
    def name(self) -> str:
        """Return `issuer` and `subject` as one unambiguous text, for cache keys and as associated data of
        encryption.
        """
        return dumps([self.issuer, self.subject]).decode()


def who_calls() -> CheckedCaller:
    """Return the caller of the current call.

    Raise NotReady if the caller is unknown, or if the caller's token has expired.
    """
    peer = spans.peer()
    identity = None if peer is None else peer.identity
    subject = "" if identity is None else identity.subject or identity.client
    if identity is not None and subject:
        if identity.expires <= time.time():
            raise NotReady("The access token of the caller has expired.")
        return CheckedCaller(identity.issuer, subject, identity.token, identity.expires)
    if peer is not None and peer.principal:
        return CheckedCaller("", peer.principal)
    raise NotReady("It is done with the rights of whoever calls, and this server does not know who calls.")


def digest(*parts: str) -> str:
    """Return the SHA-256 of several texts in hexadecimal. Different lists of texts have different digests."""
    return hashlib.sha256(dumps(list(parts))).hexdigest()
