# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Show tools that were found as the functions of a program, in a few tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..programs.stubs import Function

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def shown(runs: str, others: str, spelled: Mapping[str, str], tools: Sequence[tuple[dict[str, Any], str, int]]) -> str:
    """Return the functions for these tools. `runs`: the tool that runs programs. `spelled`: its name by tool.

    Each tool comes with the form of its result, and how many characters its types may take; else they are left out.
    `others`: which tools of the answer are functions as well, "" if these are all.
    """
    if not tools:
        return f"\n\nFunctions for {runs} are the {others}."
    lines, taken = [f"\n\nFunctions for {runs}{others and f' (so are the other {others})'}:"], set[str]()
    for tool, form, longest in tools:
        function = Function(spelled[tool["name"]], tool, form, taken)
        lines += function.classes if len("\n".join(function.classes)) <= longest else []
        lines.append(function.line)
    return "\n".join(lines)
