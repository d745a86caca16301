# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer the tools that are the server's own: they read kept results, find other tools, or run programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import spans
from ..core.wire_formats import Result
from ..request.argument_errors import Refused
from .preparation import sentence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..core.catalog import Catalog, Tool
    from ..core.effects import Dialogue
    from ..result.result_store import KeptResults
    from ..search.tools import ToolSearch
    from .consent import Ask
    from .handles import PausedRuns
    from .program_runs import Executor, ProgramRuns

_KEYS = ("reads", "search")
"""Keys of the bindings of such tools."""


class Programs:
    """Runner of programs, which all tables of one server share. It is loaded with the first program."""

    def __init__(self, runs: PausedRuns | None) -> None:
        """Create. `runs` keeps programs that wait for their user; None if this process does."""
        self._runs = runs
        self._found: ProgramRuns | None = None

    def found(self) -> ProgramRuns:
        """Return the runner. Raises ImportError if the sandbox cannot be loaded on this machine."""
        if self._found is None:
            from .program_runs import ProgramRuns  # imported late: few servers run programs

            self._found = ProgramRuns(self._runs)
        return self._found

    async def close(self) -> None:
        """End the workers of programs, if there are any."""
        if self._found is not None:
            await self._found.close()


class OwnTools:
    """Tools of one table that the server answers itself."""

    def __init__(
        self,
        catalog: Catalog,
        resources: KeptResults,
        bring: Callable[[str], Awaitable[None]],
        shown: int,
        programs: Programs,
    ) -> None:
        """Create. `bring` copies a result that another replica keeps. `shown`: bytes of a slice of it, or of what a
        program ends with.
        """
        self._catalog = catalog
        self._resources = resources
        self._bring = bring
        self._shown = shown
        self._programs = programs
        self._desk: ToolSearch | None = None

    def has(self, tool: Tool) -> bool:
        """Return True if the server answers a tool itself."""
        return any(key in tool.binding for key in _KEYS)

    async def answer(
        self, tool: Tool, arguments: dict[str, Any], executor: Executor, dialogue: Dialogue, ask: Ask | None
    ) -> Result:
        """Return the result of such a tool. The arguments fit its schema. `executor` makes the calls of programs."""
        if "search" in tool.binding:
            from ..core.search_listing import PROGRAMS  # loaded with the table

            if self._catalog.finders[tool.name] in PROGRAMS:
                return await self._run(tool.name, str(arguments["code"]), executor, dialogue, ask)
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

    async def _run(self, tool: str, code: str, executor: Executor, dialogue: Dialogue, ask: Ask | None) -> Result:
        try:
            runs = self._programs.found()
        except ImportError:
            return Result.error(f"{tool} was not called. The sandbox for programs cannot be loaded on this machine.")
        return await runs.answer(tool, code, (executor, self._catalog, self._shown), dialogue, ask)

    def sentence(self, tool: str, reason: Exception) -> str:
        """Return why any tool was not called. With a search, the model may not have seen its arguments: show them."""
        said = sentence(tool, reason)
        if not self._catalog.finders or not isinstance(reason, Refused):
            return said
        signature = self._search.signature(tool)
        return f"{said}\n{signature}" if signature else said

    @property
    def _search(self) -> ToolSearch:
        from ..search.tools import ToolSearch  # imported late: few servers are searched

        self._desk = self._desk or ToolSearch(self._catalog)
        return self._desk
