# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The names of hooks: what each kind begins with, and what it is for one tool."""

from __future__ import annotations

PARAMETERS = {"before_": "arguments", "request_": "request", "instead_of_": "arguments", "after_": "result"}
"""What each kind of hook is given. Those for all tools are given the tool's name before it."""


def own_name(kind: str, tool: str) -> str:
    """The name of the hook of that kind for one tool. A tool that is called `all` has none but `instead_of_all`."""
    return "" if tool == "all" and kind != "instead_of_" else kind + tool.replace("-", "_")
