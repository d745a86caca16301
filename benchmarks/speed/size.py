"""Measure the size in bytes of an installed generated package and of its whole environment, and the cost of
its import.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.speed.figures import Found
from benchmarks.speed.programs import MANY, OURS
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns

ROUNDS = 15
KB = 1000
INSTALLERS = ("pip", "setuptools", "wheel", "_distutils_hack")


def measure(setting: Setting) -> Found:
    """Measure the kB of packages on disk without bytecode, and the milliseconds of a process that imports a package."""
    programs = setting.programs
    found = Found()
    servers = _site(programs.servers)
    for name, what in ((OURS, "20 tools"), (MANY, "1,200 tools")):
        found.add(f"package, {what}", "mcpgen", "kB", [_bytes(servers / f"{name}_mcp") / KB])
    packages = sum(_bytes(servers / f"{each}_mcp") for each in (MANY, "typed"))
    found.add("environment", "mcpgen", "kB", [(_environment(servers) - packages) / KB])
    found.add("environment", "FastMCP", "kB", [_environment(_site(programs.fastmcp)) / KB])
    found.add("environment", "SDK lowlevel", "kB", [_environment(_site(programs.sdk)) / KB])
    cases = {
        "python -c pass": _imports(programs.servers, "pass"),
        "mcpgen": _imports(programs.servers, f"import {OURS}_mcp.__main__"),
        "FastMCP": _imports(programs.fastmcp, "import fastmcp"),
        "SDK lowlevel": _imports(programs.sdk, "import mcp.server.lowlevel, mcp.server.stdio"),
    }
    for name, samples in in_turns(cases, setting.rounds).items():
        found.add("import", name, "ms", samples)
    return found


def _site(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def _environment(site: Path) -> int:
    """Return the size in bytes of all packages installed in `site`, except installers."""
    return sum(_bytes(each) for each in site.iterdir() if each.name.split("-")[0] not in INSTALLERS)


def _bytes(place: Path) -> int:
    files = place.rglob("*") if place.is_dir() else [place]
    return sum(each.stat().st_size for each in files if each.is_file() and "__pycache__" not in each.parts)


def _imports(environment: Path, code: str) -> Callable[[], float]:
    def run() -> float:
        began = time.perf_counter()
        subprocess.run([str(environment / "bin" / "python"), "-c", code], check=True)
        return (time.perf_counter() - began) * 1000

    return run
