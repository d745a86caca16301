# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--http ... --doctor`: check the HTTP setup before clients use it.

The report says where the server would listen, who may call, whether replicas share sessions, and whether the store
answers.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..settings.listening import Listening

_NAME = "doctor"


def examine(listening: Listening, prefix: str) -> tuple[list[str], list[str]]:
    """Return the problems that prevent serving HTTP as configured, and the lines of the report."""
    told = [f"It would serve http://{listening.address}/mcp, {_callers(listening, prefix)}."]
    if listening.hosts:
        told.append(f"Clients know it as {', '.join(sorted(listening.hosts))}, and on this machine.")
    if listening.keys:
        told.append(f"Replicas with the same {prefix}_STATE_KEY go on with its sessions and confirmations.")
    else:
        told.append(f"Its sessions and confirmations end with it: {prefix}_STATE_KEY is not set.")
    if listening.store is None:
        return [], told
    if asyncio.run(_answers(listening.store)):
        return [], [*told, "The store answers."]
    return [f"The store that {prefix}_STORE names does not answer."], told


def _callers(listening: Listening, prefix: str) -> str:
    if listening.tokens is not None:
        count = len(listening.tokens)
        return f"to {count} caller{'' if count == 1 else 's'} of the file in {prefix}_HTTP_TOKENS"
    return "to whoever reaches it" if listening.open else "to this machine alone, without asking who calls"


async def _answers(url: str) -> bool:
    from ..replicas.away import Away  # imported late: few servers have a store
    from ..replicas.store import Store

    store = Store(url, _NAME)
    try:
        await store.exists(_NAME)
    except Away:
        return False
    finally:
        await store.close()
    return True
