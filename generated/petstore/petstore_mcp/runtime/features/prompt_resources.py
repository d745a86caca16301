# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make a prompt whose messages embed resources of the upstream: fetch all resources, then write the messages."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..core import features
from ..core.effects import Fetch, Fetched
from ..core.jsonrpc import Fault
from ..core.wire_formats import Contents, Failure, OtherOutcome, Result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..core.effects import GetPrompt
    from ..core.wire_formats import PromptMessages

    FetchResource = Callable[[Fetch], Awaitable[Contents | Result]]


async def made(wanted: GetPrompt, fetch: FetchResource) -> PromptMessages:
    """Return the messages of the prompt. `fetch` reads a resource from the upstream API.

    Raise OtherOutcome with a protocol error if any resource cannot be read.
    """
    uris = features.uris(wanted.entry, wanted.arguments)
    contents = await asyncio.gather(*(_contents(uri, wanted, fetch) for uri in uris))
    try:
        return features.made(wanted.entry, wanted.arguments, dict(zip(uris, contents, strict=True)))
    except Fault as fault:
        raise OtherOutcome(Failure(fault.sentence, fault.code)) from None


async def _contents(uri: str, wanted: GetPrompt, fetch: FetchResource) -> Contents:
    """Return the contents of the resource at `uri`. Raise OtherOutcome if the upstream failed."""
    there = wanted.find(uri)
    if not isinstance(there, Fetched):
        return there or Contents(uri, None)
    resource = Fetch(uri, there.entry, there.variables, wanted.dialogue.revision, wanted.origin, wanted.key)
    found = await fetch(resource)
    if isinstance(found, Result):
        raise OtherOutcome(Failure(f"The prompt was not made. {found}"))
    return found
