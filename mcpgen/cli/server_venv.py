"""Make the virtual environment in which clients start the server of a project that is not installed.

The environment is in the project's folder, so it is removed with the project. It holds only the server's libraries.
Clients find the package by `PYTHONPATH`: a project that is generated again needs no new installation, and a start needs
no network. An environment is built in a stage and then renamed, so that no half-made one is ever used. The next
run removes what a killed run left.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from mcpgen.base.errors import FatalError
from mcpgen.cli import report, signals
from mcpgen.lock import lockfile
from mcpgen.regenerate.publish import staging

FOLDER = ".mcpgen-venv"

_RECORD = "mcpgen.json"
"""File in the environment that lists the requirements for which it was made."""

_LOOK = "import sys; from importlib.metadata import version; [version(name) for name in sys.argv[1:]]"
"""Python code that fails if one of the named libraries is not installed."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PASSWORD = re.compile(r"(?<=//)[^/@\s]*@")
_HINT = "Nothing was changed. Try again, or choose another way to start the server with --with."


def interpreter(environment: Path) -> Path:
    """Return the path of the Python interpreter in a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_made(environment: Path) -> bool:
    """Return True if mcpgen made this environment."""
    return (environment / _RECORD).is_file() and not environment.is_symlink()


def prepare(directory: Path) -> None:
    """Make the environment of the project in `directory`, unless it has the libraries that the project requires.

    Raises FatalError if that fails; then an earlier environment is unchanged.
    """
    home, requirements = directory / FOLDER, _requirements(directory)
    if _is_current(home, requirements):
        return
    if os.path.lexists(home) and not is_made(home):
        raise _failed(f"mcpgen did not make {home}")
    try:
        _sweep(directory)
        with report.progress("Installing the server's libraries"), staging.staged(directory, {}) as stage:
            made = stage.files / "venv"
            _build(made, requirements)
            (made / ".gitignore").write_text("*\n", encoding="utf-8")
            (made / _RECORD).write_text(json.dumps({"requirements": requirements}), encoding="utf-8")
            _put(made, home, stage.files / "before")
    except OSError as problem:
        raise _failed(f"{problem.filename or directory}: {problem.strerror}") from None
    report.say(f"The server's libraries are in {home}. Clients start the server with them, without a network.")


def _sweep(directory: Path) -> None:
    """Remove the stages that killed runs left, except those by whose lock file the next write knows mcpgen's files."""
    for stage in staging.abandoned(directory):
        if staging.is_expendable(stage) and staging.read(stage, lockfile.NAME) is None:
            staging.remove(stage)


def _put(made: Path, home: Path, before: Path) -> None:
    """Move an environment to its place, and an earlier one there to `before`. If that fails, the earlier one stays."""
    with signals.held():
        if home.exists():
            home.rename(before)
        try:
            made.rename(home)
        except OSError:
            if before.exists():
                before.rename(home)
            raise


def _requirements(directory: Path) -> list[str]:
    """Return the dependencies of a project. Raises FatalError if its pyproject.toml cannot be read."""
    path = directory / "pyproject.toml"
    try:
        return [str(each) for each in tomllib.loads(path.read_text(encoding="utf-8"))["project"]["dependencies"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise _failed(f"{path} does not list the server's dependencies") from None


def _is_current(home: Path, requirements: Sequence[str]) -> bool:
    """Return True if the environment was made for these requirements and its Python still finds the libraries."""
    try:
        recorded = json.loads((home / _RECORD).read_text(encoding="utf-8"))
        names = [found[0] for each in requirements if (found := _NAME.match(each))]
        look = [str(interpreter(home)), "-I", "-c", _LOOK, *names]
        return (
            recorded == {"requirements": requirements}
            and not subprocess.run(look, check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        )
    except (OSError, ValueError):
        return False


def _build(environment: Path, requirements: Sequence[str]) -> None:
    """Make an environment with the libraries by uv, or by Python's own `venv` and `pip`. Raises FatalError if that
    fails.
    """
    python = str(interpreter(environment))
    # mcpgen's own environment may be one that `uvx` deletes, so the new one uses the Python below it
    base = str(getattr(sys, "_base_executable", sys.executable))
    if uv := shutil.which(os.environ.get("UV") or "uv"):
        _run("uv", [uv, "venv", "--quiet", "--no-project", "--python", base, str(environment)])
        _run("uv", [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, *requirements])
    else:
        _run("venv", [base, "-I", "-m", "venv", str(environment)])
        options = ("--quiet", "--disable-pip-version-check", "--no-input")
        _run("pip", [python, "-I", "-m", "pip", "install", *options, *requirements])


def _run(tool: str, command: Sequence[str]) -> None:
    done = subprocess.run(
        command, check=False, capture_output=True, stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace"
    )
    if not done.returncode:
        return
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    errors = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("error:")]
    reason = [*errors, *reversed(lines), f"exit code {done.returncode}"][0]
    raise _failed(f"{tool} says: {_PASSWORD.sub('', reason)}")


def _failed(reason: str) -> FatalError:
    message = f"The environment for the server could not be made: {reason.rstrip('.')}."
    return FatalError("environment-failed", message, hint=_HINT)
