# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Build the request for a resource that the upstream API holds, and its contents for `resources/read`.

The request is sent like a tool call whose arguments are the variables of the URI. Credentials, limits and checks are
the same, but hooks do not run, since hooks are for tools. A response too large for a tool result is cut here too, and
the contents say where the rest is stored. Failures are described with the same sentences as for tools. The module does
no input or output.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from ..calls.plain_call import unheard
from ..core import spans
from ..core.catalog import Tool
from ..core.wire_formats import Contents, Result
from ..http.client import Failure
from ..request.argument_errors import Refused
from ..result import response
from ..result.result_store import LARGEST_SLICE
from ..settings.settings import NotReady
from ..settings.sizes import MOST_INLINE
from ..text.sanitize import clean, decode, is_text

if TYPE_CHECKING:
    from ..calls.services import Services
    from ..core.effects import Fetch
    from ..core.wire_formats import Block
    from ..http.exchange import Response, Sent
    from ..result.result_store import KeptResults
    from ..text.redaction import Redactor

_NOTHING_THERE = (404, 410)


def as_tool(wanted: Fetch) -> Tool:
    """Return a Tool for the resource. Its arguments are the variables of the resource's URI template."""
    binding, values = wanted.entry["binding"], wanted.entry.get("values", {})
    properties: dict[str, Any] = {name: {"type": "string"} for name in wanted.arguments}
    properties |= {name: {"type": "string", "enum": values[name]} for name in values}
    return Tool(wanted.name, {"type": "object", "properties": properties, "required": [*properties]}, binding)


def refused(wanted: Fetch, reason: Exception) -> Contents | Result:
    """Return the result of reading a resource whose request could not be sent. `reason`: why.

    For a wrong URI, the result says that there is no such resource. For any other reason, such as a missing setting,
    the result is an error.
    """
    if isinstance(reason, Refused):
        problems = "; ".join(map(str, reason.problems))
        return Contents(wanted.uri, None, f"There is nothing at this URI: {problems}.")
    return Result.error(f"{wanted.name} was not read. {reason}")


async def fetched(wanted: Fetch, services: Services) -> Contents | Result:
    """Fetch a resource from the upstream. Return its contents, or an error result."""
    tool, writer, lasting = as_tool(wanted), services.writer, services.lasting
    try:
        ready = await services.preparation.unhooked(tool, wanted.arguments)
        budget = services.preparation.budget(tool)
        answer, sent = await services.exchange.made(tool, ready, wanted.arguments, unheard, budget)
    except (Refused, NotReady) as reason:
        spans.note(refused=True)
        return refused(wanted, reason)
    try:
        if wanted.keeps and not isinstance(answer, Failure) and response.is_large(answer, writer.shown):
            await writer.keep(answer, sent, budget)
        return read(wanted, answer, sent, lasting.redactor, lasting.resources)
    finally:
        if not isinstance(answer, Failure):
            writer.closed(answer)


# Reading a resource runs no hooks, because each hook is named after a tool.
def read(
    wanted: Fetch, answer: Response | Failure, sent: Sent, redactor: Redactor, resources: KeptResults
) -> Contents | Result:
    """Convert the HTTP response, or its failure, into MCP resource contents."""
    if isinstance(answer, Failure):
        from ..result import failures  # imported late: needed only after a failure

        return Result.error(redactor.text(failures.no_answer(answer, sent)))
    if not 200 <= answer.status < 300:
        from ..result import failures  # imported late: needed only for an error status

        told = redactor.text(failures.explain(answer, sent, redactor))
        return Contents(wanted.uri, None, told) if answer.status in _NOTHING_THERE else Result.error(told)
    text = is_text(answer.media_type, answer.content)
    if answer.kept and (kept := resources.read(sent.uri)):
        first, *following = kept
        first = {**first, "uri": wanted.uri, "mimeType": _media_type(wanted, answer, text)}
        return Contents(wanted.uri, [first, *following, *_missing(answer, sent, sent.uri)])
    whole = answer.spool is None and not (answer.cut and not text)
    if not whole or answer.size > (LARGEST_SLICE if text else MOST_INLINE):
        told = f"{wanted.name} was not read: its {answer.size:,} bytes are more than there is room for."
        return Result.error(told)
    content: Block = {"uri": wanted.uri, "mimeType": _media_type(wanted, answer, text)}
    if text:
        decoded, _ = decode(answer.content, answer.header("content-type"))
        shown = redactor.text(clean(decoded)[0])
        content["text"] = redactor.begun(shown) if answer.cut else shown
    else:
        content["blob"] = base64.b64encode(redactor.content(answer.content)).decode()
    return Contents(wanted.uri, [content, *_missing(answer, sent, wanted.uri)])


def _media_type(wanted: Fetch, answer: Response, text: bool) -> str:
    """Return the response's media type, else the one that the resource declares, else a default."""
    declared = wanted.entry["listed"].get("mimeType", "")
    return answer.media_type or declared or ("text/plain" if text else "application/octet-stream")


def _missing(answer: Response, sent: Sent, uri: str) -> list[Block]:
    """Return a list with a text that says that only a part was received or stored; [] if the response is complete."""
    told = response.unread(answer, sent)
    if 0 < answer.kept < answer.size:
        told.append(response.told_kept(answer, uri))
    return [{"uri": uri, "mimeType": "text/plain", "text": " ".join(told)}] if told else []
