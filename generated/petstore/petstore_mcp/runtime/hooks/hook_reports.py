# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Report progress and log for hooks: `context.progress` and `context.log` in hooks.py.

A hook reports from the event loop or from a thread. The event loop sends all reports, in the hook's order. It also
removes secrets from them, since only the event loop changes the list of known secrets.

A hook reports only while it runs. Otherwise a thread or task that the hook started could send a report after the call's
result.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.effects import LOG_LEVELS
from ..request.argument_errors import CannotReport
from ..text.sanitize import brief
from . import hook_context

if TYPE_CHECKING:
    from contextvars import Token

LONGEST, LONGEST_DATA, DEEPEST = 1000, 4000, 20
"""Largest number of characters of a message and of the JSON text of its data, and how deep data is nested at most."""

MOST_WAITING = 64
"""Largest number of log messages that threads of a hook have ready for the event loop. More are counted and left out.

A thread that logs in a loop is faster than the event loop. Without a limit, it fills the memory.
"""

LARGEST = 2**53
"""Largest progress. JSON numbers above it lose their last digits in some clients."""

_OWN_LEVELS = dict(zip(LOG_LEVELS, ("debug", "info", "info", "warning", *("error",) * 4), strict=True))
"""Level of a message -> its level in the log of this server."""

_OVER = "it reports only while it runs, in its own thread, its tasks, and what asyncio.to_thread runs"


# Official clients report an error if progress arrives after the result, so only a running hook may report
# (docs/decisions/calls.md).
class HookReports:
    """Reporter of one run of a hook: sends its progress and log messages to the client.

    Log messages are also written to the log of this server.

    Use it in a `with` block around the hook, in the event loop of the call.
    """

    __slots__ = (
        "_before", "_done", "_due", "_hook", "_left_out", "_loop", "_over", "_step", "_thread", "_tool", "_wait",
    )  # fmt: skip

    def __init__(self, tool: str, hook: str) -> None:
        self._tool = tool
        self._hook = hook
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._wait: deque[tuple[str, str, str]] = deque()
        self._left_out = 0
        self._done = -1.0
        self._step: tuple[float, float | None, str] | None = None
        self._due = self._over = False
        self._before: Token[hook_context.Reporter | None] | None = None

    def __enter__(self) -> None:
        self._before = hook_context.report_by(self)

    def __exit__(self, *_: object) -> None:
        self._deliver()
        self._over = True
        span = spans.current()
        if span is not None and span.progress is not None:
            span.progress.leave(self)
        if self._before is not None:
            hook_context.report_as_before(self._before)

    def progress(self, done: float, total: float | None, message: str) -> None:
        """Report how far the hook is. Ignore a lower `done` than before.

        Raise CannotReport if an argument is invalid or the hook has ended.
        """
        if not _is_number(done) or not (total is None or _is_number(total)) or not isinstance(message, str):
            raise CannotReport("context.progress takes numbers from 0 to 2**53 and a text")
        self._check_open()
        if done >= self._done:
            self._done = done
            self._step = done, total, message
            self._hand_over()

    def log(self, level: str, message: str, data: Any) -> None:
        """Log a message in this server and at the client.

        Raise CannotReport if an argument is invalid or the hook has ended.
        """
        if level not in LOG_LEVELS or not isinstance(message, str):
            raise CannotReport(f"context.log takes a level ({', '.join(LOG_LEVELS)}) and a text")
        written = "" if data is None else _written(data)  # to JSON now, since the hook may change the data later
        self._check_open()
        if len(self._wait) < MOST_WAITING:
            self._wait.append((level, message, written))
        else:
            self._left_out += 1
        self._hand_over()

    def _check_open(self) -> None:
        if self._over:
            raise CannotReport(_OVER)

    def _hand_over(self) -> None:
        """Deliver the reports at once if the caller is in the event loop's thread. Else the loop delivers them soon."""
        if threading.get_ident() == self._thread:
            self._deliver()
        elif not self._due:
            self._due = True
            with contextlib.suppress(RuntimeError):  # the event loop was closed while the hook still ran
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._due = False  # reset first, so that a report that comes during this delivery causes another delivery
        if self._over:
            return
        for _ in range(len(self._wait)):
            self._tell(*self._wait.popleft())
        if self._left_out:
            count, self._left_out = self._left_out, 0
            self._tell("warning", f"Left out, because there were too many: {count} log messages of this hook.", "")
        step, self._step = self._step, None
        if step is not None:
            self._advance(*step)

    def _tell(self, level: str, message: str, data: str) -> None:
        """Write a message to the log of this server, and send it to the client, both without secrets."""
        told = {"tool": self._tool, "hook": self._hook, "message": brief(log.redacted(message), LONGEST)}
        log.event(_OWN_LEVELS[level], "hook_log", **told, **({"data": data} if data else {}))
        shown = {"tool": self._tool, "message": message}
        spans.log_to_client(level, {**shown, "data": json.loads(data)} if data else shown)

    def _advance(self, done: float, total: float | None, message: str) -> None:
        span = spans.current()
        if span is None:
            return
        span.said = said = brief(log.redacted(message), LONGEST)
        if span.progress is not None:
            span.progress.advance(self, done, total, said)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _written(data: Any) -> str:
    """Return data as JSON text, or a note in JSON if the data is too long or too deep. Raise CannotReport if the data
    cannot be written as JSON.
    """
    try:
        written = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise CannotReport("context.log takes data that JSON can hold") from None
    if len(written) <= LONGEST_DATA and not _is_deep(data, DEEPEST):
        return written
    return json.dumps(f"Left out, because it is too long or too deep: {len(written):,} characters.")


def _is_deep(value: Any, most: int) -> bool:
    """Return True if a value is nested more than `most` deep."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return not most or any(_is_deep(each, most - 1) for each in members)
