"""Remove safety checks ("guards") from the code one at a time, and check that the test suite notices each removal.

python -m tests.hostile.broken [--of runtime|compiler] [--only NAME] [--list]

The repository is copied to a temporary folder. A mutation replaces the text of one guard in the copy. Then the tests
that the mutation lists are run. If they pass with the mutation, no test covers that guard. If they fail without the
mutation, they prove nothing. The exit code is 1 in either case.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.hostile.mutation import Mutation
from tests.hostile.mutations import MUTATIONS
from tests.hostile.mutations_of_compiler import OF_COMPILER

ROOT = Path(__file__).parents[2]
RUNTIME = Path("templates/package/runtime")
PASSED, FAILED = 0, 1
"""Exit codes of pytest. Any other code says that it could not run the tests."""

LONGEST = 300
"""Limit in seconds on the tests of one guard. Without their guard, some tests would wait without end."""

HALVES = {"runtime": MUTATIONS, "compiler": OF_COMPILER}
COPIED = (
    *("templates", "tests", "mcpgen", "benchmarks", "specs", "generated", "docs"),
    *("pyproject.toml", "CHANGELOG.md", "README.md"),
)


@contextmanager
def copied() -> Iterator[Path]:
    """Yield a copy of the repository in a temporary folder, without build results."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        root.mkdir()
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, root)
        yield root


def guarded(root: Path, mutation: Mutation) -> Path:
    """Return the path of the module that holds the safety check which the mutation removes.

    Mutations of the compiler give a path, those of the runtime a file name.

    File names are unique within the runtime.
    """
    if "/" in mutation.file:
        return root / mutation.file
    [file] = (root / RUNTIME).rglob(mutation.file)
    return file


def notices(root: Path, mutation: Mutation) -> bool:
    """Apply the mutation to the copy, and return True if one of its tests then fails."""
    file = guarded(root, mutation)
    whole = file.read_text(encoding="utf-8")
    assert whole.count(mutation.old) == 1, f"{mutation.file} has not once what {mutation.name} replaces"
    file.write_text(whole.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        return _tried(root, mutation.tests) == FAILED
    finally:
        file.write_text(whole, encoding="utf-8")


@cache
def stands(root: Path, tests: tuple[str, ...]) -> bool:
    """Return True if these tests pass in the copy without any mutation."""
    return _tried(root, tests) == PASSED


def _tried(root: Path, tests: tuple[str, ...]) -> int:
    """Run these tests in the copy of the repository, and return pytest's exit code.

    A test that never ends has failed.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        return subprocess.run(command, cwd=root, capture_output=True, check=False, timeout=LONGEST).returncode
    except subprocess.TimeoutExpired:
        return FAILED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=HALVES, help="the half that is broken; both without it")
    names = [each.name for half in HALVES.values() for each in half]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help="only the guard of this name")
    parser.add_argument("--list", action="store_true", help="list the guards and take none out")
    options = parser.parse_args()
    halves = [options.of] if options.of else [*HALVES]
    chosen = [each for half in halves for each in HALVES[half] if each.name in (options.only or [each.name])]
    survived = 0
    with copied() as root:
        for mutation in [] if options.list else chosen:
            began = time.perf_counter()
            noticed = stands(root, mutation.tests) and notices(root, mutation)
            survived += not noticed
            verdict = "noticed" if noticed else "SURVIVED" if stands(root, mutation.tests) else "NO VERDICT"
            print(
                f"{mutation.name:32} {mutation.file:24} {verdict:10} {time.perf_counter() - began:5.1f} s", flush=True
            )
    if options.list:
        print("\n".join(f"{each.name:32} {each.file:24} {' '.join(each.tests)}" for each in chosen))
    else:
        print(f"{len(chosen) - survived} of {len(chosen)} broken guards were noticed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
