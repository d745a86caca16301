# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Proof Key for Code Exchange (RFC 7636): only the client that requested an authorization code can redeem it."""

from __future__ import annotations

import base64
import hashlib


def challenge(verifier: str) -> dict[str, str]:
    """Return the parameters that an authorization request needs for a code verifier, by the method S256 (RFC 7636,
    section 4.3).
    """
    digest = hashlib.sha256(verifier.encode()).digest()
    return {
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
