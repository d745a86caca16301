# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data of one call, from its beginning to its end."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from ..core.catalog import Tool
    from ..core.effects import Dialogue
    from ..core.limits import Budget
    from ..core.wire_formats import Asked

    Ask = Callable[[Asked], Awaitable[object]]


class CallUnderWay:
    """One call of `tool`, within its `budget`.

    - `report` is called with a text for each step of progress, such as `headers` or `page 3, 300 items`.
    - `dialogue`: how the client lets the server ask the user. `ask`: function that asks while the call waits, or None.
    - `close`: called before the request is sent. After each answer, hooks run again. `close` raises HookFailed if they
      did not ask all answered questions again.
    - `confirmed`: digest of what the user has confirmed already, in an earlier round of the same call, or "".
    - `given`: arguments to show the user for confirmation, as the client sent them; {} if no confirmation is needed.
    """

    __slots__ = ("ask", "budget", "close", "confirmed", "dialogue", "given", "report", "tool")

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
        self.close: Callable[[], None] = _nothing
        self.confirmed = ""
        self.given = deepcopy(arguments) if "confirm" in tool.binding else {}  # copied: hooks may change `arguments`


def _nothing() -> None:
    """Do nothing: the `close` of a call whose hooks asked the user no question."""
