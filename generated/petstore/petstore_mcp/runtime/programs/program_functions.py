# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Select the functions that a program of the model may call: one for each tool that its text names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..search import stubs
from ..search.nearest import nearest
from ..search.search_listing import RUN
from ..search.stems import stems

if TYPE_CHECKING:
    from ..core.catalog import Catalog
    from ..search.stubs import Function


class ProgramFunctions:
    """Functions that one program of the model may call: one for each allowed tool whose name is in the program."""

    def __init__(self, tool: str, code: str, catalog: Catalog, offered: Catalog) -> None:
        """Collect the functions that the program `code` may call.

        `tool`: the tool that runs the program. `offered`: tools that the caller of `tool` may use.
        """
        kind, own = catalog.finders[tool], {*catalog.finders, catalog.reader, catalog.looker}
        self._others: dict[str, str] = {}
        self._all = stubs.functions({*catalog.names(), *catalog.hidden} - own)
        self.found: dict[str, Function] = {}
        self._offered = offered
        taken: set[str] = set()
        named = stubs.words(code)
        spelled = {called: name for name, called in self._all.items()}
        for name in named & catalog.aliases.keys() - self._all.keys():
            if offered.has(catalog.aliases[name]):
                self._others[name] = f"{name} is another name of {spelled[catalog.aliases[name]]}."
        for name in named & catalog.finders.keys() - self._all.keys():
            self._others[name] = f"{name} is not called by programs: each tool is a function with its own name."
        for name in sorted(named & self._all.keys()):
            called = self._all[name]
            if not offered.has(called):
                if called in offered.withheld:  # no advice on a tool for which `withheld` has no reason
                    self._others[name] = f"{called} is not offered: {offered.withheld[called]}."
            elif kind != RUN and offered.writes(called):
                self._others[name] = f"{called} writes, and {tool} calls only what reads."
            else:
                form = catalog.tool(called).binding.get("output", "")
                self.found[name] = stubs.Function(name, offered.described(called), form, taken)

    @property
    def stubs(self) -> str:
        """Return Python declarations of the functions that the model's program may call, for the type checker."""
        return stubs.HEAD + "\n".join(each.stub for each in self.found.values())

    def writes(self, tool: str) -> bool:
        """Return True if a tool may change something."""
        return self._offered.writes(tool)

    def advice(self, told: str) -> str:
        """Return advice on functions that the error message `told` names: why the program cannot call them, or their
        `def` lines. For an undefined name, return the nearest names.
        """
        named = stubs.words(told)
        lines = [self._others[name] for name in sorted(named & self._others.keys())]
        lines += [each.line for name, each in self.found.items() if name in named][:3]
        unknown = [name for name in sorted(named - self._all.keys() - self._others.keys()) if "_" in name][:3]
        for name in unknown if "used when not defined" in told else ():
            seen = [each for each, called in self._all.items() if self._offered.has(called)]
            near = [seen[place] for place in nearest(name, seen, [frozenset(stems(each)) for each in seen], (), 3)]
            lines += [f"There is no {name}. The nearest: {', '.join(near)}."] if near else []
        return "".join(f"\n{line}" for line in lines)
