# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe the tools that a search has found, in few tokens, as Python functions for programs that a model writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .stubs import Function

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def shown(runs: str, others: str, spelled: Mapping[str, str], tools: Sequence[tuple[dict[str, Any], str, int]]) -> str:
    """Return the Python function definitions of these tools, as text for the model. `runs` is the name of the tool that
    runs a model's program.

    - `spelled`: maps the name of each tool to the name of its function.
    - `tools`: entries of `tools/list`, each with how its result is wrapped (words.OutputForm), and the maximum number
      of characters for its types. Longer types are left out.
    - `others`: phrase for found tools that programs may call too, but that are not in `tools`, such as "tools above";
      "" if there are none.
    """
    if not tools:
        return f"\n\nFunctions for {runs} are the {others}."
    lines, taken = [f"\n\nFunctions for {runs}{others and f' (so are the other {others})'}:"], set[str]()
    for tool, form, longest in tools:
        function = Function(spelled[tool["name"]], tool, form, taken)
        lines += function.classes if len("\n".join(function.classes)) <= longest else []
        lines.append(function.line)
    return "\n".join(lines)
