# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer the tools that are the server's own: they read kept results, or find other tools. Nothing is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import spans
from ..core.wire_formats import Result
from ..request.argument_errors import Refused
from .preparation import sentence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..core.catalog import Catalog, Tool
    from ..result.result_store import Resources
    from ..search.tools import Desk

_KEYS = ("reads", "search")
"""Keys of the bindings of such tools."""


class OwnTools:
    """Tools of one table that the server answers itself."""

    def __init__(
        self, catalog: Catalog, resources: Resources, bring: Callable[[str], Awaitable[None]], shown: int
    ) -> None:
        """Create. `bring` copies a result that another replica keeps. `shown`: bytes of a slice of it."""
        self._catalog = catalog
        self._resources = resources
        self._bring = bring
        self._shown = shown
        self._desk: Desk | None = None

    def has(self, tool: Tool) -> bool:
        """Return True if the server answers a tool itself."""
        return any(key in tool.binding for key in _KEYS)

    async def answer(self, tool: Tool, arguments: dict[str, Any]) -> Result:
        """Return the result of such a tool. The arguments fit its schema."""
        if "search" in tool.binding:
            from ..core.listing import TornIndex  # loaded with the table

            try:
                span = spans.current()
                offered = None if span is None else span.offered
                return self._search.seen_by(offered).answer(self._catalog.finders[tool.name], arguments)
            except TornIndex as reason:
                return Result.error(str(reason))
        from ..core.read_tool import ARGUMENT  # loaded with the table
        from ..result import read_result  # loaded by now

        await self._bring(str(arguments[ARGUMENT]))
        return read_result.read(self._resources, arguments, self._shown)

    def sentence(self, tool: str, reason: Exception) -> str:
        """Return why any tool was not called. With a search, the model may not have seen its arguments: show them."""
        said = sentence(tool, reason)
        if not self._catalog.finders or not isinstance(reason, Refused):
            return said
        signature = self._search.signature(tool)
        return f"{said}\n{signature}" if signature else said

    @property
    def _search(self) -> Desk:
        from ..search.tools import Desk  # imported late: few servers are searched

        self._desk = self._desk or Desk(self._catalog)
        return self._desk
