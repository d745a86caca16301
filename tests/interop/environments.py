"""Provide environments for the server and each client under `.clients/`, and for other projects' products under
`.products/`.

They are made on demand and reused. A stamp file, written last, says what an environment was made from. Without a stamp,
the making was interrupted; with another stamp, the environment is out of date. In both cases it is made again, but not
while another test session uses it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / ".clients"
STAMP = ".made-from.json"
OLDEST_NODE = 20
#: Timeout in seconds of an installation. It is long, and no test measures time with it.
PATIENCE = 900


_THREADS = threading.RLock()
"""Lets one thread at a time make an environment. A file lock is not enough: it belongs to the process, and so to all
its threads.
"""


class Missing(Exception):
    """Raised if this machine lacks a program. The message says which program, and for what."""


def python(name: str, *requirements: str, digest: str | None = None, pip: str = "", home: Path | None = None) -> Path:
    """Return the folder of a virtual environment with these requirements.

    `digest`: if requirements are paths, a digest of the files there, so that changed files lead to a new environment.
    `pip`: version of pip to use instead of Python's own. `home`: folder for the environment, by default `.clients/`.
    """

    def make(folder: Path) -> None:
        run(sys.executable, "-m", "venv", str(folder))
        install = ("-m", "pip", "install", "-qq", "--no-input", "--disable-pip-version-check")
        for wanted in ((pip,) if pip else (), requirements):
            if wanted:
                run(str(folder / "bin" / "python"), *install, *wanted)

    origin = {"python": [sys.version, sys.base_prefix], "requirements": digest or requirements}
    return made(name, origin | ({"pip": pip} if pip else {}), make, home)


def node(name: str, packages: Mapping[str, str]) -> Path:
    """Return a folder with these npm packages. Raise Missing if node or npm is missing, or if node is too old."""
    programs = {program: shutil.which(program) for program in ("node", "npm")}
    if lacking := [program for program, path in programs.items() if path is None]:
        raise Missing(f"the {name} client needs {' and '.join(lacking)}, which cannot be found here")
    version = run("node", "--version").strip()
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        raise Missing(f"the {name} client needs node {OLDEST_NODE} or newer, and this is {version}")

    def make(folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": packages}))
        quiet = ("--silent", "--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts")
        run("npm", "install", *quiet, cwd=folder)

    return made(name, {"node": version, "packages": packages}, make)


def made(name: str, origin: Mapping[str, object], make: Callable[[Path], None], home: Path | None = None) -> Path:
    """Return the folder `name` in `home` (by default `.clients/`), with an environment made from `origin`.

    `origin`: versions and requirements, which the stamp file stores. `make`: function that makes the environment if the
    folder has another stamp or none. A lock keeps other processes from changing the folder while this process runs.
    """
    home = home or CLIENTS
    folder = home / name
    stamp = json.dumps({"folder": str(folder), **origin}, indent=1)
    home.mkdir(exist_ok=True)
    lock = _lock(home / f"{name}.lock")
    with _THREADS:
        fcntl.flock(lock, fcntl.LOCK_SH)
        if not _fits(folder / STAMP, stamp):
            fcntl.flock(lock, fcntl.LOCK_EX)  # wait while another process uses the environment;
            if not _fits(folder / STAMP, stamp):  # that process may have made the environment meanwhile
                _make(folder, stamp, make)
            fcntl.flock(lock, fcntl.LOCK_SH)
    return folder


@cache
def _lock(path: Path) -> int:
    """Return the descriptor of an environment's lock file.

    It is never closed, so that the lock ends with the process.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)


def _fits(path: Path, stamp: str) -> bool:
    return path.is_file() and path.read_text() == stamp


def _make(folder: Path, stamp: str, make: Callable[[Path], None]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    make(folder)
    written = folder / f"{STAMP}.new"
    written.write_text(stamp)
    os.replace(written, folder / STAMP)


def put_beside(packages: Path, script: Path, name: str = "") -> Path:
    """Copy a script of node into the folder of its packages, and return the copy's path.

    Node finds packages only beside the script. The copy replaces an earlier one in one step, because another test may
    start node with the earlier copy at the same time. `name`: the copy's name, if it is not the script's own.
    """
    copied = packages / (name or script.name)
    written = packages / f"{copied.name}.{os.getpid()}-{threading.get_ident()}.new"
    shutil.copy(script, written)
    os.replace(written, copied)
    return copied


def run(*command: str, cwd: Path | None = None) -> str:
    """Run a program, and return its output. Raise RuntimeError with all its output if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout
