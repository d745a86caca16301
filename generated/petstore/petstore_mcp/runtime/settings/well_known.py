# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Where an authorization server publishes its metadata (OpenID Connect Discovery 1.0 section 4, RFC 8414 section 3)."""

from __future__ import annotations

OPENID = "/.well-known/openid-configuration"
OAUTH = "/.well-known/oauth-authorization-server"


def targets(path: str) -> tuple[str, ...]:
    """Return the paths of the metadata of an issuer with the path `path` ("" for none), the most usual first."""
    return tuple(dict.fromkeys((path + OPENID, OAUTH + path, OPENID + path)))
