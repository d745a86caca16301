"""Compare the start of a server with `--tools search` with the start of the same server with all tools listed.

    python -m benchmarks.retrieval.start [SOURCE]

SOURCE is a small API (the petstore). Both servers get a handshake and `tools/list` on stdin, and then end. Valgrind
counts the instructions of the whole process; without valgrind, CPU time is measured. The two servers take turns, and
the lowest of ROUNDS values counts.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.bars import Bar, show
from benchmarks.speed.process import HANDSHAKE, LIST
from mcpgen.base import assets
from mcpgen.base.tree import FileTree
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch

ROUNDS = 7
TOLERANCE = 1.005
"""Ratio up to which two counts are equal: threads make counts differ by this much from run to run."""

_COLLECTED = re.compile(rb"Collected : (\d+)")


def written(source: Path, folder: Path, surface: str) -> tuple[Path, str]:
    """Write the project of `source` and compile its Python modules. Return its folder and the name of its package."""
    compiled = compile_source(fetch.read(str(source)), Options(tools=surface))
    tree: FileTree = compiled.tree
    for path, content in tree.items():
        target = folder / surface / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / surface)], check=True)
    return folder / surface, compiled.catalog.identity.package


def instructions(project: Path, package: str) -> float:
    """Return the number of instructions from the start of the process to its end, in millions."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-m", package]
    done = subprocess.run(command, cwd=project, input=HANDSHAKE + LIST, capture_output=True, check=True, env=_environ())
    found = _COLLECTED.search(done.stderr)
    assert found is not None, done.stderr
    return int(found[1]) / 1e6


def cpu_time(project: Path, package: str) -> float:
    """Return the CPU time from the start of the process to its end, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", package]
    subprocess.run(command, cwd=project, input=HANDSHAKE + LIST, capture_output=True, check=True, env=_environ())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _environ() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, nargs="?", default=assets.specs() / "petstore.openapi.yaml")
    source = parser.parse_args().source
    measure, unit = (instructions, "M instructions") if shutil.which("valgrind") else (cpu_time, "ms of CPU")
    with tempfile.TemporaryDirectory() as folder:
        projects = {surface: written(source, Path(folder), surface) for surface in ("all", "search")}
        samples: dict[str, list[float]] = {surface: [] for surface in projects}
        for _ in range(ROUNDS):
            for surface, project in projects.items():
                samples[surface].append(measure(*project))
    least = {surface: min(found) for surface, found in samples.items()}
    for surface, found in least.items():
        print(f"--tools {surface:7} {found:8.2f} {unit}")
    return show([Bar("start and first list, search / all", least["search"] / least["all"], "<=", TOLERANCE)])


if __name__ == "__main__":
    sys.exit(main())
