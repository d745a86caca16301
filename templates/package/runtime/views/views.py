# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Tell a client how to show the results of tools: MCP Apps, the extension `io.modelcontextprotocol/ui` of 2026-01-26.

All tools share one application, `application.html`, a static page that the client shows in a frame. The page opens no
connection: it gets results from the client, and its calls of tools come from the client like those of a model, through
the same checks. Which columns and fields it shows stands in `bindings.json` (`view`). It comes to the page with each
result, in the `_meta` of the first content block, which no model reads. So the list of tools names only the page.
"""

from __future__ import annotations

from ..core import spans
from ..core.jsonrpc import dumps, loads
from ..core.wire_formats import Contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Catalog, Tool
    from ..core.wire_formats import Block
    from ..tables.tool_view import Pictures

APPLICATION = "ui://views"
"""URI of the page. Behind it, `/` and the name of a tool give what the page must know before the tool has a result."""

PAGE = "text/html;profile=mcp-app"
VIEW = "mcpgen/view"
"""Key of a tool's view in the `_meta` of a content block."""


def with_pages(catalog: Catalog, tools: list[bytes]) -> list[bytes]:
    """Return the array of tools for a client that shows views. Tools with a view name the page.

    `tools`: the array for other clients, in pieces.
    """
    entries: Any = loads(b"".join(tools).decode())[0]
    for entry in entries:
        name = entry["name"]
        calls_others = str(catalog.finders.get(name, "")).startswith("call")
        if calls_others or "view" in catalog.tool(name).binding:
            entry["_meta"] = {"ui": {"resourceUri": APPLICATION}}
    return [dumps(entries)]


def contents(uri: str, catalog: Catalog) -> Contents | None:
    """Return the page, or the view and the arguments of a tool that `catalog` offers; None for another URI."""
    if uri == APPLICATION:
        origins = catalog.header.get("pictures", [])
        told = {"prefersBorder": True, **({"csp": {"resourceDomains": origins}} if origins else {})}
        page: Block = {"uri": uri, "mimeType": PAGE, "text": _page(origins), "_meta": {"ui": told}}
        return Contents(uri, [page], fixed=True)
    name = uri.removeprefix(f"{APPLICATION}/")
    if name == uri or not catalog.has(name) or "view" not in (tool := catalog.tool(name)).binding:
        return None
    text = dumps({**_seen_by(catalog, _told(tool, catalog)), "inputSchema": tool.listed}).decode()
    return Contents(uri, [{"uri": uri, "mimeType": "application/json", "text": text}])


def tell(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that adds the tool's view to a result, for a client that shows views."""
    told = _told(tool, services.catalog)

    def step(call: CallUnderWay) -> None:
        if "ui" in call.dialogue.declares and call.result is not None and call.result.content:
            span, first = spans.current(), call.result.content[0]
            offered = services.catalog if span is None or span.offered is None else span.offered
            call.result.content[0] = {**first, "_meta": {VIEW: _seen_by(offered, told)}}

    return step


def _told(tool: Tool, catalog: Catalog) -> dict[str, Any]:
    """Return what the page must know of a tool."""
    view: dict[str, Any] = {"tool": tool.name, "title": tool.title, **tool.binding["view"]}
    if catalog.writes(tool.name):
        view["method"] = tool.binding.get("method", "POST")  # a workflow has none
    return view


def _seen_by(catalog: Catalog, view: dict[str, Any]) -> dict[str, Any]:
    """Return a view for a caller who may use the tools of `catalog`.

    The page calls the tool that reads the state before a call without a click. So a caller who lacks a scope for that
    tool is not told of it: otherwise the client would ask for the scope, and the user would not know why.
    """
    if "before" not in view or catalog.has(view["before"]):
        return view
    return {key: each for key, each in view.items() if key not in ("before", "given")}


def _page(origins: Pictures) -> str:
    """Return the page. Its own policy allows pictures from these origins, and its script reads them there."""
    with open(f"{__file__.rpartition('views.py')[0]}application.html", encoding="utf-8") as file:
        return file.read().replace("img-src data:", " ".join(["img-src data:", *origins]), 1)
