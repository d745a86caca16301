# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Queue calls that wait for a running call to end. Callers take turns, so that no caller has to wait for all calls of
another caller.

The calls of one caller keep their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Waiting = TypeVar("Waiting")


class FairQueue(Generic[Waiting]):
    """Fair queue of waiting calls, in which callers take turns."""

    def __init__(self) -> None:
        self._of: dict[str, dict[int, Waiting]] = {}
        self._callers: dict[int, str] = {}

    def __bool__(self) -> bool:
        """Return whether any call waits."""
        return bool(self._callers)

    def __len__(self) -> int:
        """Return how many calls wait."""
        return len(self._callers)

    def has(self, caller: str) -> bool:
        """Return True if any call of `caller` waits."""
        return caller in self._of

    def add(self, caller: str, key: int, waiting: Waiting) -> None:
        """Add a call to the queue, after the other calls of its caller."""
        self._of.setdefault(caller, {})[key] = waiting
        self._callers[key] = caller

    def remove(self, key: int) -> Waiting | None:
        """Remove and return the call with this key, or return None if the queue does not contain this call."""
        caller = self._callers.pop(key, None)
        if caller is None:
            return None
        found = self._of[caller].pop(key)
        if not self._of[caller]:
            del self._of[caller]
        return found

    def next(self, may: Callable[[str], bool]) -> Waiting | None:
        """Remove and return the first call of the next caller for whom `may(caller)` is True.

        This caller then goes behind all other callers. Return None if no waiting call may run.
        """
        for caller in self._of:
            if may(caller):
                found = self.remove(next(iter(self._of[caller])))
                if caller in self._of:
                    self._of[caller] = self._of.pop(caller)
                return found
        return None
