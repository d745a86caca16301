"""Store the results of the last full run: the environment, and all results and limits by family of cases."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.bars import Bar
from benchmarks.speed.figures import Figure, Found, median

PATH = Path(__file__).parents[1] / "results.json"


@dataclass(frozen=True, slots=True)
class Results:
    """Stored results. `about`: facts about the environment by name. `families`: results by family of cases."""

    about: dict[str, str]
    families: dict[str, Found]

    def median(self, family: str, case: str, subject: str, unit: str) -> float | None:
        """Return the median for this family of cases, case, measured program and unit, or None if it is missing."""
        return median(self.families[family].figures, case, subject, unit) if family in self.families else None

    @property
    def rough(self) -> bool:
        """Return True if the machine was busy while a family of cases ran, so that the family's figures are rough."""
        return any(note.startswith(BUSY) for family in self.families.values() for note in family.notes)

    def over(self, before: Results) -> Results:
        """Return these results. Take missing families of cases from `before` if its run had the same environment."""
        if before.about != self.about:
            return self
        return replace(self, families={**before.families, **self.families})


BUSY = "The machine had other work meanwhile"
"""Beginning of the note of a family that ran while the machine was busy."""
OWN_LOAD = 3.0
"""Load that the previous family may have left: of a server, its client and the API."""


def busy() -> list[str]:
    """Return a list with a note that the machine is busy, or an empty list.

    The machine is busy if more processes wait for a CPU than a family of cases runs itself.
    """
    load = os.getloadavg()[0]
    return [f"{BUSY}: a load of {load:.1f}. Ratios are rough; run it again on an idle one."] if load > OWN_LOAD else []


def surroundings(upstream: str, versions: Mapping[str, str], many: str) -> dict[str, str]:
    """Return the facts about the environment that influence results."""
    return {
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "upstream": upstream,
        "1,200 tools": many,
        **{f"version of {name}": version for name, version in versions.items()},
    }


def read(path: Path = PATH) -> Results:
    """Return the stored results, or empty results if the file is missing."""
    if not path.is_file():
        return Results({}, {})
    stored = json.loads(path.read_text(encoding="utf-8"))
    return Results(stored["about"], {name: _found(family) for name, family in stored["families"].items()})


def write(results: Results, path: Path = PATH) -> None:
    """Store the results, one figure per line."""
    families = ",\n".join(f" {json.dumps(name)}: {_family(found)}" for name, found in results.families.items())
    about = json.dumps(results.about, indent=1, ensure_ascii=False)
    path.write_text(f'{{"about": {about},\n"families": {{\n{families}\n}}}}\n', encoding="utf-8")


def _family(found: Found) -> str:
    lists = {name: [_entry(each) for each in getattr(found, name)] for name in ("figures", "bars")}
    lists["notes"] = [json.dumps(note, ensure_ascii=False) for note in found.notes]
    inner = ",\n".join(f'  "{name}": [\n   ' + ",\n   ".join(entries) + "]" for name, entries in lists.items())
    return f"{{\n{inner}}}"


def _entry(value: Figure | Bar) -> str:
    """Return a figure or a limit as JSON, with floats rounded to four significant digits. Leave out a goal of None."""
    fields = {name: float(f"{each:.4g}") if type(each) is float else each for name, each in asdict(value).items()}
    return json.dumps({name: each for name, each in fields.items() if each is not None}, ensure_ascii=False)


def _found(family: dict[str, Any]) -> Found:
    figures = [Figure(**each) for each in family["figures"]]
    return Found(figures, [Bar(**each) for each in family["bars"]], family["notes"])
