# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Catalog of a server that lists a search in place of its tools (`--tools search`)."""

from __future__ import annotations

from binascii import crc32

from .catalog import Catalog, CatalogError
from .jsontext import dumps, loads
from .search_listing import described, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .catalog import _File
    from .table import Feature, Header, Search

MOST_GROUPS = 25


# Decision 0190: A server with a search lists four tools and keeps the rest callable.
class SearchedCatalog(Catalog):
    """Tools of a server with a search. `tools` has those that find and call others, and the pinned ones."""

    def __init__(
        self, header: Header, described: _File, bound: _File, features: dict[Feature, _File], index: _File
    ) -> None:
        super().__init__(header, [], described, bound, features)
        self._search: Search = header["search"]
        self._index = index
        self.finders = names(self.names())
        for name, kind in self.finders.items():
            self._bound.change(name, dumps({"name": name, "search": kind}))
            self._described.change(name, b"{}")  # replaced below
        self._list()

    def index(self) -> Any:
        """Return the content of search.json, parsed anew. Raise CatalogError if it does not belong to the table."""
        content = self._index.read()
        if f"{crc32(content):08x}" != self._search["digest"]:
            raise CatalogError("Generate the server again: search.json and bindings.json do not belong together.")
        return loads(content.decode())[0]

    def describes(self, key: bytes) -> bool:
        """Return True if `key` occurs in the description of any tool, listed or not."""
        return key in self._described.read()

    def _leave(self, kept: list[str]) -> None:
        super()._leave(kept)
        self._list()

    def _list(self) -> None:
        """Make the list. What is hidden is counted nowhere."""
        search = self._search
        groups, others = self._visible() if self.hidden else (search["groups"], search["others"])
        starts = [self._signature(name) for name in search["starts"] if self.has(name)]
        for tool in described(self.finders, groups, others, starts):
            if self.has(tool["name"]):
                self._described.change(tool["name"], dumps(tool))
        listed = [name for name in (*self.finders, *search["pinned"], self.reader) if self.has(name)]
        self.tools = [b"[" + b",".join(map(self._described.text, listed)) + b"]"]

    def _visible(self) -> tuple[dict[str, int], int]:
        """Return group → how many of its tools are not hidden, and the number of tools in further groups."""
        rows = self.index()
        found: dict[str, int] = {}
        for name, number in zip(rows["names"], rows["group"], strict=True):
            if self.has(name):
                group = rows["groups"][number]
                found[group] = found.get(group, 0) + 1
        ordered = sorted(found.items(), key=lambda each: (-each[1], each[0]))
        return dict(ordered[:MOST_GROUPS]), sum(count for _, count in ordered[MOST_GROUPS:])

    def _signature(self, name: str) -> str:
        """Return a tool with its required arguments, as a call is written."""
        return f"{name}({', '.join(self.described(name)['inputSchema'].get('required', ()))})"
