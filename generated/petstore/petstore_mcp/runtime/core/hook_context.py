# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What `context` of hooks.py works on: the questions of the call in which a hook runs."""

from __future__ import annotations

from _contextvars import ContextVar  # the C half of `contextvars`; the Python half adds nothing and costs an import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Timeout
    from collections.abc import Mapping
    from contextvars import Token
    from typing import Any, Protocol

    from .budget import Budget

    class Asker(Protocol):
        """Protocol for the questions of the hooks of one call (calls.hook_questions.HookQuestions)."""

        def enter(self, name: str, budget: Budget, deadline: Timeout) -> None:
            """Note that a hook begins, which shares the time of its call."""

        def leave(self) -> None:
            """Note that the hook has ended. Raises what ends the call, whatever the hook made of that."""

        async def ask(self, message: str, form: Mapping[str, Any], default: Mapping[str, Any] | None) -> dict[str, Any]:
            """Return what the user fills in. Raises Unanswered, and CannotAsk."""


_current: ContextVar[Asker | None] = ContextVar("asker", default=None)


def enter(asker: Asker | None) -> Token[Asker | None]:
    """Let hooks of this task ask by `asker`, or not at all. Return what `leave` takes."""
    return _current.set(asker)


def leave(before: Token[Asker | None]) -> None:
    """Let hooks ask as before `enter`."""
    _current.reset(before)


def current() -> Asker | None:
    """Return what asks for the hooks of this call, or None where they cannot ask."""
    return _current.get()
