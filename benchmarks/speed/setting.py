"""Define the setting of a run, which every family of cases receives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.programs import Programs
from benchmarks.speed.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Setting:
    """The programs, the API that they call, a folder for files of the run, and how thorough it is to be: `rounds` of
    each case, `seconds` for a round of calls; `quick` leaves out what takes minutes."""

    programs: Programs
    upstream: Upstream
    folder: Path
    rounds: int
    seconds: float
    quick: bool
