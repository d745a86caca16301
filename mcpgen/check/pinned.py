"""Check that the names under `pin` in a tools file are names of tools. A server with a tool search always lists these
tools, and no other tools of the API.
"""

from collections.abc import Iterable, Sequence

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.names import clipped, nearest
from mcpgen.model import ToolSpec
from mcpgen.model.options import MOST_PINNED


def check_pinned(
    tools: Sequence[ToolSpec], wanted: Iterable[tuple[str, Where]], diagnostics: Diagnostics
) -> tuple[str, ...]:
    """Return the first MOST_PINNED names in `wanted` that are names of tools. Report each unknown name, with its place,
    and report if further tools are left out.
    """
    known = [tool.name for tool in tools]
    found: dict[str, None] = {}
    last: Where | None = None
    for name, where in wanted:
        last = where
        if name in known:
            found[name] = None
        else:
            message = f"No tool is called '{clipped(name)}', so `pin` cannot list it."
            diagnostics.add("unused-selector", message, where, nearest(name, known))
    if len(found) > MOST_PINNED:
        message = (
            f"{len(found)} tools are listed under `pin`; only the first {MOST_PINNED} of them appear in the tool list."
        )
        diagnostics.add("unused-selector", message, last, "Under `pin`, list only tools that nearly every task needs.")
    return tuple(found)[:MOST_PINNED]
