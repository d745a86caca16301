# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Names of hooks: the prefix of each kind, the hooks for all tools, and the names for one tool.

The compiler finds hooks for missing tools by these names.
"""

from __future__ import annotations

PARAMETERS = {"before_": "arguments", "request_": "request", "instead_of_": "arguments", "after_": "result"}
"""Prefix of each kind of hook -> name of its parameter. Hooks for all tools have the tool's name as first parameter."""

FOR_ALL = ("before_all", "request_all", "after_all")


def own_name(kind: str, tool: str) -> str:
    """Return the name of the hook for one tool. `kind`: prefix, such as `before_`.

    For a tool named `all`, only `instead_of_all` exists, since `before_all` and the like are hooks for all tools.
    """
    return "" if tool == "all" and kind != "instead_of_" else kind + tool.replace("-", "_")
