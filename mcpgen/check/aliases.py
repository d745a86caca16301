"""Check that no alias of a tool is also the name or an alias of another tool."""

from collections.abc import Sequence
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.model import ToolSpec


def unique_aliases(tools: Sequence[ToolSpec], diagnostics: Diagnostics) -> tuple[ToolSpec, ...]:
    """Return `tools` without aliases that are the name or an alias of another tool. Report each removed alias, with its
    place.
    """
    owners = {tool.name: tool.name for tool in tools}
    found = []
    for tool in tools:
        kept = []
        for alias in tool.aliases:
            owner = owners.setdefault(alias, tool.name)
            if owner == tool.name:
                kept.append(alias)
                continue
            message = f"'{alias}' is already a name of {owner}, so it cannot be an alias of {tool.name}."
            diagnostics.add(
                "duplicate-name",
                message,
                tool.operation.decided.aliases.get(alias),
                "Remove the alias, or rename the tool.",
            )
        found.append(replace(tool, aliases=tuple(kept)))
    return tuple(found)
