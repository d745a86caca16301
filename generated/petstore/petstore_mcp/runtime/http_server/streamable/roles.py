# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the roles of a caller from a claim of its access token. No I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ROLES = 1000
"""Largest number of roles that are read from one token."""


# These roles replace those in `NAME_ROLES`: if they were added, every caller would get the operator's roles.
def roles_in(claims: Mapping[str, object], claim: str) -> frozenset[str]:
    """Return the roles in `claim`: the name of a claim, or a JSON Pointer (RFC 6901) such as `/realm_access/roles`.

    The value of the claim is a list of texts, or a text with roles separated by spaces. For any other value, there are
    no roles.
    """
    found: object = claims
    for name in _path(claim):
        found = found.get(name) if isinstance(found, dict) else None
    if isinstance(found, str):
        found = found.split()
    if not isinstance(found, list):
        return frozenset()
    return frozenset(each for each in found[:MOST_ROLES] if isinstance(each, str))


def _path(claim: str) -> list[str]:
    if not claim.startswith("/"):
        return [claim]
    return [each.replace("~1", "/").replace("~0", "~") for each in claim[1:].split("/")]
