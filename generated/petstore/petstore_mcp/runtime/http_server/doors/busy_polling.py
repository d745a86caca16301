# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Poll for data before sleeping, as long as data keeps arriving quickly (busy polling), for `--http`.

A sleeping process is woken some time after its data has arrived, and its core may have left its fastest state. With a
quick client and a quick upstream, these delays are a quarter of a call's time. So after PROMPT short waits in a row,
the event loop polls for up to WINDOW seconds before it sleeps. One longer wait ends this.

- Gain: a quarter of the time of a small call, if a single client calls without a pause
  (docs/decisions/speed.md).
- Risk: polling takes CPU time. While each wait is short, the process keeps its core busy. If a wait is longer, WINDOW
  seconds are lost. On a single core, polling would delay the client that the server waits for. So a process that may
  use less than two cores never polls.
- Test: `tests/runtime/test_busy_polling.py`. `tests/runtime/test_tuning.py` checks that `MCPGEN_TUNING=0` disables this
  module.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
import time
from collections.abc import Callable

from ...tuning import ON

#: Seconds for which the loop polls, and the longest wait that counts as short: about the time of a quick upstream.
WINDOW = 0.00015
#: Number of short waits in a row after which the loop polls. One client with a slow upstream never causes so many.
PROMPT = 8
#: File with the CPU time that the control group of the process may use in a period, both in microseconds (Linux).
_LIMIT = "/sys/fs/cgroup/cpu.max"


# A call of a single client took 0.38 ms with polling and 0.50 ms without (docs/decisions/speed.md).
def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return a function that makes an event loop which polls, or None for the usual event loop.

    The usual loop is used with less than two cores, on Windows, and if the performance tricks are disabled.
    """
    if not ON or sys.platform == "win32" or _cores() < 2:
        return None
    return lambda: asyncio.SelectorEventLoop(PollingSelector())


def _cores() -> float:
    """Return how many cores this process may use: those of the system, or fewer by the limit of its container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open(_LIMIT, encoding="ascii") as file:
            microseconds, period = map(int, file.read().split())
    except (OSError, ValueError):  # ValueError: `max` instead of a number means that there is no limit
        return cores
    return min(cores, microseconds / period)


class PollingSelector(selectors.DefaultSelector):
    """The system's selector, but it polls for a while before it sleeps if the last PROMPT waits were short."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Create the selector. `clock()` returns seconds."""
        super().__init__()
        self._clock = clock
        self._poll = super().select
        self._short = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return the ready files with their events. Wait for at most `timeout` seconds, or without limit if None."""
        if timeout is not None and timeout <= WINDOW:
            return self._poll(timeout)
        end = self._clock() + WINDOW
        if self._short < PROMPT:
            ready = self._poll(timeout)
            self._short = self._short + 1 if self._clock() < end else 0
            return ready
        while self._clock() < end:
            if ready := self._poll(0):
                return ready
        self._short = 0
        return self._poll(None if timeout is None else timeout - WINDOW)
