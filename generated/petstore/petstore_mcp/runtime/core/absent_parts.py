# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Say how to get back a part of the runtime whose files are missing. Loaded only if an import fails."""

from __future__ import annotations


def advise(problem: BaseException) -> str:
    """Return a sentence on the module of this server whose absence caused `problem`; "" if another problem did."""
    name = problem.name if isinstance(problem, ModuleNotFoundError) else None
    if not name or not name.startswith(f"{__name__.partition('.runtime.')[0]}.runtime."):
        return ""
    return f"This server's module {name} is missing. Run `mcpgen regenerate` to get it back."
