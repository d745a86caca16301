"""Measure our servers beside those of others, in one run and in turns.

    python -m benchmarks.speed [FAMILY]... [--rounds N] [--quick] [--write]

Families: start, calls, core, arguments, memory, http, idle, compile, size; by default all. `--quick` makes few rounds,
and leaves out what takes minutes. `--write` stores the results and writes speed.svg and the tables of the README and
docs, as `make bench` does. Families that did not run keep their stored results if the environment is the same. The exit
code is 1 if a limit is not met. The first run installs the measured programs under .clients/, which takes some minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.bars import show
from benchmarks.speed import (
    api,
    arguments,
    calls,
    compiling,
    core,
    http_calls,
    idle,
    memory,
    plot,
    results,
    size,
    start,
    table,
    upstream,
)
from benchmarks.speed.figures import Found, told
from benchmarks.speed.programs import prepare, versions
from benchmarks.speed.setting import Setting

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs" / "explanation" / "speed.md", ROOT / "README.md")
"""Page with the complete table, and page with the short one."""
SECONDS, QUICK_SECONDS = 0.5, 0.1
CEILING_REQUESTS = 20_000


class Family(NamedTuple):
    """A family of cases: the function that measures it, and the default number of rounds."""

    measure: Callable[[Setting], Found]
    rounds: int


FAMILIES = {
    "start": Family(start.measure, start.ROUNDS),
    "calls": Family(calls.measure, calls.ROUNDS),
    "core": Family(core.measure, calls.ROUNDS),
    "arguments": Family(arguments.measure, arguments.ROUNDS),
    "memory": Family(memory.measure, memory.ROUNDS),
    "http": Family(http_calls.measure, http_calls.ROUNDS),
    "idle": Family(idle.measure, idle.ROUNDS),
    "compile": Family(compiling.measure, compiling.ROUNDS),
    "size": Family(size.measure, size.ROUNDS),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("family", nargs="*", type=_family, metavar="FAMILY")
    parser.add_argument("--rounds", type=_number)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    names = [*dict.fromkeys(options.family)] or list(FAMILIES)
    found = measured(names, options.rounds, options.quick, options.write)
    if options.write:
        stored = results.read()  # read the file back, because stored values are rounded
        for page in PAGES:
            table.update(page, stored)
        plot.update(stored)
    return show([bar for family in found.families.values() for bar in family.bars])


def _family(name: str) -> str:
    if name not in FAMILIES:
        raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(FAMILIES)}")
    return name


def _number(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on; got {text!r}")
    return int(text)


def measured(names: list[str], rounds: int | None, quick: bool, stores: bool = False) -> results.Results:
    """Measure these families of cases in turn, print the results of each when it is done, and return all results.

    With `stores`, also store the results of each family when it is done, so that a later failure does not lose them.
    """
    with tempfile.TemporaryDirectory() as folder, upstream.serving(api.bodies()) as served:
        programs = prepare(Path(folder))
        if programs.left_out:
            print(programs.left_out)
        kind = upstream.NAMES[served.kind]
        rate = upstream.ceiling(served, "small", api.SIZES["small"], CEILING_REQUESTS)
        print(f"The API is {kind}: at least {rate:,.0f} answers a second of 200 B.\n")
        found = results.Results(results.surroundings(kind, versions(programs), programs.many_name), {})
        for name in names:
            family = FAMILIES[name]
            seconds, usual = (QUICK_SECONDS, 1) if quick else (SECONDS, family.rounds)
            setting = Setting(programs, served, Path(folder), rounds or usual, seconds, quick)
            notes = results.busy()
            made = found.families[name] = family.measure(setting)
            made.notes += notes
            print("\n".join([f"{name}:", told(made.figures), *made.notes, ""]), flush=True)
            if stores:
                results.write(found.over(results.read()))
        return found


if __name__ == "__main__":
    sys.exit(main())
