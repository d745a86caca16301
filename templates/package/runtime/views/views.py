# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Tell a client how to show the results of tools: MCP Apps, the extension `io.modelcontextprotocol/ui` of 2026-01-26.

All tools share one application, `application.html`, a static page that the client shows in a frame. The page opens no
connection: it gets results from the client, and its calls of tools come from the client like those of a model, through
the same checks. Which columns and fields it shows stands in `bindings.json` (`view`). It comes to the page with each
result, in the `_meta` of the first content block, which no model reads. So the list of tools names only the page.
"""

from __future__ import annotations

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
        page: Block = {"uri": uri, "mimeType": PAGE, "text": _page(), "_meta": {"ui": {"prefersBorder": True}}}
        return Contents(uri, [page], fixed=True)
    name = uri.removeprefix(f"{APPLICATION}/")
    if name == uri or not catalog.has(name) or "view" not in (tool := catalog.tool(name)).binding:
        return None
    text = dumps({**_told(tool, catalog), "inputSchema": tool.listed}).decode()
    return Contents(uri, [{"uri": uri, "mimeType": "application/json", "text": text}])


def tell(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that adds the tool's view to a result, for a client that shows views."""
    told = _told(tool, services.catalog)

    def step(call: CallUnderWay) -> None:
        if "ui" in call.dialogue.declares and call.result is not None and call.result.content:
            first = call.result.content[0]
            call.result.content[0] = {**first, "_meta": {VIEW: told}}

    return step


def _told(tool: Tool, catalog: Catalog) -> dict[str, Any]:
    """Return what the page must know of a tool. A tool that reads the state before a call is named if it is offered."""
    view: dict[str, Any] = {"tool": tool.name, "title": tool.title, **tool.binding["view"]}
    entry = catalog.described(tool.name)
    if entry.get("annotations", {}).get("readOnlyHint") is not True:
        view["method"] = tool.binding.get("method", "POST")  # a workflow has none
    if not catalog.has(view.get("before", "")):
        view.pop("before", None)
    return view


def _page() -> str:
    with open(f"{__file__.rpartition('views.py')[0]}application.html", encoding="utf-8") as file:
        return file.read()
