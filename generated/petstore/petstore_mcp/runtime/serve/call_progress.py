# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Count the progress of one call: one number that only grows, from phases, heartbeats and numbers that hooks report.

Each run of a hook reports numbers on a scale of its own, such as 3 of 10. These numbers are added to the progress that
the call had before, unless the first of them is already greater than this progress.
"""

from __future__ import annotations

import math

from . import heartbeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.spans import Span

FINE = 0.001
"""Progress that a heartbeat adds while a hook reports numbers: so little that the hook's next number is greater."""

_NOTHING = -1


class CallProgress:
    """The progress of one call. `done`, `total` (None if unknown), `said` (a message): what the client is sent next."""

    __slots__ = ("_base", "_hook", "_stale", "done", "said", "total")

    def __init__(self) -> None:
        self.done: float = _NOTHING
        self.total: float | None = None
        self.said = ""
        self._hook: object = None
        self._base: float = 0
        self._stale = False

    def phase(self, message: str) -> None:
        """Raise the progress to the next integer, since a phase of the call has ended. `message`: text to send next."""
        self.done, self.total, self.said, self._stale = self._so_far() + 1, None, message, False

    def advance(self, hook: object, done: float, total: float | None, message: str) -> None:
        """Raise the progress after a report of a hook, which has done `done` of `total` of its work.

        The progress grows even if the hook reports a smaller number. `hook`: any object that identifies this run of the
        hook.
        """
        if hook is not self._hook:
            self._hook, self._base = hook, 0 if done > self.done else self._so_far()
        reached = self._base + done
        self.done = reached if reached > self.done else _finely(self.done)
        self.total = self._base + total if total is not None and self._base + total >= self.done else None
        self.said, self._stale = message, False

    def leave(self, hook: object) -> None:
        """Record that this run of a hook has ended. Later heartbeats do not repeat the message of this run."""
        if hook is self._hook:
            self._hook, self._stale = None, True

    def beat(self, is_asking: bool, span: Span | None, seconds: float) -> tuple[float, float | None, str]:
        """Count a heartbeat. Return the progress, the total or None, and the message.

        `is_asking`: True if the call waits for its user. `seconds`: duration of the call so far.
        """
        said = heartbeat.USER if is_asking else "" if self._stale else self.said
        if self._hook is None:
            self.done, self.total, message = heartbeat.beat(self._so_far(), said, span, seconds)
        else:
            self.done, message = _finely(self.done), f"{said or 'working'}, {seconds:.0f} s"
        return self.done, self.total, message

    def _so_far(self) -> int:
        return math.floor(max(self.done, 0))


def _finely(done: float) -> float:
    """Return `done` plus about 0.001 (FINE), since MCP requires each progress to be greater than the one before."""
    return max(round(done + FINE, 3), math.nextafter(done, math.inf))
