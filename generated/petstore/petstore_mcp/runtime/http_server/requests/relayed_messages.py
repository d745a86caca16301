# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pass messages of sessions on to the replicas that they concern, through the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..streamable import admission, older, session

if TYPE_CHECKING:
    from ...replicas.sharing import Sharing
    from ..streamable.relay import Relay


async def relay(sharing: Sharing | None, effect: Relay) -> None:
    """Send a session's message to other replicas, or tell them that the session has ended. Then answer the HTTP request
    that caused this, if it is still unanswered.

    Without a store (`sharing` is None), nothing is sent to other replicas.
    """
    if effect.setting is not None and sharing is not None:
        # Store the setting first: a replica that starts now reads the store before messages, so it misses nothing.
        line = effect.line if effect.setting.counts else None
        name, digest = effect.setting.name, session.digest(effect.session)
        await sharing.settings.put(effect.session, digest, name, line, session.SECONDS)
    told = sharing is not None and await sharing.relay(effect.replica, effect.session, effect.line)
    if effect.exchange is not None:
        effect.exchange.answer(admission.accepted() if told else older.unheard(sharing is not None))
    if effect.line is None and sharing is not None:
        await sharing.end(session.digest(effect.session), session.SECONDS)
