# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide by OAuth scopes whether a caller may use a tool, and which scopes to ask for (RFC 6750, section 3). No I/O.

A requirement is a list of alternatives, each a set of scopes. A token meets a requirement if it has all scopes of one
alternative. A requirement without alternatives means that every caller may use the tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...tables.table import Binding

Requirement: TypeAlias = tuple[frozenset[str], ...]

_NEVER_ASKED = frozenset(["offline_access"])
"""Scopes that concern only a client and its authorization server. A resource server never lists them (RFC 9728)."""


def requirement(binding: Binding) -> Requirement:
    """Return the scope requirement in a tool's entry in `bindings.json`."""
    return tuple(frozenset(each) for each in binding.get("callerScopes", ()))


def is_met(required: Requirement, scopes: frozenset[str]) -> bool:
    """Return True if a token with these scopes meets the requirement."""
    return not required or any(each <= scopes for each in required)


def nearest(required: Requirement, scopes: frozenset[str]) -> frozenset[str]:
    """Return the alternative from which a token with these scopes lacks the fewest scopes.

    If several lack equally few, return the one with the most scopes.
    """
    if not required:
        return frozenset()
    return min(required, key=lambda each: (len(each - scopes), -len(each), sorted(each)))


def needed(requirements: Iterable[Requirement]) -> frozenset[str]:
    """Return a set of scopes with which a token meets every requirement.

    From each requirement, the alternative that adds the fewest scopes is taken.
    """
    found: frozenset[str] = frozenset()
    for required in sorted(set(requirements), key=lambda each: (len(each), sorted(map(sorted, each)))):
        found |= nearest(required, found)
    return found - _NEVER_ASKED
