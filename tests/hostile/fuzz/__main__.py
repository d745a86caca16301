"""The fuzz by hand: python -m tests.hostile.fuzz [--seconds 3600] [--seed N] [--only lines|answers]

Rounds of cases, each with a seed of its own, until the time is up. A find is printed with its round, and ends the run
with 1: make it small, write it down in `finds.py`, mend what it shows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "templates")]

from tests.hostile.fuzz import answers, lines  # noqa: E402
from tests.hostile.subject import compiled  # noqa: E402

ROUND = 1000
"""Cases in a round."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--only", choices=("lines", "answers"))
    options = parser.parse_args()
    kinds = {"lines": lines.fuzz, "answers": answers.fuzz}
    chosen = [options.only] if options.only else list(kinds)
    end, done = time.monotonic() + options.seconds, dict.fromkeys(chosen, 0)
    with tempfile.TemporaryDirectory() as folder:
        project = compiled(Path(folder))
        seed = options.seed
        while time.monotonic() < end:
            for kind in chosen:
                try:
                    kinds[kind](project, seed, ROUND)
                except AssertionError as found:
                    print(f"found in {kind}, seed {seed} of {ROUND} cases:\n{found}")
                    return 1
                done[kind] += ROUND
            seed += 1
    print(
        f"nothing found: {', '.join(f'{number:,} {kind}' for kind, number in done.items())}, from seed {options.seed}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
