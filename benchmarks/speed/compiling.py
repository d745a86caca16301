"""Measure the compiler: seconds and memory of whole processes, from the command line to the project on disk.

Limits in seconds are valid for one machine; ratios are valid everywhere. Hostile documents, which would take
exponential time or memory, must be refused as quickly as an empty document, and in little memory.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.speed import deep, documents, entities
from benchmarks.speed.figures import Found
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns
from tests.interop import environments

ROUNDS = 3
SIZES = (500, 1_000, 2_000, 4_000, 8_000)
MOST_SECONDS = {"GitHub, 13 MB of JSON": 3, "Stripe, 4 MB of YAML": 1.5, "37 MB of YAML": 15}
MOST_MEMORY = 500
DEEP, HALF_DEEP, FLAT = "deep schemas, 4 MB of JSON", "deep schemas in every second body", "flat schemas"
MOST_DEEP_CPU, MOST_DEEP_MEMORY = 3, 25
"""Upper limits for deep schemas.

The first is CPU per megabyte, as a multiple of that for flat schemas. The second is memory as a multiple of the
document, beyond that of `mcpgen --help`.
"""

GRAPH, SHOP = "entities as in Graph", "entities as in Shopware"
THRICE = f"{GRAPH}, three times as many"
GRAPH_PART = 1_100
"""Number of operations of the document with the shape of Graph: a tenth of those of Graph."""

MOST_OF_THRICE = 3.5
"""Upper limit on the CPU time for three times as many entities, as a multiple of that for the fewer.

If the cache of expansions is too small for them, it is about 6.5.
"""

MOST_OF_MANY: dict[str, float] = {GRAPH: 3, SHOP: 2.5}
"""Upper limits on the CPU time for documents of entities, as a multiple of that for flat schemas.

Without expansions that levels and limits share, they are about 5 and 4.
"""

HELP, BARE, AGAIN, FIRST = "mcpgen --help", "python -c pass", "regenerate, one line changed", "generate beside it"
BOMBS = {
    "aliases, 9 levels of 9": "a0: &a0 [x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)),
    "merges, 40 levels": "k0: &k0 {a: 1}\n"
    + "".join(f"k{n}: &k{n} {{<<: [{', '.join(f'*k{m}' for m in range(n))}], b{n}: 1}}\n" for n in range(1, 41)),
    "100,000 open brackets": "[" * 100_000,
}


@dataclass(frozen=True, slots=True)
class Run:
    """Measurements of one process: seconds, peak memory in MiB, exit code, and CPU seconds."""

    seconds: float
    memory: float
    code: int
    cpu: float


def measure(setting: Setting) -> Found:
    """Measure seconds and memory of compiling large documents, and documents of growing size, with deep schemas or with
    entities, of regenerating a project, and of `mcpgen --help`. Also measure how hostile documents are refused.
    """
    compiler = setting.programs.compiler / "bin"
    found = Found()
    sources = _published(setting, found) | _growing(setting)
    cases: dict[str, Callable[[], Run]] = {
        name: partial(_generate, compiler / "mcpgen", path) for name, path in sources.items()
    }
    shapes = {GRAPH: entities.graph(GRAPH_PART), THRICE: entities.graph(3 * GRAPH_PART), SHOP: entities.shop()}
    dense = {name: _deep(setting.folder, every) for name, every in ((DEEP, 1), (HALF_DEEP, 2))}
    dense[FLAT] = documents.many(setting.folder)[0]
    searched = {name: _written(setting.folder / f"{name}.json", text) for name, text in shapes.items()} | dense
    # With a search, because the whole list of some of these documents is larger than clients accept.
    cases |= {
        name: partial(_generate, compiler / "mcpgen", path, "--tools", "search") for name, path in searched.items()
    }
    cases[BARE] = lambda: _run([str(compiler / "python"), "-c", "pass"])
    cases[HELP] = lambda: _run([str(compiler / "mcpgen"), "--help"])
    cases |= _again(setting, found)
    taken = in_turns(cases, setting.rounds)
    for name, runs in taken.items():
        if failed := [run.code for run in runs if run.code]:
            raise RuntimeError(f"{name} ended with {failed[0]}")
        found.add(name, "mcpgen" if name != BARE else BARE, "s", [run.seconds for run in runs])
        found.add(name, "mcpgen" if name != BARE else BARE, "MiB peak RSS", [run.memory for run in runs])
    for name, path in dense.items():
        _per_byte(name, path.stat().st_size, taken, found)
    for name in (*shapes, FLAT):
        found.add(name, "mcpgen", "CPU s", [run.cpu for run in taken[name]])
    _bars(found)
    found.bars += _refusals(compiler / "mcpgen", setting.folder)
    return found


def _per_byte(name: str, size: int, taken: Mapping[str, list[Run]], found: Found) -> None:
    """Add to the results the CPU time and memory of compiling a document, each divided by the document's size."""
    above = [run.memory - least.memory for run, least in zip(taken[name], taken[HELP], strict=True)]
    found.add(name, "mcpgen", "CPU s per MB", [run.cpu * 1e6 / size for run in taken[name]])
    found.add(name, "mcpgen", "bytes of memory per byte", [mebibytes * 2**20 / size for mebibytes in above])


