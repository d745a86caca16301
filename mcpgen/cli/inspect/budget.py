"""Check that no tool has more tokens than `--max-tokens` allows."""

from collections.abc import Sequence

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.emit import table
from mcpgen.model import ToolSpec

_NAMED = 40


def exceeded(tools: Sequence[ToolSpec], most: int | None) -> list[Diagnostic]:
    """Return a diagnostic for each tool that costs more than `most` tokens, the largest first."""
    heavy = sorted(((table.cost(tool), tool) for tool in tools), key=lambda found: -found[0])
    return [
        Diagnostic(
            "over-budget",
            f"{tool.name} takes about {cost:,} tokens; --max-tokens allows {most:,}.",
            "Shorten the description of the tool, hide some of its arguments, or leave the tool out.",
            tool.operation.where,
        )
        for cost, tool in heavy
        if most is not None and cost > most
    ]


def sentence(tools: Sequence[ToolSpec], most: int) -> str:
    """Return a sentence that names all tools over the limit, or "" if there are none."""
    costs = sorted(((table.cost(tool), tool.name) for tool in tools), key=lambda found: (-found[0], found[1]))
    heavy = [f"{name} {cost:,}" for cost, name in costs if cost > most]
    if not heavy:
        return ""
    one = len(heavy) == 1
    named = ", ".join(heavy[:_NAMED]) + (f", and {len(heavy) - _NAMED:,} more" if len(heavy) > _NAMED else "")
    return f"{len(heavy):,} tool{' takes' if one else 's take'} more than {most:,} tokens: {named}."
