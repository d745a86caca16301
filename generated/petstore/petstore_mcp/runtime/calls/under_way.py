# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Hold what belongs to one call from its beginning to its end."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.budget import Budget
    from ..core.catalog import Tool
    from ..core.effects import Dialogue
    from .consent import Ask


class CallUnderWay:
    """One call of `tool`, within its `budget`.

    - `report` is told of phases that are over. `dialogue` and `ask` are the two ways to ask the user.
    - `given`: what the user confirms, which are the arguments of the client; empty if nothing has to be confirmed.
    """

    __slots__ = ("ask", "budget", "dialogue", "given", "report", "tool")

    def __init__(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        report: Callable[[str], None],
        dialogue: Dialogue,
        ask: Ask | None,
        budget: Budget,
    ) -> None:
        self.tool = tool
        self.report = report
        self.dialogue = dialogue
        self.ask = ask
        self.budget = budget
        self.given = deepcopy(arguments) if "confirm" in tool.binding else {}  # hooks may change the arguments
