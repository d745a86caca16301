"""Compile: how long `mcpgen generate` takes on large documents, and how much memory.

    python -m benchmarks.compile [--rounds N]

Each figure is of a whole process, from the command line to the project on disk, taken in turns with its floor, what the
standard loader alone takes on the same text in a process of its own: `json.loads` for GitHub's document (13 MB JSON),
`yaml.CSafeLoader` for Stripe's (4 MB YAML). The floor is timed inside its process, without the start of Python.
Documents of 1,000, 2,000 and 4,000 operations are our own. Published documents are read from beside the repository.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.bars import Bar, show

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "dev"
GITHUB, STRIPE = CORPUS / "github-rest.json", CORPUS / "stripe.yaml"
FLOORS = {
    ".json": "import json, sys, time; d = open(sys.argv[1], 'rb').read(); t = time.perf_counter(); json.loads(d)",
    ".yaml": "import sys, time, yaml; d = open(sys.argv[1], 'rb').read(); t = time.perf_counter(); "
    "yaml.load(d, Loader=yaml.CSafeLoader)",
}
SIZES = (1000, 2000, 4000)
BOMBS = {
    "aliases, 9 levels of 9": "a0: &a0 [x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)),
    "merges, 40 levels": "k0: &k0 {a: 1}\n"
    + "".join(f"k{n}: &k{n} {{<<: [{', '.join(f'*k{m}' for m in range(n))}], b{n}: 1}}\n" for n in range(1, 41)),
    "100,000 open brackets": "[" * 100_000,
}


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds, and the peak of memory in MiB, of one process."""

    seconds: float
    memory: float
    code: int


def run(command: list[str]) -> Run:
    """A whole process, its output thrown away."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(time.perf_counter() - started, usage.ru_maxrss / 1024, process.returncode)


def generate(document: Path) -> Run:
    """`mcpgen generate` into a new directory."""
    with tempfile.TemporaryDirectory() as folder:
        return run([sys.executable, "-m", "mcpgen", "generate", str(document), "-o", f"{folder}/out"])


def floor(document: Path) -> float:
    """Seconds that the standard loader takes on the text."""
    code = FLOORS[document.suffix] + "; print(time.perf_counter() - t)"
    told = subprocess.run([sys.executable, "-c", code, str(document)], check=True, capture_output=True, text=True)
    return float(told.stdout)


def synthetic(operations: int) -> str:
    """A document in which each operation has parameters and a body with schemas of its own."""
    paths, schemas = {}, {}
    for number in range(operations):
        schemas[f"Thing{number}"] = {
            "type": "object",
            "description": f"A thing of kind {number}.",
            "properties": {
                "name": {"type": "string", "maxLength": 50},
                "size": {"type": "integer", "minimum": 0},
                "parts": {"type": "array", "items": {"$ref": f"#/components/schemas/Thing{number // 2}"}},
            },
        }
        body = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/Thing{number}"}}}}
        parameters = [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "description": "How many.", "schema": {"type": "integer", "default": 20}},
        ]
        operation = {"summary": f"Change thing {number}", "parameters": parameters, "requestBody": body}
        paths[f"/things-{number}/{{id}}"] = {"put": {**operation, "responses": {"200": {"description": "ok"}}}}
    document = {"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, "paths": paths}
    return json.dumps({**document, "components": {"schemas": schemas}})


def measure(rounds: int, folder: Path) -> list[Bar]:
    """All figures; the cases of a round are taken in turns."""
    sizes = {size: folder / f"{size}.json" for size in SIZES}
    for size, path in sizes.items():
        path.write_text(synthetic(size), encoding="utf-8")
    documents = [path for path in (GITHUB, STRIPE) if path.is_file()]
    runs: dict[Path, list[Run]] = {path: [] for path in [*documents, *sizes.values()]}
    floors: dict[Path, list[float]] = {path: [] for path in documents}
    for _ in range(rounds):
        for path in documents:
            floors[path].append(floor(path))
        for path, taken in runs.items():
            taken.append(generate(path))
    print(f"{'document':24} {'median s':>9} {'fastest':>9} {'floor s':>9} {'peak MiB':>9}")
    for path, taken in runs.items():
        under = statistics.median(floors[path]) if path in floors else 0
        print(
            f"{path.name:24} {_seconds(taken):9.2f} {min(each.seconds for each in taken):9.2f} {under:9.2f} "
            f"{max(each.memory for each in taken):9.0f}"
        )
    bars = [_against_floor(path, runs[path], floors[path]) for path in documents]
    bars += [Bar(f"{path.name}: peak MiB", max(each.memory for each in runs[path]), "<=", 600) for path in documents]
    for small, large in pairwise(SIZES):
        ratio = _seconds(runs[sizes[large]]) / _seconds(runs[sizes[small]])
        bars.append(Bar(f"{large:,} operations / {small:,}", ratio, "<=", 2.3))
    return bars


def _seconds(taken: list[Run]) -> float:
    return statistics.median(each.seconds for each in taken)


def _against_floor(path: Path, taken: list[Run], under: list[float]) -> Bar:
    loader, bar = ("json.loads", 15) if path.suffix == ".json" else ("yaml.CSafeLoader", 1)
    return Bar(f"{path.name}: whole process / {loader}", _seconds(taken) / statistics.median(under), "<=", bar)


def hostile(folder: Path) -> list[Bar]:
    """Texts that would multiply: refused, as quickly as an empty document, in little memory."""
    empty = folder / "empty.yaml"
    empty.write_text("x: 1\n", encoding="utf-8")
    base = generate(empty)
    bars = []
    for name, text in BOMBS.items():
        path = folder / "bomb.yaml"
        path.write_text("openapi: 3.1.0\nx-bomb: 1\n" + text if text[0] != "[" else text, encoding="utf-8")
        taken = generate(path)
        bars.append(Bar(f"{name}: exit code", taken.code, "<=", 2))
        bars.append(Bar(f"{name}: seconds / an empty document", taken.seconds / base.seconds, "<=", 5))
        bars.append(Bar(f"{name}: peak MiB", taken.memory, "<=", 200))
    return bars


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        bars = [*measure(rounds, Path(folder)), *hostile(Path(folder))]
    print()
    return show(bars)


if __name__ == "__main__":
    sys.exit(main())
