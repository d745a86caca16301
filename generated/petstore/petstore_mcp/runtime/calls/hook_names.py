# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Names of hooks: the prefix of each kind, and the name for one tool."""

from __future__ import annotations

PARAMETERS = {"before_": "arguments", "request_": "request", "instead_of_": "arguments", "after_": "result"}
"""Prefix of each kind of hook, and the parameter it receives. Hooks for all tools receive the tool's name first."""


def own_name(kind: str, tool: str) -> str:
    """Return the name of the hook of that kind for one tool. A tool named `all` can have only `instead_of_all`."""
    return "" if tool == "all" and kind != "instead_of_" else kind + tool.replace("-", "_")
