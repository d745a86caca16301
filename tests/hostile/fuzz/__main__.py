"""Run the fuzz from the command line.

python -m tests.hostile.fuzz [--seconds 3600] [--cases N] [--seed N] [--only KIND]...

The command runs rounds of cases, each round with its own seed, until the time is up or each kind had N cases. It prints
the first input that shows a fault, with its round, and ends with exit code 1. Then reduce the input, add it to
`finds.py`, and fix the fault.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "templates")]

from tests.hostile.fuzz import answers, descriptors, documents, lines, schemas, tokens, values  # noqa: E402
from tests.hostile.subject import compiled  # noqa: E402

Fuzz = Callable[[Path, int, int], documents.Costs | None]
"""Function that runs a number of cases, drawn from a seed, against servers of a project. It raises AssertionError with
the input that shows a fault.
"""

KINDS: dict[str, tuple[Fuzz, int]] = {
    "lines": (lines.fuzz, 1000),
    "answers": (answers.fuzz, 1000),
    "schemas": (schemas.fuzz, 12),
    "values": (values.fuzz, 40),
    "tokens": (tokens.fuzz, 10),
    "descriptors": (descriptors.fuzz, 4),
    "documents": (documents.fuzz, 50),
}
"""Kind of fuzz → its function, and the number of cases in a round. A round takes some seconds."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", type=int, help="of each kind, at most about so many")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--only", action="append", choices=KINDS)
    options = parser.parse_args()
    chosen = options.only or list(KINDS)
    costs = documents.Costs()
    end, done = time.monotonic() + options.seconds, dict.fromkeys(chosen, 0)
    with tempfile.TemporaryDirectory() as folder:
        project = compiled(Path(folder))
        seed = options.seed
        while time.monotonic() < end and min(done.values()) < (options.cases or math.inf):
            for kind in chosen:
                fuzz, count = KINDS[kind]
                try:
                    costs = costs.and_those(fuzz(project, seed, count) or documents.Costs())
                except AssertionError as found:
                    print(f"found in {kind}, seed {seed} of {count} cases:\n{found}")
                    return 1
                done[kind] += count
            seed += 1
    print(
        f"nothing found: {', '.join(f'{number:,} {kind}' for kind, number in done.items())}, from seed {options.seed}"
    )
    if done.get("documents"):
        print(costs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
