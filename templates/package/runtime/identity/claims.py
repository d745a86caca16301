# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Check the claims of an access token, and identify the caller (RFC 9068 sections 2.2 and 4, RFC 7662 section 2.2).

These are pure functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .identity import Identity
from .problems import InvalidToken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..http_server.callers import Introspection

LEEWAY = 30.0
"""Seconds by which the clocks of an issuer and of this server may differ."""

LONGEST_NAME = 512
"""Longest subject or client id in characters."""

_LAST = 253_402_300_799.0
"""End of the year 9999 in seconds since 1970. A token with a later time is refused."""

_CLIENTS = ("client_id", "azp", "appid", "cid")
"""Claims that contain the client id: those of RFC 9068, OpenID Connect, Microsoft Entra (version 1) and Okta."""


def check(claims: Mapping[str, object], issuer: str, audiences: frozenset[str], now: float, token: str) -> Identity:
    """Return the caller that the claims of a signed token name. Raise InvalidToken if a claim is wrong or missing.

    `now` is in seconds since 1970. A token without `aud` or `exp` is refused.
    """
    _bearer(claims)
    _of_issuer(claims, issuer)
    _for_audience(claims.get("aud"), audiences)
    return _caller(claims, issuer, audiences, _period(claims, now), token)


def check_introspected(
    claims: Mapping[str, object], login: Introspection, issuer: str, audiences: frozenset[str], now: float, token: str
) -> Identity:
    """Return the caller that an introspection response names. Raise InvalidToken if the token is not valid for this
    server.

    `iss` is checked if the response has it. Without `exp`, the token does not expire. Without `aud`, the token must
    belong to a client, or have a scope, that the operator accepts instead (`login`).
    """
    if claims.get("active") is not True:
        raise InvalidToken("The access token is not active.")
    _bearer(claims)
    if "iss" in claims:
        _of_issuer(claims, issuer)
    if "aud" in claims:
        _for_audience(claims["aud"], audiences)
    end = _period(claims, now) if "exp" in claims else _LAST
    found = _caller(claims, issuer, audiences, end, token)
    # MCP: a server must validate that tokens were issued for it. RFC 7662 lets the issuer leave `aud` out.
    if "aud" not in claims and found.client not in login.clients and found.scopes.isdisjoint(login.scopes):
        raise InvalidToken("The access token names no audience.")
    return found


def _bearer(claims: Mapping[str, object]) -> None:
    """Raise InvalidToken if whoever has the token may not use it alone.

    A token with `cnf` is bound to a key of its client (RFC 7800, RFC 8705, RFC 9449). This server checks no such key,
    and accepting the token without the key would undo the binding.
    """
    if claims.get("cnf") is not None:
        raise InvalidToken("The access token is bound to a key, which is not checked here.")
    if "refresh_token" in (claims.get("token_type"), claims.get("token_use")):
        raise InvalidToken("The token is no access token.")


def _of_issuer(claims: Mapping[str, object], issuer: str) -> None:
    if claims.get("iss") != issuer:
        raise InvalidToken("The access token is of another issuer.")


def _for_audience(named: object, audiences: frozenset[str]) -> None:
    found = named if isinstance(named, list) else [named]
    if not any(isinstance(each, str) and each in audiences for each in found):
        raise InvalidToken("The access token is for another audience.")


def _period(claims: Mapping[str, object], now: float) -> float:
    """Return when the token expires. Raise InvalidToken if it has expired, or is not valid yet."""
    end = _moment(claims.get("exp"))
    if now >= end + LEEWAY:
        raise InvalidToken("The access token has expired.")
    if "nbf" in claims and now < _moment(claims["nbf"]) - LEEWAY:
        raise InvalidToken("The access token is not valid yet.")
    return end


def _moment(value: object) -> float:
    """Return a claim's value as seconds since 1970 (RFC 7519 section 2, NumericDate).

    Raise InvalidToken if it is no time.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LAST:
        raise InvalidToken("The access token names no valid time.")
    return float(value)


def _caller(claims: Mapping[str, object], issuer: str, audiences: frozenset[str], end: float, token: str) -> Identity:
    client = next((_name(claims[each]) for each in _CLIENTS if each in claims), "")
    subject = _name(claims["sub"]) if "sub" in claims else ""
    if not (subject or client):
        raise InvalidToken("The access token names neither a subject nor a client.")
    return Identity(issuer, subject, client, scopes(claims, audiences), end, claims, token)


def _name(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        raise InvalidToken("The access token has an invalid subject or client.")
    return value


def scopes(claims: Mapping[str, object], audiences: frozenset[str]) -> frozenset[str]:
    """Return the scopes in the claims, which hold them as one text or as a list.

    Clients request `api://APPLICATION/SCOPE` from Microsoft Entra, and its tokens hold only `SCOPE` in `scp`. So both
    names are returned. The token was already checked to be for one of this server's audiences.
    """
    found, short = _listed(claims.get("scope")), _listed(claims.get("scp"))
    return found | short | {f"{each}/{scope}" for each in audiences if "://" in each for scope in short}


def _listed(value: object) -> frozenset[str]:
    each = value.split(" ") if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(scope for scope in each if isinstance(scope, str) and scope)
