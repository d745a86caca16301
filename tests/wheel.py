"""Build mcpgen's wheel once for all workers of a test run, and install it with only its declared dependencies."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
PATIENCE = 300


def built(folder: Path) -> Path:
    """Return the wheel in `folder`, which the workers share. The first caller builds it; other callers wait."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("*.whl")):
            command = [*PIP, "wheel", "--no-deps", str(ROOT), "--wheel-dir", str(folder)]
            subprocess.run(command, check=True, timeout=PATIENCE, stderr=subprocess.DEVNULL)
    [wheel] = folder.glob("*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """Install the wheel in a new environment, with links to its declared dependencies.

    Return the environment's folder of programs.
    """
    venv.create(folder, symlinks=True)
    programs = folder / "bin"
    install = [*PIP, "--python", str(programs / "python"), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, timeout=PATIENCE, stderr=subprocess.DEVNULL)
    [packages] = folder.glob("lib/python*/site-packages")
    [ours] = packages.glob("mcpgen-*.dist-info")
    for needed in _required(PathDistribution(ours)):
        _link(needed, packages)
    return programs


def _required(by: Distribution) -> Iterable[Distribution]:
    """Return the installed distributions that a distribution requires, directly or indirectly.

    Fail if one has a wrong version.
    """
    found: dict[str, Distribution] = {}
    left = [(by, line) for line in by.requires or ()]
    while left:
        asking, line = left.pop()
        wanted = Requirement(line)
        name = canonicalize_name(wanted.name)
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        there = found.get(name) or distribution(name)
        assert wanted.specifier.contains(there.version), f"{asking.name} wants {line}; {there.version} is there"
        if name not in found:
            found[name] = there
            left += [(there, each) for each in there.requires or ()]
    return found.values()


def _link(needed: Distribution, packages: Path) -> None:
    """Link the modules and folders of an installed distribution into another environment."""
    tops = {Path(file.parts[0]) for file in needed.files or () if file.parts[0] not in ("..", "__pycache__")}
    for top in tops:
        if not (packages / top).exists():
            (packages / top).symlink_to(Path(str(needed.locate_file(top))))
