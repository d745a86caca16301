# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Tool list of a server that lists a search in place of its tools (`--tools search`)."""

from __future__ import annotations

from binascii import crc32

from ..core.jsonrpc import dumps, loads
from .search_listing import PROGRAMS, RUN, RUN_READS, described

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..tables.table import Search
    from .search_listing import Table

    Change = Callable[[str, bytes], None]


NOT_INSTALLED = (
    "the sandbox that runs programs is not installed. Install this server with its extra [programs], or pydantic-monty"
)


class TornIndex(ValueError):
    """Raised if search.json and bindings.json do not belong together."""


# GitHub's 1,223 tools take 293,504 tokens, and several hosts never request a list again that has changed
# (docs/decisions/search.md).
class Listing:
    """Tool list of a server with `--tools search`: tools that find and call other tools, and tools that the owner keeps
    listed.

    `finders`: name of each tool that finds or calls other tools -> its kind. `lacking`: name of each tool that is not
    offered because the sandbox for programs of the model is not installed -> the reason as a sentence.
    """

    def __init__(self, search: Search, content: Callable[[], bytes]) -> None:
        """Create the tool list. `content()` returns the content of search.json.

        `search`: data from which the list is made. It is the member `search` of the header of bindings.json.
        """
        self._search = search
        self._content = content
        self.finders = dict(search["finders"])
        self.lacking: dict[str, str] = {}
        offered = [name for name, kind in self.finders.items() if kind in PROGRAMS]
        if offered and not _runs_programs():
            self.lacking = dict.fromkeys(offered, NOT_INSTALLED)
            self.finders = {name: kind for name, kind in self.finders.items() if name not in offered}

    @property
    def runs_programs(self) -> bool:
        """Return True if a listed tool runs programs that the model writes."""
        return any(kind in PROGRAMS for kind in self.finders.values())

    @property
    def lack(self) -> str:
        """Return the warning for an operator who starts the server without the sandbox that its tools need."""
        return f"{' and '.join(self.lacking)} cannot be offered: {NOT_INSTALLED}."

    def bindings(self) -> dict[str, bytes]:
        """Return tool name -> entry of `bindings.json` as JSON text, for each tool that finds or calls other tools."""
        return {name: dumps({"name": name, "search": kind}) for name, kind in self.finders.items()}

    def entries(self, catalog: Table) -> dict[str, bytes]:
        """Return tool name -> entry of `tools/list` as JSON text, for each tool that finds or calls other tools.

        The descriptions state how many tools there are, without hidden ones. If no tool is hidden, the numbers computed
        at compile time are used. This makes the first list fast, since no line of tools.json has to be located.
        """
        groups, others, starts, finders = (
            self._search["groups"],
            self._search["others"],
            self._search["starts"],
            self.finders,
        )
        if catalog.hidden or catalog.private:
            groups, others = self._visible(catalog)
            starts = [each for each in starts if catalog.has(each.partition("(")[0])]
            finders = {name: kind for name, kind in finders.items() if catalog.has(name)}
        return {
            tool["name"]: dumps(tool)
            for tool in described(self.finders, groups, others, starts)
            if tool["name"] in finders
        }

    def names(self, catalog: Table) -> list[str]:
        """Return the names of the listed tools, in order, without hidden ones."""
        found = [*self.finders, *self._search["pinned"], *filter(None, (catalog.reader, catalog.looker))]
        seen = [name for name in found if not (catalog.hidden or catalog.private) or catalog.has(name)]
        # Listing both would cost 80 tokens more in every conversation. `run_reads` can still be called by its name.
        if any(self.finders.get(name) == RUN for name in seen):
            return [name for name in seen if self.finders.get(name) != RUN_READS]
        return seen

    def index(self) -> Any:
        """Return the content of search.json, parsed anew.

        Raise TornIndex if the file's digest differs from the one in bindings.json.
        """
        content = self._content()
        if f"{crc32(content):08x}" != self._search["digest"]:
            raise TornIndex("Generate the server again: search.json and bindings.json do not belong together.")
        return loads(content.decode())[0]

    def _visible(self, catalog: Table) -> tuple[dict[str, int], int]:
        """Return group -> its number of visible tools, for the groups that the search tools' descriptions name. Also
        return the number of all other visible tools.
        """
        try:
            rows = self.index()
        except TornIndex:  # no error at the start: each search reports that search.json is damaged
            rows = {"names": [], "group": [], "groups": []}
        found: dict[str, int] = {}
        for name, number in zip(rows["names"], rows["group"], strict=True):
            if catalog.has(name):
                group = rows["groups"][number]
                found[group] = found.get(group, 0) + 1
        shown = {group: found.pop(group) for group in self._search["groups"] if group in found}
        ordered = sorted(shown.items(), key=lambda each: (-each[1], each[0]))
        return dict(ordered), sum(found.values())


def _runs_programs() -> bool:
    """Return True if the sandbox's package is installed with its binary part, which is missing on some platforms."""
    import os
    from _frozen_importlib_external import PathFinder  # not from `importlib`, which takes long to load

    spec = PathFinder.find_spec("pydantic_monty")
    folders = spec.submodule_search_locations if spec is not None else ()
    try:
        return any(name.startswith("_monty.") for folder in folders or () for name in os.listdir(folder))
    except OSError:
        return False
