"""The results of the last full run, as a file: what was measured where, and all figures and bars by family."""

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
    """`about` says in what surroundings, by name; `families` hold what was found there."""

    about: dict[str, str]
    families: dict[str, Found]

    def median(self, family: str, case: str, subject: str, unit: str) -> float | None:
        """A figure, None where it was not measured."""
        return median(self.families[family].figures, case, subject, unit) if family in self.families else None

    @property
    def rough(self) -> bool:
        """Whether a family ran while the machine was busy."""
        return any(note.startswith(BUSY) for family in self.families.values() for note in family.notes)

    def over(self, before: Results) -> Results:
        """These, and the families of a run before that was in the same surroundings."""
        if before.about != self.about:
            return self
        return replace(self, families={**before.families, **self.families})


BUSY = "The machine had other work meanwhile"
"""How the note of a family begins that did not run on an idle machine."""
OWN_LOAD = 3.0
"""What a family before may have left: a server, its client and the API at work."""


def busy() -> list[str]:
    """That note, where more waits for the processors than a family has running itself."""
    load = os.getloadavg()[0]
    return [f"{BUSY}: a load of {load:.1f}. Ratios are rough; run it again on an idle one."] if load > OWN_LOAD else []


def surroundings(upstream: str, versions: Mapping[str, str], many: str) -> dict[str, str]:
    """What results depend on."""
    return {
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "upstream": upstream,
        "1,200 tools": many,
        **{f"version of {name}": version for name, version in versions.items()},
    }


def read(path: Path = PATH) -> Results:
    """The stored results; none where there is no file."""
    if not path.is_file():
        return Results({}, {})
    stored = json.loads(path.read_text(encoding="utf-8"))
    return Results(stored["about"], {name: _found(family) for name, family in stored["families"].items()})


def write(results: Results, path: Path = PATH) -> None:
    """Store them, a figure a line."""
    families = ",\n".join(f" {json.dumps(name)}: {_family(found)}" for name, found in results.families.items())
    about = json.dumps(results.about, indent=1, ensure_ascii=False)
    path.write_text(f'{{"about": {about},\n"families": {{\n{families}\n}}}}\n', encoding="utf-8")


def _family(found: Found) -> str:
    lists = {name: [_entry(each) for each in getattr(found, name)] for name in ("figures", "bars")}
    lists["notes"] = [json.dumps(note, ensure_ascii=False) for note in found.notes]
    inner = ",\n".join(f'  "{name}": [\n   ' + ",\n   ".join(entries) + "]" for name, entries in lists.items())
    return f"{{\n{inner}}}"


def _entry(value: Figure | Bar) -> str:
    """Its fields. Four digits are more than any of them is good for."""
    fields = {name: float(f"{each:.4g}") if type(each) is float else each for name, each in asdict(value).items()}
    return json.dumps(fields, ensure_ascii=False)


def _found(family: dict[str, Any]) -> Found:
    figures = [Figure(**each) for each in family["figures"]]
    return Found(figures, [Bar(**each) for each in family["bars"]], family["notes"])
