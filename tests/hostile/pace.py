"""Measure how slow this machine is, so that a limit on CPU seconds allows the same work on each machine."""

from __future__ import annotations

import math
import os
import sys
from functools import cache
from pathlib import Path

ORDINARY = Path(__file__).parents[2] / "specs" / "petstore.openapi.yaml"
REFERENCE = 0.4
"""CPU seconds to inspect the document `ORDINARY`, on the machine for which the limits of tests are written."""


def paced(seconds: float) -> int:
    """Return a limit on CPU seconds for this machine: `seconds` or, where the machine is slower, as much more."""
    return math.ceil(seconds * max(1.0, _ordinary() / REFERENCE))


@cache
def _ordinary() -> float:
    command = [sys.executable, "-m", "mcpgen", "inspect", str(ORDINARY)]
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    _, status, usage = os.wait4(os.posix_spawn(sys.executable, command, os.environ, file_actions=silent), 0)
    assert status == 0, "an ordinary document must compile"
    return usage.ru_utime + usage.ru_stime
