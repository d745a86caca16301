# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide by OAuth scopes whether a caller may use a tool, and which scopes to ask for (RFC 6750, section 3). Pure.

A requirement is a list of alternatives, each a set of scopes. A token meets it with all scopes of one alternative. No
alternative means that every caller may use the tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.table import Binding

Requirement: TypeAlias = tuple[frozenset[str], ...]

_NEVER_ASKED = frozenset(["offline_access"])
"""Scopes between a client and its authorization server, which a resource server does not ask for (RFC 9728)."""


def requirement(binding: Binding) -> Requirement:
    """Return the requirement in a binding of the table."""
    return tuple(frozenset(each) for each in binding.get("callerScopes", ()))


def is_met(required: Requirement, scopes: frozenset[str]) -> bool:
    """Return whether a token with these scopes meets the requirement."""
    return not required or any(each <= scopes for each in required)


def nearest(required: Requirement, scopes: frozenset[str]) -> frozenset[str]:
    """Return the alternative of which a token with these scopes lacks the fewest; of several, the one of which the
    token has the most.
    """
    if not required:
        return frozenset()
    return min(required, key=lambda each: (len(each - scopes), -len(each), sorted(each)))


def supported(requirements: Iterable[Requirement]) -> frozenset[str]:
    """Return all scopes of all alternatives (`scopes_supported`, RFC 9728 section 2)."""
    found = (scopes for required in requirements for scopes in required)
    return frozenset[str]().union(*found) - _NEVER_ASKED


def needed(requirements: Iterable[Requirement]) -> frozenset[str]:
    """Return scopes with which a token meets every requirement: of each, the alternative that adds the fewest."""
    found: frozenset[str] = frozenset()
    for required in sorted(set(requirements), key=lambda each: (len(each), sorted(map(sorted, each)))):
        found |= nearest(required, found)
    return found - _NEVER_ASKED
