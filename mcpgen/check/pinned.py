"""Check the names of tools that a tools file pins."""

from collections.abc import Iterable, Sequence

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.names import clipped, nearest
from mcpgen.model import ToolSpec
from mcpgen.model.options import MOST_PINNED


def check_pinned(
    tools: Sequence[ToolSpec], wanted: Iterable[tuple[str, Where]], diagnostics: Diagnostics
) -> tuple[str, ...]:
    """Return the names in `wanted` that tools have, at most MOST_PINNED. Report each of the others, with its place."""
    known = [tool.name for tool in tools]
    found: dict[str, None] = {}
    for name, where in wanted:
        if name in known:
            found[name] = None
        else:
            message = f"No tool is called '{clipped(name)}', so it cannot be pinned."
            diagnostics.add("unused-selector", message, where, nearest(name, known))
    return tuple(found)[:MOST_PINNED]
