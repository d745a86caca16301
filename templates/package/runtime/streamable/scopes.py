# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Compare the scopes of an access token with those that a call needs (RFC 6750 section 3.1, insufficient_scope). Pure.

Callers without an access token have no scopes, and none are asked of them: the operator gave them a token by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.jsonrpc import INVALID_REQUEST, Batch, Request
from .head import refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.catalog import Catalog
    from ..core.effects import Peer
    from ..core.jsonrpc import Message
    from .admission import Gate
    from .head import Answer

_NAMED = {"tools/call": "name", "resources/read": "uri"}
"""Methods that may send a request to the upstream, each with the member that names what is called."""


class Scopes:
    """Scopes that calls need. `always` are needed by every call."""

    __slots__ = ("_always", "_gate")

    def __init__(self, always: Iterable[str] = (), gate: Gate | None = None) -> None:
        self._always = frozenset(always)
        self._gate = gate

    def refusal(self, catalog: Catalog, peer: Peer, message: Message) -> Answer | None:
        """Return 403 for a call whose access token has too few scopes, with all that the call needs; else None."""
        if self._gate is None or peer.identity is None:
            return None
        for each in message.messages if isinstance(message, Batch) else (message,):
            if not isinstance(each, Request) or each.method not in _NAMED:
                continue
            name = each.params.get(_NAMED[each.method])
            needed = lacking(self._always, catalog, peer, name if isinstance(name, str) else "")
            if needed is not None:
                challenge = self._gate.insufficient(sorted(needed))
                sentence = f"The access token does not allow this call, which needs {' '.join(sorted(needed))}."
                return refused(403, INVALID_REQUEST, sentence, ("WWW-Authenticate", challenge))
        return None


def lacking(always: frozenset[str], catalog: Catalog, peer: Peer, name: str) -> frozenset[str] | None:
    """Return all scopes that a call of that name needs if the caller's token lacks any of them, else None."""
    caller = peer.identity
    return None if caller is None or always <= caller.scopes else always
