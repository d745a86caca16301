# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What comes after an answer, and how to ask for less, in the names of the tool's own arguments. Pure.

APIs say what comes next by a link (RFC 8288), by a cursor in the body, or not at all, so that it must be counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalog import Tool

_SIZE = re.compile(r"(page)?(limit|size|perpage|count|maxresults|maxitems|top|first|pagesize|rows|take|max)")
_PAGE = re.compile(r"page|pagenumber|pageno|pageindex|offset|skip|start|startindex|startat|from")
_FIELDS = re.compile(r"fields?|select|include(fields)?|fl|attributes|only")


def narrower(tool: Tool, items: int = 0) -> str:
    """A sentence on how to call the tool for less; "" where no argument of it could do that. `items` is how many items
    of a list could be shown, 0 where that is not it."""
    found = {_plain(name): argument for argument, name in _query(tool)}
    ways = []
    size = next((argument for name, argument in found.items() if _SIZE.fullmatch(name)), "")
    if size:
        ways.append(f"{size}={items}" if items else f"a smaller {size}")
    if page := next((argument for name, argument in found.items() if _PAGE.fullmatch(name)), ""):
        ways.append(f"the next {page}")
    if fields := next((argument for name, argument in found.items() if _FIELDS.fullmatch(name)), ""):
        ways.append(f"fewer {fields}" if fields.endswith("s") else f"a shorter {fields}")
    if ways:
        return f"To see more, call again with {', '.join(ways)}."
    return "To see more, narrow the call by its other arguments." if found else ""


def _query(tool: Tool) -> list[tuple[str, str]]:
    """The arguments that go into the query, and their names there."""
    bound = tool.binding.get("query", ())
    return [(each["argument"], each["name"]) for each in bound if isinstance(each, dict) and each.get("argument")]


def _plain(name: str) -> str:
    """`page[size]`, `pageSize`, `$page_size`: the same word."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
