# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Keep the objects through which the hooks of a call ask the user, and send progress and log messages to the client
(`context` in hooks.py).
"""

from __future__ import annotations

from _contextvars import ContextVar  # the C half of `contextvars`; the Python half adds nothing and costs an import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Timeout
    from collections.abc import Mapping
    from contextvars import Token
    from typing import Any, Protocol

    from ..core.limits import Budget

    class Asker(Protocol):
        """Interface by which the hooks of one call ask the user (implemented by calls.hook_questions.HookQuestions)."""

        def enter(self, name: str, budget: Budget, deadline: Timeout) -> None:
            """Record that a hook begins. The hook shares the time `budget` with its call."""

        def leave(self) -> None:
            """Record that the hook has ended. Raise HookFailed if the hook asked an invalid or unexpected question, and
            OtherOutcome if the call must end to ask the user, even if the hook has caught the exception of `ask`.
            """

        async def ask(self, message: str, form: Mapping[str, Any], default: Mapping[str, Any] | None) -> dict[str, Any]:
            """Return the user's values for the fields of `form`, or `default` if the client does not support forms.

            Raises Unanswered if there is no answer, and CannotAsk if no hook runs or the request is about to be sent.
            """

    class Reporter(Protocol):
        """Typing protocol that `HookReports` implements: it sends the progress and log messages of one hook run."""

        def progress(self, done: float, total: float | None, message: str) -> None:
            """Report how far the hook is. Raises CannotReport for wrong values, and after the hook has ended."""

        def log(self, level: str, message: str, data: Any) -> None:
            """Log a message. Raises CannotReport for wrong values, and after the hook has ended."""


_current: ContextVar[Asker | None] = ContextVar("asker", default=None)
_reporter: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


def enter(asker: Asker | None) -> Token[Asker | None]:
    """Let hooks of the current asyncio task ask the user through `asker`; if `asker` is None, they cannot ask. Return a
    token for `leave`.
    """
    return _current.set(asker)


def leave(before: Token[Asker | None]) -> None:
    """Undo the call of `enter` that returned the token `before`."""
    _current.reset(before)


def current() -> Asker | None:
    """Return the object through which hooks of this call ask the user, or None if they cannot ask."""
    return _current.get()


def report_by(reporter: Reporter) -> Token[Reporter | None]:
    """Let the hook of the current asyncio task send its progress and log messages through `reporter`. Return a token
    for `report_as_before`, which undoes this.
    """
    return _reporter.set(reporter)


def report_as_before(before: Token[Reporter | None]) -> None:
    """Undo the call of `report_by` that returned the token `before`."""
    _reporter.reset(before)


def reporter() -> Reporter | None:
    """Return the object by which the running hook sends progress and log messages, or None if no hook runs."""
    return _reporter.get()
