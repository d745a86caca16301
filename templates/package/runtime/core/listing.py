# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""List of a server that offers a search in place of its tools (`--tools search`)."""

from __future__ import annotations

from binascii import crc32

from .jsontext import dumps, loads
from .search_listing import described, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .search_listing import Table
    from .table import Search

    Change = Callable[[str, bytes], None]


class TornIndex(ValueError):
    """Raised if search.json and bindings.json do not belong together."""


# Decision 0190: A server with a search lists four tools and keeps the rest callable.
class Listing:
    """What such a server lists: tools that find and call others, and pinned ones.

    `finders`: name of each of the former, and what it does.
    """

    def __init__(self, search: Search, taken: list[str], content: Callable[[], bytes]) -> None:
        """Create. `search`: that part of the header. `taken`: names of the API's own tools."""
        self._search = search
        self._content = content
        self.finders = names(taken)

    def bindings(self) -> dict[str, bytes]:
        """Return the binding of each finder as JSON text."""
        return {name: dumps({"name": name, "search": kind}) for name, kind in self.finders.items()}

    def entries(self, catalog: Table, part: bool = False) -> dict[str, bytes]:
        """Return the list entry of each finder as JSON text. What is hidden is counted nowhere. `part`: whether
        `catalog` is what one caller is offered of a table.
        """
        search, counted = self._search, part or catalog.hidden
        groups, others = self._visible(catalog) if counted else (search["groups"], search["others"])
        starts = [_signature(catalog, name) for name in search["starts"] if catalog.has(name)]
        found = described(self.finders, groups, others, starts)
        return {tool["name"]: dumps(tool) for tool in found}

    def names(self, catalog: Table) -> list[str]:
        """Return the names of the listed tools, in order, without hidden ones."""
        return [name for name in (*self.finders, *self._search["pinned"], catalog.reader) if catalog.has(name)]

    def index(self) -> Any:
        """Return the content of search.json, parsed anew. Raises TornIndex."""
        content = self._content()
        if f"{crc32(content):08x}" != self._search["digest"]:
            raise TornIndex("Generate the server again: search.json and bindings.json do not belong together.")
        return loads(content.decode())[0]

    def _visible(self, catalog: Table) -> tuple[dict[str, int], int]:
        """Return group to how many of its tools are not hidden, and the number of tools in further groups."""
        try:
            rows = self.index()
        except TornIndex:  # each search says so; the server starts
            rows = {"names": [], "group": [], "groups": []}
        found: dict[str, int] = {}
        for name, number in zip(rows["names"], rows["group"], strict=True):
            if catalog.has(name):
                group = rows["groups"][number]
                found[group] = found.get(group, 0) + 1
        shown = {group: found.pop(group) for group in self._search["groups"] if group in found}
        ordered = sorted(shown.items(), key=lambda each: (-each[1], each[0]))
        return dict(ordered), sum(found.values())


def _signature(catalog: Table, name: str) -> str:
    """Return a tool with its required arguments, as a call is written."""
    return f"{name}({', '.join(catalog.described(name)['inputSchema'].get('required', ()))})"
