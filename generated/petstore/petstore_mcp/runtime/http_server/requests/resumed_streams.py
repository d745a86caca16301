# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Resume event streams that another replica began, with the events that the other replica recorded in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.jsonrpc import INTERNAL_ERROR, error, id_of
from ..sealed.away import StoreAway, StreamGoesOn
from ..streamable import event_stream, session_streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...replicas.sharing import Sharing
    from ..streamable.exchange import Exchange
    from ..streamable.session import Session

_GONE = "The process that ran this call ended before its answer. The request may have taken effect."


async def resume(
    sharing: Sharing, recall: session_streams.ResumeElsewhere, go_on: Callable[[Session, Exchange], None]
) -> None:
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
                exchange.replay(event_stream.event(error(known, INTERNAL_ERROR, _GONE)))
            if not exchange.open:
                return
        exchange.close()
    except (LookupError, StoreAway):
        exchange.answer(session_streams.nothing_to_resume())
