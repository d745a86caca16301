# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Turn the response of a call into its result, and keep or save what is too large to be shown."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from ..core import spans
from ..core.wire_formats import Result
from ..http.trimming import Trimmer
from ..result import response

if TYPE_CHECKING:
    from ..core.budget import Budget
    from ..core.catalog import Tool
    from ..http.exchange import Response, Sent
    from ..result.downloads import Download
    from ..result.result_store import KeptResults
    from ..text.redaction import Redactor
    from .handles import Sharing

RESULT_SECONDS = 60 * 60.0
"""Seconds for which other replicas can read a kept result."""


class ResultWriter:
    """Writer of the results of responses that one server gets. `shown`: bytes that a result shows.

    `cut` is True once a response was too large to be shown whole.
    """

    def __init__(self, redactor: Redactor, resources: KeptResults, shared: Sharing | None, shown: int) -> None:
        """Create. `shared` keeps results for other replicas."""
        self._redactor = redactor
        self._resources = resources
        self._shared = shared
        self._trimmer = Trimmer()
        self.shown = shown
        self.cut = False

    def showing(self, shown: int) -> ResultWriter:
        """Return the same with another size of what is shown."""
        other = copy(self)
        other.shown, other.cut = shown, False
        return other

    async def told(self, tool: Tool, answer: Response, sent: Sent, budget: Budget) -> Result:
        """Return the result for a response."""
        view, most = None, spans.shown(self.shown)
        if "result" in tool.binding:
            from ..result.result_rules import ResultRules  # imported late: few tools have result rules

            view = ResultRules(tool.binding["result"])
            if (instead := view.take(answer, sent, most)) is not None:
                return instead
        if response.is_large(answer, most):
            self.cut = True
            spans.note(cut=True)
            await self.keep(answer, sent, budget)
        result = response.interpret(answer, sent, self._redactor, most)
        if view is not None and not result.is_error:
            result = view.dressed(result, answer, sent, self._redactor, most)
        return result

    async def saved(self, download: Download, answer: Response, sent: Sent, budget: Budget) -> Result:
        """Write the response to a file, and return the result that says so."""
        from ..result.downloads import Unwritten  # loaded by now

        try:
            size = await download.save(answer, self._redactor, budget)
        except Unwritten as reason:
            return Result.error(f"{sent.tool.name} was answered with {answer.named}. {reason}")
        return response.saved(answer, sent, download.path, size)

    async def keep(self, answer: Response, sent: Sent, budget: Budget) -> None:
        """Keep a response that is too large to be shown, as much as time allows."""
        from ..result import large_results  # imported late: most responses fit

        with budget as seconds:
            answer.kept = await large_results.keep(answer, sent.uri, self._redactor, self._resources, seconds)
        if answer.kept and self._shared is not None:
            await self._shared.keep(sent.uri, *self._resources.whole(sent.uri), RESULT_SECONDS)

    def closed(self, answer: Response) -> None:
        """Release the memory and files of a response."""
        if answer.held is not None or answer.spool is not None:
            size = answer.size
            answer.close()
            self._trimmer.freed(size)
