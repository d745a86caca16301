# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer calls of the tools that find and describe other tools, and calls through `call_tool` that cannot be made.

Tools that the caller may not see, because of roles or read-only mode, appear in no answer.
"""

from __future__ import annotations

from ..calls.plain_call import sentence
from ..core import spans
from ..core.wire_formats import Result
from ..request.argument_errors import Refused
from . import notation, stubs
from .listing import TornIndex
from .retriever import Retriever
from .search_listing import CALL, CALL_WRITING, DESCRIBE, MOST_GROUPS, PROGRAMS, ROWS, RUN, SEARCH
from .stems import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Catalog, Tool
    from .retriever import Found

LONGEST_SHOWN = 64
LONGEST_TYPES, LONGEST_DESCRIBED_TYPES = 700, 4000
"""Maximum length in characters of the types of one tool: in a search result, and in a description."""


_CALLED = '{"name": "NAME OF A TOOL", "arguments": {ITS ARGUMENTS}}'
_EXAMPLES = {
    SEARCH: '{"queries": ["list open issues of a repository"]}',
    DESCRIBE: '{"names": ["NAME OF A TOOL"]}',
    CALL: _CALLED,
    CALL_WRITING: _CALLED,
}
"""Example arguments for the tools that find and call other tools, shown after a call with wrong arguments."""


def of_server(services: Services) -> ToolSearch:
    """Return the search over one version of the tools."""
    return ToolSearch(services.catalog)


def answer(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that answers a call of a tool which finds or describes other tools."""
    kind, found = services.catalog.finders[tool.name], services.once(of_server)

    def step(call: CallUnderWay) -> None:
        try:
            span = spans.current()
            call.result = found.seen_by(None if span is None else span.offered).answer(kind, call.arguments)
        except TornIndex as reason:
            call.result = Result.error(str(reason))

    return step


def refusal(services: Services) -> Callable[[str, Exception], str]:
    """Return the function that returns the text which says why a tool was not called.

    On a server with `--tools search`, the model may not know the tool's arguments. So the text ends with the tool's
    signature.
    """

    def told(tool: str, reason: Exception) -> str:
        said = sentence(tool, reason)
        signature = services.once(of_server).signature(tool) if isinstance(reason, Refused) else ""
        return f"{said}\n{signature}" if signature else said

    return told


