# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pass messages of sessions on to the replicas that they concern, and resume event streams that another replica began.

Both go through the store that all replicas share. It has the events that the other replica recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.jsonrpc import INTERNAL_ERROR, error, id_of
from ..sealed.away import StoreAway, StreamGoesOn
from ..streamable import admission, event_stream, older, session

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...replicas.sharing import Sharing
    from ..streamable.exchange import Exchange
    from ..streamable.session import Relay, Session


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


_GONE = "The process that ran this call ended before its answer. The request may have taken effect."


async def resume(sharing: Sharing, recall: session.ResumeElsewhere, go_on: Callable[[Session, Exchange], None]) -> None:
    """Resume a stream that another replica began.

    `go_on(session, exchange)` continues a stream of change notifications in this process.
    """
    exchange = recall.exchange
    try:
        async for event in sharing.events(recall.found.digest, recall.stream, recall.number):
            exchange.stream()
            if isinstance(event, bytes):
                exchange.replay(event)
            elif isinstance(event, StreamGoesOn):
                go_on(recall.found, exchange)
                return
            elif event is not None and (known := id_of(event.id)) is not None:
                exchange.replay(event_stream.sent_event(error(known, INTERNAL_ERROR, _GONE)))
            if not exchange.open:
                return
        exchange.close()
    except (LookupError, StoreAway):
        exchange.answer(session.nothing_to_resume())
