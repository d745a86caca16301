# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--http ... --doctor`: check the HTTP setup before clients use it.

The report says where the server would listen, who may call, whether the authorization servers and the store answer, and
whether replicas share sessions.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .streamable.access import Access

if TYPE_CHECKING:
    from ..core.catalog import Catalog
    from ..settings.settings import Settings
    from .callers import Introspection
    from .listening import Listening

_NAME = "doctor"


def examine(listening: Listening, settings: Settings, catalog: Catalog) -> tuple[list[str], list[str]]:
    """Return the problems that prevent serving HTTP as configured, and the lines of the report."""
    prefix = settings.prefix
    told = [f"The server would listen at http://{listening.address}/mcp, {_callers(listening, prefix)}."]
    if listening.hosts:
        told.append(f"Clients reach the server as {', '.join(sorted(listening.hosts))}, and by names of this machine.")
    if listening["STATE_KEY"]:
        told.append(f"Replicas with the same {prefix}_STATE_KEY continue its sessions and confirmations.")
    else:
        told.append(f"Sessions and confirmations end when the server ends, because {prefix}_STATE_KEY is not set.")
    problems: list[str] = []
    if listening["AUTH_ISSUER"]:
        problems, found = asyncio.run(_issuers(listening, settings, catalog))
        told += found
    if listening["STORE"] is None:
        return problems, told
    if asyncio.run(_answers(listening["STORE"])):
        return problems, [*told, "The store answers."]
    return [*problems, f"The store that {prefix}_STORE names does not answer."], told


def _callers(listening: Listening, prefix: str) -> str:
    ways = []
    if listening["AUTH_ISSUER"]:
        ways.append("callers with an access token")
    if listening["HTTP_TOKENS"] is not None:
        count = len(listening["HTTP_TOKENS"])
        ways.append(f"{count} caller{'' if count == 1 else 's'} listed in {prefix}_HTTP_TOKENS")
    if ways:
        return f"for {' and '.join(ways)}"
    return "for everybody who reaches it" if listening["HTTP_OPEN"] else "for this machine only, without authentication"


async def _issuers(listening: Listening, settings: Settings, catalog: Catalog) -> tuple[list[str], list[str]]:
    """Fetch the metadata and signing keys of each authorization server. Return problems, and lines for the report."""
    from ..identity.challenges import metadata_url  # imported late: needed only if an issuer is set
    from ..identity.guard import Guard

    guard = Guard(listening, settings, f"{catalog.name}-mcp/{catalog.version}")
    try:
        found = await guard.examine()
    finally:
        await guard.close()
    told = [
        f"Access tokens of {name} are accepted, because its keys were found."
        for name, fault in found.items()
        if not fault
    ]
    audiences = listening["AUTH_AUDIENCE"] or (guard.resource,)
    told.append(f"Access tokens must be issued for {' or '.join(sorted(audiences))}.")
    if listening.introspection is not None:
        told.append(_without_audience(listening.introspection, settings.prefix))
    told.append(f"Clients find the authorization server by {metadata_url(guard.resource)}.")
    always = frozenset(listening["AUTH_SCOPES"])
    claim, first = listening["AUTH_ROLES_CLAIM"], listening["AUTH_FIRST_SCOPES"]
    access = Access(catalog, settings["ROLES"], claim, always, True, guard, first)
    first = " ".join(sorted(access.first_scopes())) or "no scope"
    told.append(f"Clients request {first} at first; {settings.prefix}_AUTH_FIRST_SCOPES can name others.")
    return [f"The issuer {name} {fault}." for name, fault in found.items() if fault], told


def _without_audience(login: Introspection, prefix: str) -> str:
    """Return what happens to an introspected token without `aud`, which RFC 7662 lets the issuer leave out."""
    accepted = [f"of the client {each}" for each in sorted(login.clients)]
    accepted += [f"with the scope {each}" for each in sorted(login.scopes)]
    if accepted:
        return f"Introspected tokens without an audience are accepted {' or '.join(accepted)}."
    return f"Introspected tokens without an audience are refused; {prefix}_AUTH_INSTEAD_OF_AUDIENCE can name clients."


async def _answers(url: str) -> bool:
    from ..replicas.store import Store
    from .sealed.away import StoreAway  # imported late: few servers have a store for replicas

    store = Store(url, _NAME)
    try:
        await store.exists(_NAME)
    except StoreAway:
        return False
    finally:
        await store.close()
    return True
