# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make one harmless call for `--doctor`: a read-only operation without required arguments, with the usual credentials.

Only the status of the response is examined.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..core.limits import Budget
from ..http.client import Failure
from ..request.argument_errors import Refused
from ..request.request import Request
from ..settings import credentials
from ..settings.settings import NotReady
from .preparation import sentence
from .round_trip import unheard

if TYPE_CHECKING:
    from ..core.catalog import Catalog, Tool
    from ..http.client import Client
    from ..http.exchange import Response, Sent
    from ..settings.credentials import Logins, TokenRequest
    from ..settings.settings import Settings
    from ..text.addresses import Address
    from .services import Services

    Row = tuple[bool, bool, int, str]

SECONDS = 5.0
"""Seconds that each request for `--doctor` may take."""


def choose(catalog: Catalog, settings: Settings, logins: Logins | None = None) -> str:
    """Return the name of the tool to try, or "" if there is none.

    Tools that need credentials come first; among equals, the tool with the shortest path wins.
    """
    rows = [row for name in catalog.names() if (row := _rank(catalog, settings, name, logins)) is not None]
    return min(rows)[-1] if rows else ""


def _rank(catalog: Catalog, settings: Settings, name: str, logins: Logins | None) -> Row | None:
    """Return the sort key of a tool; None if it changes something, asks the user, or cannot be called."""
    described, tool = catalog.described(name), catalog.tool(name)
    if described.get("annotations", {}).get("readOnlyHint") is not True or _needs_arguments(tool):
        return None
    binding = tool.binding
    if binding["method"] != "GET" or "confirm" in binding or binding.get("body"):
        return None
    try:
        delegated, wanted = settings.delegations, binding.get("security")
        schemes = credentials.choose(wanted, catalog.security, settings.secrets, logins, delegated)
    except NotReady:
        return None
    if any(catalog.security[name] in schemes for name in delegated):
        return None  # this call needs the credential of a caller, and --doctor has no caller
    path = binding["path"]
    return not schemes, len(path) > 1, len(str(path)), name


def _needs_arguments(tool: Tool) -> bool:
    """Return True if a tool cannot be called without arguments."""
    return bool(tool.schema.get("required")) or any("required" in each for each in tool.binding.get("lookups", ()))


async def attempt(services: Services, name: str) -> tuple[bool, str]:
    """Call a tool, with no arguments. Return True if the settings look usable, and a sentence on the outcome."""
    tool = services.catalog.tool(name)
    with services.lasting.redactor.during():
        try:
            ready = await services.preparation.unhooked(tool, {})
            budget = Budget(SECONDS, time.monotonic)
            answer, sent = await services.exchange.made(tool, ready, {}, unheard, budget)
        except (Refused, NotReady) as reason:
            return False, sentence(tool.name, reason)
        if not isinstance(answer, Failure):
            services.writer.closed(answer)
        return verdict(answer, sent)


async def grant(services: Services, wanted: TokenRequest) -> str:
    """Fetch an access token. Return "", or a sentence that says why that failed."""
    try:
        await services.lasting.sender.try_grant(wanted, SECONDS)
    except NotReady as reason:
        return str(reason)
    return ""


def verdict(answer: Response | Failure, sent: Sent) -> tuple[bool, str]:
    """Return True if the settings look usable after this response, and a sentence about the response."""
    variables = " and ".join(sent.variables)
    asked = f"{sent.tool.name} ({sent.method} {sent.path}{f', with {variables}' if variables else ''})"
    if isinstance(answer, Failure):
        return False, f"{asked}: {answer.reason}."
    status = answer.status
    told = f"{asked} answered {status}"
    if status == 401 and variables:
        return False, f"{told}: the API rejects the credential in {variables}. The credential is wrong or has expired."
    if status == 401:
        return False, f"{told}: the API requires a credential."
    if status == 403:
        why = (
            f"the credential in {variables} is wrong, or lacks the right for this"
            if variables
            else "the API requires a credential"
        )
        return False, f"{told}: {why}."
    if status == 404:
        return True, f"{told}. If every call answers 404, the path of the base URL is wrong."
    return True, f"{told}." if 200 <= status < 300 else f"{told}, which says nothing about the settings."


async def reach(services: Services) -> list[str]:
    """Return sentences on what prevents calls: problems in the settings, and servers that do not answer. Send no
    credentials.
    """
    settings = services.settings
    found = list(settings.problems)
    for index in range(max(1, len(settings.servers))):
        try:
            found += await _reached(services.lasting.client, settings.server(index))
        except NotReady as missing:
            found.append(str(missing))
    return found


async def _reached(client: Client, address: Address) -> list[str]:
    """Return [] if a server answers below the base URL `address`, else a list with the reason why none answers.

    GET is tried after HEAD, since some servers do not support HEAD.
    """
    for method in ("HEAD", "GET"):
        try:
            await client.send(Request(method, "/"), address, SECONDS)
        except Failure as failure:
            found = [f"{address}: {failure.reason}."]
        else:
            return []
    return found
