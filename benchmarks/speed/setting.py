"""Define the inputs of a benchmark run (such as the measured programs), which every family of cases receives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.programs import Programs
from benchmarks.speed.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Setting:
    """Inputs of one family of cases (for example, the family `calls`): the measured programs, their API, and a folder.

    `rounds`: rounds of each case. `seconds`: time of a round of calls. `quick`: True to leave out measurements that
    take minutes.
    """

    programs: Programs
    upstream: Upstream
    folder: Path
    rounds: int
    seconds: float
    quick: bool
