# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Check the signature of a JSON Web Token with an issuer's keys (RFC 7515, RFC 7517, RFC 8725).

The header of a token only selects one of the issuer's published keys. Keys and URLs in a header (`jwk`, `jku`, `x5u`)
have no effect, and a header with critical extensions is refused. Only algorithms with a private and a public key are
accepted.
"""

from __future__ import annotations

import warnings
from base64 import urlsafe_b64decode
from binascii import Error
from typing import TYPE_CHECKING, Any

from joserfc import jws
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import ECKey, JWKRegistry, OKPKey, RSAKey

from ..core import jsonrpc
from .problems import InvalidToken

if TYPE_CHECKING:
    from collections.abc import Mapping

warnings.filterwarnings("ignore", "EdDSA is deprecated", SecurityWarning)  # most issuers call Ed25519 "EdDSA"

# If HMAC were accepted, attackers could sign tokens with an issuer's public key (docs/decisions/identity.md).
ALGORITHMS: Mapping[str, tuple[str, str]] = {
    **{f"{family}{size}": ("RSA", "") for family in ("RS", "PS") for size in (256, 384, 512)},
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
    "Ed25519": ("OKP", "Ed25519"),
}
"""Accepted algorithms. Each value is the required type and curve of the key."""

SMALLEST_RSA = 2048
LARGEST_RSA = 8192
MOST_KEYS = 100
LONGEST_KID = 512
_TYPES = ("at+jwt", "application/at+jwt", "jwt")
_PUBLIC = ("kty", "n", "e", "crv", "x", "y")
_WRONG = "The access token is no JSON Web Token that is accepted here."

_registry = jws.JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)
_registry.max_header_length = 8 * 1024


class Key:
    """Published key of an issuer. `kid` is "" if the key has no id; `algorithm` is "" if the key is not tied to one."""

    __slots__ = ("_key", "_kind", "algorithm", "kid", "value")

    def __init__(self, kid: str, algorithm: str, key: Any, kind: tuple[str, str], value: tuple[str, ...]) -> None:
        self.kid = kid
        self.algorithm = algorithm
        self.value = value
        self._key = key
        self._kind = kind

    def fits(self, algorithm: str) -> bool:
        """Return whether the key may check signatures that were made with `algorithm`."""
        kind, curve = ALGORITHMS[algorithm]
        if self.algorithm not in ("", algorithm):
            return False
        return self._kind[0] == kind and curve in ("", self._kind[1])

    def verify(self, token: str) -> None:
        """Raise InvalidToken if the key did not sign the token."""
        try:
            jws.deserialize_compact(token, self._key, registry=_registry)
        except (JoseError, ValueError, TypeError):
            raise InvalidToken("The signature of the access token is not valid.") from None


class Unverified:
    """JSON Web Token whose signature was not checked yet: algorithm and key id of its header, and its claims."""

    __slots__ = ("algorithm", "claims", "kid")

    def __init__(self, algorithm: str, kid: str, claims: dict[str, object]) -> None:
        self.algorithm = algorithm
        self.kid = kid
        self.claims = claims


def is_jwt(token: str) -> bool:
    """Return whether a token has the form of a signed JSON Web Token: three parts, the first of them a JSON object."""
    return token.count(".") == 2 and token.startswith("eyJ")


def parse(token: str) -> Unverified:
    """Return header values and claims of a token, unverified.

    Raise InvalidToken if no signature could make it acceptable.
    """
    first, second, _ = token.split(".")
    header, claims = _object(first), _object(second)
    algorithm, kid, kind = header.get("alg"), header.get("kid", ""), header.get("typ", "JWT")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise InvalidToken("The access token is not signed by an algorithm that is accepted here.")
    if "crit" in header or "b64" in header:
        raise InvalidToken(_WRONG)
    if not isinstance(kind, str) or kind.lower() not in _TYPES or _is_id_token(claims):
        raise InvalidToken("The token is no access token.")
    if not isinstance(kid, str) or len(kid) > LONGEST_KID:
        raise InvalidToken(_WRONG)
    return Unverified(algorithm, kid, claims)


def _is_id_token(claims: dict[str, object]) -> bool:
    """Return whether the claims are those of an ID token, which does not grant access.

    An ID token may have this server's audience if client and server are registered as one application. It holds a hash
    of another token (OpenID Connect Core, 3.1.3.6), or a `typ` as Keycloak writes it.
    """
    return "at_hash" in claims or "c_hash" in claims or claims.get("typ") in ("ID", "Refresh", "Logout")


def keys(document: object) -> list[Key]:
    """Return those keys of a JWK set with which signatures can be checked (RFC 7517 section 5). Other keys are left
    out.
    """
    listed = document.get("keys") if isinstance(document, dict) else None
    found = (_key(each) for each in (listed if isinstance(listed, list) else [])[:MOST_KEYS])
    return [each for each in found if each is not None]


def _key(entry: object) -> Key | None:
    if not isinstance(entry, dict) or entry.get("use", "sig") != "sig":
        return None
    kid, algorithm = entry.get("kid", ""), entry.get("alg", "")
    public = {name: entry[name] for name in _PUBLIC if isinstance(entry.get(name), str)}
    if not isinstance(kid, str) or algorithm not in ("", *ALGORITHMS):
        return None
    try:
        with warnings.catch_warnings():
            # Ignore warnings about short keys, which are refused below.
            warnings.simplefilter("ignore", SecurityWarning)
            made = JWKRegistry.import_key(public)
            kind = _kind(made)
    except Exception:  # leave out an unreadable key; the libraries raise exceptions of many types
        return None
    if kind is None:
        return None
    found = Key(kid, algorithm, made, kind, (kid, algorithm, *public.values()))
    return found if any(found.fits(each) for each in ALGORITHMS) else None


def _kind(key: object) -> tuple[str, str] | None:
    """Return type and curve ("" for RSA) of an RSA, EC or OKP key. Return None for any other key, and for an RSA key
    whose size is not accepted.
    """
    if isinstance(key, RSAKey):
        return ("RSA", "") if SMALLEST_RSA <= key.public_key.key_size <= LARGEST_RSA else None
    return (key.key_type, key.curve_name) if isinstance(key, (ECKey, OKPKey)) else None


def _object(part: str) -> dict[str, object]:
    """Decode a part of a token and return its JSON object.

    Raise InvalidToken if it is no base64url or no JSON object.
    """
    try:
        if not part.isascii() or "+" in part or "/" in part or "=" in part:
            raise ValueError
        value, repeated = jsonrpc.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode())
    except (ValueError, Error):
        raise InvalidToken(_WRONG) from None
    if not isinstance(value, dict) or repeated:
        raise InvalidToken(_WRONG)
    return value
