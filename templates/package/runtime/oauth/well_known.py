# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Paths at which an authorization server publishes metadata (OpenID Connect Discovery 1.0 section 4, RFC 8414 section
3).
"""

from __future__ import annotations

OPENID = "/.well-known/openid-configuration"
OAUTH = "/.well-known/oauth-authorization-server"


def targets(path: str) -> tuple[str, ...]:
    """Return the paths at which an issuer's metadata may be, the most usual first.

    `path` is the path of the issuer, or "".
    """
    return tuple(dict.fromkeys((path + OPENID, OAUTH + path, OPENID + path)))
