"""Draw the rooms of the runtime from its imports, as the diagram (Mermaid) in ARCHITECTURE.md.

python -m tests.architecture.picture writes the diagram anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mcpgen.emit import wings
from tests.architecture.imports import ROOT, Arrow, arrows, modules

PAGE = ROOT / "ARCHITECTURE.md"
HOUSE = "package.runtime."
SERVER = "server"
_DRAWN = re.compile(r"(?<=<!-- rooms -->\n)```mermaid\n.*?```\n", re.DOTALL)


def room(module: str) -> str:
    """Return the folder of a module of the runtime, or its own name if it stands in no folder."""
    return module.removeprefix(HOUSE).partition(".")[0]


def drawn(found: Iterable[Arrow]) -> str:
    """Return the diagram: arrows from each room of the plain core, and from each wing, to what it imports.

    An arrow that others imply is left out. So are arrows from wings to the plain core, because every wing has them, and
    the types of the tables, because no server loads them.
    """
    targets: dict[str, set[str]] = {}
    for source, target in ((room(arrow.source), room(arrow.target)) for arrow in found):
        targets.setdefault(source, set()).add(target)
    core = {SERVER, *wings.CORE}
    lines = ["flowchart LR", '  subgraph core ["plain core"]']
    lines += _arrows("    ", "-->", _fewest({each: targets.get(each, set()) & core - {each} for each in sorted(core)}))
    lines += ["  end"]
    drawn_wings = [wing for wing in wings.WINGS if wing.name not in (wings.PLAIN, "tables")]
    needed = {wing.name: targets.get(wing.name, set()) & {*wing.needs} for wing in drawn_wings}
    lines += _arrows("  ", "-->", _fewest(needed))
    lines += _arrows("  ", "-.->", {wing.name: targets.get(wing.name, set()) & {*wing.uses} for wing in drawn_wings})
    lines += [f"  {' & '.join(sorted(name for name, below in needed.items() if not below))} --> core"]
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"


def _arrows(indent: str, arrow: str, targets: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield one line for all rooms that import the same rooms."""
    sources: dict[tuple[str, ...], list[str]] = {}
    for each, below in targets.items():
        sources.setdefault(tuple(sorted(below)), []).append(each)
    yield from (f"{indent}{' & '.join(each)} {arrow} {' & '.join(below)}" for below, each in sources.items() if below)


def _fewest(targets: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows that no way over other arrows implies. `targets`: room → all rooms that it imports."""

    def reached(room: str) -> set[str]:
        return set().union(*({below} | reached(below) for below in targets.get(room, ())))

    return {each: below - set().union(*map(reached, below)) for each, below in targets.items()}


def of_the_runtime() -> str:
    """Return the diagram of the runtime as it stands."""
    return drawn(arrows({name: path for name, path in modules("templates/package").items() if name.startswith(HOUSE)}))


def rewritten(page: str, diagram: str) -> str:
    """Return the text of the page with this diagram after its mark."""
    return _DRAWN.sub(lambda _: diagram, page, count=1)


if __name__ == "__main__":
    Path(PAGE).write_text(rewritten(PAGE.read_text(encoding="utf-8"), of_the_runtime()), encoding="utf-8")
