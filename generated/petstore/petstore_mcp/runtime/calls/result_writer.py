# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Turn the response of a call into its result. If the call names a file, save the response there.

A response that is too large for the result is stored, and can be read later as a resource.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from ..core import spans
from ..core.wire_formats import Result
from ..http.trimming import Trimmer
from ..result import response

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from ..core.limits import Budget
    from ..http.exchange import Response, Sent
    from ..http_server.handles import Sharing
    from ..result.result_store import KeptResults
    from ..results.downloads import Download
    from ..results.result_rules import ResultRules
    from ..tables.table import View
    from ..text.redaction import Redactor

RESULT_SECONDS = 60 * 60.0
"""Seconds for which other replicas can read a stored result."""

_GRAPHQL = "application/graphql-response+json"
_OF_GRAPHQL: View = {"graphql": True}
"""Media type of responses of GraphQL (GraphQL over HTTP), and the `result` rules for them."""


class ResultWriter:
    """Writer of results. `shown`: largest number of bytes of a response that a result contains.

    `cut` becomes True when a response is larger than that.
    """

    def __init__(self, redactor: Redactor, resources: KeptResults, shared: Sharing | None, shown: int) -> None:
        """Create the writer. `resources`: store of large responses. `shared`: store for other replicas, or None."""
        self._redactor = redactor
        self._resources = resources
        self._shared = shared
        self._trimmer = Trimmer()
        self.shown = shown
        self.cut = False

    def showing(self, shown: int) -> ResultWriter:
        """Return a copy of this writer whose results contain at most `shown` bytes of a response."""
        other = copy(self)
        other.shown, other.cut = shown, False
        return other

    async def told(self, tool: Tool, answer: Response, sent: Sent, budget: Budget) -> Result:
        """Return the tool result for a response of the API."""
        view, most = None, spans.shown(self.shown)
        rules = tool.binding.get("result") or (_OF_GRAPHQL if answer.label == _GRAPHQL else None)
        if rules is not None:
            view = self._view(tool, rules)
        if view is not None and (instead := view.take(answer, sent, most)) is not None:
            return instead
        if response.is_large(answer, most):
            self.cut = True
            spans.note(cut=True)
            spans.log_to_client("notice", f"Shows {most:,} bytes of an answer that has {answer.size:,}.")
            await self.keep(answer, sent, budget)
        result = response.interpret(answer, sent, self._redactor, most)
        if view is not None and not result.is_error:
            result = view.dressed(result, answer, sent, self._redactor, most)
        return result

    def _view(self, tool: Tool, rules: View) -> ResultRules | None:
        """Return the rules for a result, or None if this server lacks them: its document does not mention GraphQL."""
        try:
            from ..results.result_rules import ResultRules  # imported late: few tools have rules for their results
        except ModuleNotFoundError:
            if "result" in tool.binding:
                raise
            return None
        return ResultRules(rules)

    async def saved(self, download: Download, answer: Response, sent: Sent, budget: Budget) -> Result:
        """Write the response to a file. Return a result with path and size of the file, or an error result."""
        from ..results.downloads import Unwritten  # imported late: few calls save their response

        try:
            size = await download.save(answer, self._redactor, budget)
        except Unwritten as reason:
            return Result.error(f"{sent.tool.name} was answered with {answer.named}. {reason}")
        return response.saved(answer, sent, download.path, size)

    async def keep(self, answer: Response, sent: Sent, budget: Budget) -> None:
        """Store a response that is too large for a result, or as much of it as the time budget allows."""
        from ..result import result_store  # imported late: few responses are too large

        with budget as seconds:
            answer.kept = await result_store.keep(answer, sent.uri, self._redactor, self._resources, seconds)
        if answer.kept and self._shared is not None:
            await self._shared.keep(sent.uri, *self._resources.whole(sent.uri), RESULT_SECONDS)

    def closed(self, answer: Response) -> None:
        """Release the memory and files of a response."""
        if answer.held is not None or answer.spool is not None:
            size = answer.size
            answer.close()
            self._trimmer.freed(size)
