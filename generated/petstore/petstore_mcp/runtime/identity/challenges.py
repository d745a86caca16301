# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write answers to unauthorized clients: challenges (RFC 6750 section 3) and resource metadata (RFC 9728).

These are pure functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.jsonrpc import dumps
from ..text.addresses import parse

if TYPE_CHECKING:
    from collections.abc import Iterable

WELL_KNOWN = "/.well-known/oauth-protected-resource"
_NOT_SUPPORTED = "offline_access"
"""Scope that only a client and its authorization server use (MCP, authorization, scopes). So it is left out here."""


def unauthorized(metadata_url: str, scopes: Iterable[str], problem: str | None) -> str:
    """Return `WWW-Authenticate` for status 401.

    `scopes` are those that a client should request. `problem` says what is wrong with the token. If no token was sent,
    `problem` is None, and the challenge names no error (RFC 6750 section 3.1).
    """
    parts = [] if problem is None else ['error="invalid_token"', f'error_description="{problem}"']
    return _challenge([*parts, *_scope(scopes), f'resource_metadata="{metadata_url}"'])


def insufficient(metadata_url: str, scopes: Iterable[str]) -> str:
    """Return `WWW-Authenticate` for status 403.

    `scopes` are all scopes that the call needs, including those that the token already has.
    """
    told = 'error_description="The access token does not allow this call."'
    return _challenge(['error="insufficient_scope"', *_scope(scopes), f'resource_metadata="{metadata_url}"', told])


def metadata(resource: str, issuers: Iterable[str], scopes_supported: Iterable[str]) -> bytes:
    """Return the resource metadata as JSON (RFC 9728 section 2).

    `resource` is the URL at which clients reach this server.
    """
    told: dict[str, object] = {
        "resource": resource,
        "authorization_servers": list(issuers),
        "bearer_methods_supported": ["header"],
    }
    if scopes := [each for each in scopes_supported if each != _NOT_SUPPORTED]:
        told["scopes_supported"] = scopes
    return dumps(told)


def metadata_url(resource: str) -> str:
    """Return the URL of the metadata that describe the server at the URL `resource` (RFC 9728 section 3.1)."""
    address = parse(resource)
    return f"{address.origin}{WELL_KNOWN}{address.path}"


def _challenge(parts: list[str]) -> str:
    return "Bearer " + ", ".join(parts)


def _scope(scopes: Iterable[str]) -> list[str]:
    joined = " ".join(each for each in scopes if each != _NOT_SUPPORTED)
    return [f'scope="{joined}"'] if joined else []