class ToolSearch:
    """Search over the tools of one catalog. The first search opens the index."""

    def __init__(self, catalog: Catalog, opened: Retriever | None = None) -> None:
        """Create the search. `opened`: the search index, if another search has already opened it."""
        self._catalog = catalog
        self._opened = opened

    def seen_by(self, offered: Catalog | None) -> ToolSearch:
        """Return a search over the tools in `offered`, which one caller may use; None means all tools."""
        return self if offered is None else ToolSearch(offered, self._retriever)

    def answer(self, kind: str, arguments: dict[str, Any]) -> Result:
        """Return the result of a call of a search tool. `kind`: which search tool.

        `arguments` have been checked by the tool's input schema.
        """
        if kind == SEARCH:
            return self._search(arguments)
        if kind == DESCRIBE:
            return self._describe(arguments["names"])
        return Result.error(self._refused(kind, arguments))

    def signature(self, name: str) -> str:
        """Return the signature of an API's tool, or example arguments for a tool that finds or calls other tools.

        Return "" for the server's remaining tools, such as the one that runs programs.
        """
        if example := _EXAMPLES.get(self._catalog.finders.get(name, "")):
            return f"Such as {name}({example})."
        if name in self._catalog.finders or name in (self._catalog.reader, self._catalog.looker):
            return ""
        return notation.signature(self._catalog.described(name))

    @property
    def _retriever(self) -> Retriever:
        if self._opened is None:
            assert self._catalog.listing is not None, "only a server with a search has such tools"
            self._opened = Retriever(self._catalog.listing.index())
        return self._opened

    def _search(self, arguments: dict[str, Any]) -> Result:
        retriever = self._retriever
        group = arguments.get("group", "")
        if group and group.strip().casefold() not in map(str.casefold, self._groups()):
            return Result.error(f"There is no group '{group[:LONGEST_SHOWN]}'. {self._all_groups()}")
        limit = int(arguments.get("limit", ROWS))
        queries = list(dict.fromkeys(str(each).strip() for each in arguments["queries"]))
        told: dict[int, bool] = {}
        blocks = []
        for query in queries:
            found = retriever.search(query, limit, self._catalog.has, group)
            lines = [f"# {' '.join(query.split())}"] if len(queries) > 1 else []
            if not found.fits:
                lines.append(f"{self._nothing(group)}{' The nearest:' if found.hits else ''}")
            elif not found.sure:
                lines.append("Perhaps nothing here does that. The nearest:")
            lines += self._rows(found, told, stems(query))
            blocks.append("\n".join(lines))
        if self._catalog.offers("skills"):
            from ..skills.skills import rows  # imported late: few servers have skills

            blocks += rows(self._catalog.entries("resources"), queries, stems)
        return Result.text("\n\n".join(blocks) + self._functions(told, LONGEST_TYPES))

    def _functions(self, told: Mapping[int, bool], longest: int) -> str:
        """Return the text that lists tools as functions for programs that a model writes, or "" if programs can call
        none of the tools.

        `told` maps each tool to True if its function is always listed, with types of at most `longest` characters. The
        search result already shows the signatures of the tools that are mapped to False. The function of such a tool is
        listed only if tool and function have different names.
        """
        called = [number for number in told if self._is_called(number)]
        if not called:
            return ""
        spelled = self._spelled
        shown = []
        for number in called:
            name = self._retriever.names[number]
            if told[number] or spelled[name] != name:
                form = self._catalog.tool(name).binding.get("output", "")
                shown.append((self._tool(number), form, longest if told[number] else 0))
        runs = self._runs
        reads = "" if self._catalog.finders[runs] == RUN else " that read"
        others = f"tools above{reads}" if len(shown) < len(called) else ""
        return stubs.define(runs, others, spelled, shown)

    @property
    def _runs(self) -> str:
        """Return the name of the tool that runs programs written by the model, "" if the caller has no such tool."""
        running = {kind: name for name, kind in self._catalog.finders.items() if self._catalog.has(name)}
        return next((running[kind] for kind in PROGRAMS if kind in running), "")

    def _is_called(self, number: int) -> bool:
        """Return True if the programs that a model writes may call the tool with this number in the index."""
        runs = self._runs
        kind = self._catalog.finders.get(runs, "")
        return bool(runs) and (kind == RUN or not self._catalog.writes(self._retriever.names[number]))

    @property
    def _spelled(self) -> dict[str, str]:
        """Return a mapping from each tool of the API to the name of its function in the programs that models write."""
        return {tool: name for name, tool in stubs.functions(self._retriever.names).items()}

    def _rows(self, found: Found, told: dict[int, bool], asked: list[str]) -> list[str]:
        """Return a description of the best hit and one row for each other hit. Each hit is followed by the tools that
        return ids for its arguments. If no hit fits, the best one gets only a row too.

        No tool is described twice. `told` maps each tool shown so far to True if it was a best hit. `asked` are stems
        of the query.
        """
        lines = []
        for place, hit in enumerate(found.hits):
            is_best = place == 0 and found.fits
            if hit.number not in told:
                tool = self._tool(hit.number)
                # A row already names the arguments, so only the best hit is shown as a function too. For GitHub's API,
                # the answer to five queries takes 1,700 tokens instead of 4,000, and a task of five steps 2,400 instead
                # of 4,700.
                is_whole = is_best and not self._is_called(hit.number)
                lines.append(notation.described(tool) if is_whole else notation.row(tool, asked))
            elif is_best:
                lines.append(f"{self._retriever.names[hit.number]}: see above")
            told[hit.number] = is_best or told.get(hit.number, False)
            for argument, source in hit.sources:
                if source not in told:
                    told[source] = False
                    lines.append(f"    {argument} \u2190 {notation.signature(self._tool(source))}")
        return lines

    def _tool(self, number: int) -> dict[str, Any]:
        return self._catalog.described(self._retriever.names[number])

    def _describe(self, names: list[str]) -> Result:
        found, unknown = [], 0
        for asked in dict.fromkeys(names):
            name = self._catalog.resolve_alias(asked)
            if self._catalog.has(name):
                found.append(notation.described(self._catalog.described(name)))
            else:
                unknown += 1
                found.append(self._unknown(asked))
        wanted = {self._catalog.resolve_alias(name) for name in names}
        kept = {name for name in wanted if self._catalog.has(name)}
        numbers = [number for number, name in enumerate(self._retriever.names) if name in kept]
        text = "\n\n".join(found) + self._functions(dict.fromkeys(numbers, True), LONGEST_DESCRIBED_TYPES)
        return Result.error(text) if unknown == len(found) else Result.text(text)

    def _refused(self, kind: str, arguments: dict[str, Any]) -> str:
        """Return the reason why a call through `call_tool` or `call_writing_tool` was refused."""
        asked = str(arguments["name"])
        name = self._catalog.resolve_alias(asked)
        names = {each: called for called, each in self._catalog.finders.items()}
        if name in self._catalog.finders:
            return f"{name} is called directly, not through {names[kind]}."
        if not self._catalog.has(name):
            return self._unknown(asked)
        if kind == CALL and self._catalog.writes(name):
            if self._catalog.has(names[CALL_WRITING]):
                return f"{name} writes: {names[CALL_WRITING]} takes it. {self.signature(name)}"
            return f"{name} writes, which this server does not offer."
        return f"{name} was not called: arguments must be an object. {self.signature(name)}"

    def _unknown(self, name: str) -> str:
        shown = name[:LONGEST_SHOWN]
        if reason := self._catalog.withheld.get(self._catalog.resolve_alias(name)):
            return f"The tool '{shown}' is not offered: {reason}."
        near = self._retriever.nearest(name, self._catalog.has)
        rows = "\n".join(notation.signature(self._tool(number)) for number in near)
        if not rows:
            search = next(called for called, kind in self._catalog.finders.items() if kind == SEARCH)
            return f"There is no tool '{shown}', and none is called alike. {search} finds tools by what they do."
        return f"There is no tool '{shown}'. The nearest:\n{rows}"

    def _nothing(self, group: str) -> str:
        where = f" in the group {group.strip()}" if group else ""
        return f"Nothing here does that{where}. {self._all_groups()}"

    def _groups(self) -> dict[str, int]:
        """Return, for each group of tools, how many of its tools the caller may see, the largest group first."""
        retriever = self._retriever
        found: dict[str, int] = {}
        for name, number in zip(retriever.names, retriever.group, strict=True):
            if self._catalog.has(name):
                found[retriever.groups[number]] = found.get(retriever.groups[number], 0) + 1
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def _all_groups(self) -> str:
        groups = self._groups()
        shown = ", ".join(f"{group} {count}" for group, count in list(groups.items())[:MOST_GROUPS])
        return f"Groups: {shown}{', and smaller ones' if len(groups) > MOST_GROUPS else ''}."
