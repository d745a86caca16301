# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer calls of the server's own tools, which read stored results, find other tools, or run programs."""

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
    from ..http_server.handles import PausedRuns
    from ..programs.program_runs import Executor, ProgramRuns
    from ..result.result_store import KeptResults
    from ..search.tools import ToolSearch
    from .under_way import Ask

_KEYS = ("reads", "search")
"""Keys in the bindings of the server's own tools."""


class Programs:
    """Loader of the program runner, which runs programs that a model wrote. The runner's modules are imported when the
    first program runs. After a reload, the new tools use the same runner.
    """

    def __init__(self, runs: PausedRuns | None) -> None:
        """Create a loader of the program runner. `runs`: store of models' paused programs, or None for a store in this
        process.
        """
        self._runs = runs
        self._found: ProgramRuns | None = None

    def found(self) -> ProgramRuns:
        """Return the runner of model-written programs. Raise ImportError if this machine cannot load the sandbox."""
        if self._found is None:
            from ..programs.program_runs import ProgramRuns  # imported late: few servers run model-written programs

            self._found = ProgramRuns(self._runs)
        return self._found

    async def close(self) -> None:
        """End the worker processes that run the programs of language models, if there are any."""
        if self._found is not None:
            await self._found.close()


class OwnTools:
    """Handler of calls to the tools that the server answers itself, such as a search for tools."""

    def __init__(
        self,
        catalog: Catalog,
        resources: KeptResults,
        bring: Callable[[str], Awaitable[None]],
        shown: int,
        programs: Programs,
    ) -> None:
        """Prepare to answer calls of the server's own tools in `catalog`.

        `bring` copies a stored result from another replica to this process. `programs`: loader of the runner of models'
        programs. `shown`: largest size in bytes of a slice of a stored result, and of such a program's final value.
        """
        self._catalog = catalog
        self._resources = resources
        self._bring = bring
        self._shown = shown
        self._programs = programs
        self._desk: ToolSearch | None = None

    def has(self, tool: Tool) -> bool:
        """Return True if the server answers calls of `tool` itself, such as a search for tools."""
        return not tool.binding.keys().isdisjoint(_KEYS)

    async def answer(
        self, tool: Tool, arguments: dict[str, Any], executor: Executor, dialogue: Dialogue, ask: Ask | None
    ) -> Result:
        """Return the result of one of the server's own tools. `arguments` fit its schema.

        `executor` makes the tool calls of a program that the model wrote. `dialogue`: how the client can ask the user.
        `ask`: function that asks the user while the call waits, or None.
        """
        if "search" in tool.binding:
            from ..search.search_listing import PROGRAMS  # imported late: few servers have a search

            if self._catalog.finders[tool.name] in PROGRAMS:
                return await self._run(tool.name, str(arguments["code"]), executor, dialogue, ask)
            from ..search.listing import TornIndex  # imported late: few servers have a search

            try:
                span = spans.current()
                offered = None if span is None else span.offered
                return self._search.seen_by(offered).answer(self._catalog.finders[tool.name], arguments)
            except TornIndex as reason:
                return Result.error(str(reason))
        from ..core.read_tool import ARGUMENT
        from ..result import result_store  # imported late, as ARGUMENT: few servers list the tool read_result

        await self._bring(str(arguments[ARGUMENT]))
        return result_store.read(self._resources, arguments, self._shown)

    async def _run(self, tool: str, code: str, executor: Executor, dialogue: Dialogue, ask: Ask | None) -> Result:
        try:
            runs = self._programs.found()
        except ImportError:
            return Result.error(f"{tool} was not called. The sandbox for programs cannot be loaded on this machine.")
        return await runs.answer(tool, code, (executor, self._catalog, self._shown), dialogue, ask)

    def sentence(self, tool: str, reason: Exception) -> str:
        """Return the text that says why a tool was not called.

        On a server with `--tools search`, the model may not know the tool's arguments. So the text ends with the tool's
        signature.
        """
        said = sentence(tool, reason)
        if not self._catalog.finders or not isinstance(reason, Refused):
            return said
        signature = self._search.signature(tool)
        return f"{said}\n{signature}" if signature else said

    @property
    def _search(self) -> ToolSearch:
        from ..search.tools import ToolSearch  # imported late: few servers have a search

        self._desk = self._desk or ToolSearch(self._catalog)
        return self._desk
