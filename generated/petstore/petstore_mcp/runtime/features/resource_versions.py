# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find out whether a resource has changed, by a digest of its content. If the API gave an ETag, it may answer 304 (Not
Modified) instead of sending the content again.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from ..calls.plain_call import unheard
from ..http.client import Failure
from ..request.argument_errors import Refused
from ..settings.settings import NotReady
from . import fetching

if TYPE_CHECKING:
    from ..calls.services import Services
    from ..core.effects import Fetch
    from ..http.exchange import Response

_ENTITY_TAG = re.compile(r'(W/)?"[\x21\x23-\x7e]{0,200}"')
_NOT_MODIFIED = 304
_NOTHING_THERE = (404, 410)


class Version:
    """Version of a resource: a digest of its content, and the entity tag that the API gave it, or ""."""

    __slots__ = ("digest", "tag")

    def __init__(self, digest: str, tag: str = "") -> None:
        self.digest = digest
        self.tag = tag


async def fetched(wanted: Fetch, before: Version | None, services: Services) -> Version | None:
    """Return the current version of a resource, or None if it cannot be determined. `before` is the version known so
    far.
    """
    tool = fetching.as_tool(wanted)
    try:
        ready = await services.preparation.unhooked(tool, wanted.arguments)
        if before is not None and before.tag:
            ready.request.headers.append(("If-None-Match", before.tag))
        budget = services.preparation.budget(tool)
        answer, _ = await services.exchange.made(tool, ready, wanted.arguments, unheard, budget)
    except (Refused, NotReady):
        return None
    if isinstance(answer, Failure):
        return None
    try:
        return before if answer.status == _NOT_MODIFIED else _version(answer)
    finally:
        services.writer.closed(answer)


def _version(answer: Response) -> Version | None:
    if answer.status in _NOTHING_THERE:
        return Version("")
    if not 200 <= answer.status < 300:
        return None
    tag = answer.header("etag")
    digest = hashlib.sha256(answer.content).hexdigest()
    return Version(f"{answer.size} {digest}", tag if _ENTITY_TAG.fullmatch(tag) else "")