def _bars(found: Found) -> None:
    def seconds(name: str, subject: str = "mcpgen") -> float | None:
        return found.median(name, subject, "s")

    for name, most in MOST_SECONDS.items():
        if (taken := seconds(name)) is not None:
            found.bars.append(Bar(f"{name}: seconds", taken, "<=", most))
    for small, large in pairwise(map(_sized, SIZES)):
        found.at_most(2.2, f"{large} / {small}", seconds(large), seconds(small))
    for name in (*list(MOST_SECONDS)[:2], _sized(SIZES[-1])):
        if (memory := found.median(name, "mcpgen", "MiB peak RSS")) is not None:
            found.bars.append(Bar(f"{name}: peak MiB", memory, "<=", MOST_MEMORY))
    for name in (DEEP, HALF_DEEP):
        per_megabyte = (found.median(each, "mcpgen", "CPU s per MB") for each in (name, FLAT))
        found.at_most(MOST_DEEP_CPU, f"{name} / {FLAT}: CPU per MB", *per_megabyte)
        if (memory := found.median(name, "mcpgen", "bytes of memory per byte")) is not None:
            found.bars.append(Bar(f"{name}: memory above that of {HELP}, per byte", memory, "<=", MOST_DEEP_MEMORY))
    for name, most in MOST_OF_MANY.items():
        cpu = (found.median(each, "mcpgen", "CPU s") for each in (name, FLAT))
        found.at_most(most, f"{name} / {FLAT}: CPU", *cpu)
    cpu = (found.median(each, "mcpgen", "CPU s") for each in (THRICE, GRAPH))
    found.at_most(MOST_OF_THRICE, f"{THRICE} / {GRAPH}: CPU", *cpu)
    found.at_most(7, f"{HELP} / bare Python", seconds(HELP), seconds(BARE, BARE))
    found.at_most(1.3, f"{AGAIN} / generate", seconds(AGAIN), seconds(FIRST))


def _published(setting: Setting, found: Found) -> dict[str, Path]:
    github, stripe, four = MOST_SECONDS
    if not (documents.GITHUB.is_file() and documents.STRIPE.is_file()):
        found.notes.append("GitHub's and Stripe's documents are not beside the repository, and were left out.")
        return {}
    published = {github: documents.GITHUB, stripe: documents.STRIPE}
    return published if setting.quick else {**published, four: _four_times()}


def _four_times() -> Path:
    """Return the path of a YAML file that holds GitHub's document four times. It is made once and stored."""

    def make(folder: Path) -> None:
        folder.mkdir(parents=True)
        documents.copied(documents.GITHUB, folder / "four.yaml")

    origin = {"size": documents.GITHUB.stat().st_size, "copies": documents.COPIES}
    return environments.made("bench-documents", origin, make) / "four.yaml"


def _growing(setting: Setting) -> dict[str, Path]:
    found = {}
    for size in SIZES[:2] if setting.quick else SIZES:
        found[_sized(size)] = path = setting.folder / f"{size}.json"
        path.write_text(documents.synthetic(size), encoding="utf-8")
    return found


def _deep(folder: Path, every: int) -> Path:
    return _written(folder / f"deep-{every}.json", deep.document(every=every))


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _sized(operations: int) -> str:
    return f"{operations:,} operations"


def _again(setting: Setting, found: Found) -> dict[str, Callable[[], Run]]:
    """Return two cases: a large project generated again after one changed line, and a new project for comparison."""
    program = setting.programs.compiler / "bin" / "mcpgen"
    if _run([str(program), "regenerate", "--help"]).code:
        found.notes.append("This mcpgen has no command `regenerate`; its case was left out.")
        return {}
    folder = setting.folder / "again"
    folder.mkdir()
    document, project, rounds = folder / "openapi.json", folder / "project", iter(range(1_000))
    shutil.copy(setting.programs.many, document)
    document.chmod(0o644)
    if (code := _run([str(program), "generate", str(document), "-o", str(project)]).code) != 0:
        raise RuntimeError(f"generate ended with {code}")

    def again() -> Run:
        text = document.read_text(encoding="utf-8")
        changed = re.sub(r'("summary": ")(Changed \d+\. )?', rf"\g<1>Changed {next(rounds)}. ", text, count=1)
        document.write_text(changed, encoding="utf-8")
        return _run([str(program), "regenerate", str(project)])

    return {AGAIN: again, FIRST: partial(_generate, program, document)}


def _refusals(program: Path, folder: Path) -> list[Bar]:
    """Measure how long mcpgen takes to refuse documents that are made to exhaust it, compared with an empty
    document.
    """
    path = folder / "bomb.yaml"
    path.write_text("x: 1\n", encoding="utf-8")
    base, bars = _generate(program, path), []
    for name, text in BOMBS.items():
        path.write_text("openapi: 3.1.0\nx-bomb: 1\n" + text if text[0] != "[" else text, encoding="utf-8")
        run = _generate(program, path)
        bars.append(Bar(f"{name}: exit code", abs(run.code), "<=", 2))
        bars.append(Bar(f"{name}: seconds / an empty document", run.seconds / base.seconds, "<=", 5))
        bars.append(Bar(f"{name}: peak MiB", run.memory, "<=", 200))
    return bars


def _generate(program: Path, document: Path, *flags: str) -> Run:
    """Run `mcpgen generate` for this document into a new directory."""
    with tempfile.TemporaryDirectory() as folder:
        return _run([str(program), "generate", str(document), "-o", f"{folder}/out", *flags])


def _run(command: list[str]) -> Run:
    """Run a process to its end, and discard its output."""
    told = subprocess.run([sys.executable, "-S", "-c", _LAUNCH, *command], check=True, capture_output=True, text=True)
    seconds, kilobytes, code, cpu = told.stdout.split()
    return Run(float(seconds), int(kilobytes) / 1024, int(code), float(cpu))


_LAUNCH = """
import os, sys, time
began, null = time.perf_counter(), os.open(os.devnull, os.O_RDWR)
to_null = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=to_null)
_, status, usage = os.wait4(pid, 0)
cpu = usage.ru_utime + usage.ru_stime
print(time.perf_counter() - began, usage.ru_maxrss, os.waitstatus_to_exitcode(status), cpu)
"""
"""Program that starts a process from a small one. On Linux, the peak memory of a child process begins with its parent's
memory.
"""
