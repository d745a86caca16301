"""Provide the projects in `generated/`, complete with their Python code.

The petstore has all parts. For other projects, the repository stores only the data. Their Python code equals those
files of the petstore that their lock files list, which `test_generated.py` checks. After a change of the compiler or
the runtime, rebuild the projects: python -m tests.golden.projects
"""

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from mcpgen.emit.project import SUMS, checksums
from mcpgen.lock.lockfile import NAME, load

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "generated"
WHOLE = "petstore"
NAMES = sorted(path.name for path in GENERATED.iterdir() if path.is_dir())

DATA = (".json", ".md", ".toml", ".yaml", ".gitattributes", ".gitignore")
HISTORY = (NAME, "CHANGELOG.md", "tools.json", "bindings.json", "resources.json", "prompts.json")
"""Files that the next generation of a project reads, so that its changelog continues."""


@cache
def project(name: str, *, whole: bool = False) -> Path:
    """Return the folder of the project `name`, including the Python code. Tests must not write to it.

    `whole`: True for the code of all parts, whichever the project has.
    """
    if name == WHOLE:
        return GENERATED / name
    directory = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    code = shutil.ignore_patterns("*.json", "__pycache__")
    shutil.copytree(GENERATED / WHOLE / f"{WHOLE}_mcp", directory / f"{name}_mcp", ignore=code)
    shutil.copytree(GENERATED / WHOLE / "tests", directory / "tests", ignore=code)
    shutil.copytree(GENERATED / name, directory, dirs_exist_ok=True)
    if not whole:
        _leave_out_absent_parts(directory, name)
    return directory


def _leave_out_absent_parts(directory: Path, name: str) -> None:
    """Delete the files of the package that the project's lock file does not list, and write SHA256SUMS of the rest."""
    listed = {f"{name}_mcp/hooks.py", *load((directory / NAME).read_bytes(), NAME).files}
    for path in directory.joinpath(f"{name}_mcp").rglob("*"):
        if path.is_file() and path.relative_to(directory).as_posix() not in listed:
            path.unlink()
    runtime = directory / f"{name}_mcp" / "runtime"
    (runtime / SUMS).unlink()
    (runtime / SUMS).write_bytes(checksums(files(runtime)))


def rebuild(name: str, directory: Path, history: tuple[str, ...] = HISTORY) -> Path:
    """Generate the project `name` below the empty `directory`, and return its folder.

    Copy the project's files named in `history` there first, because the compiler reads them.
    """
    (directory / "specs").symlink_to(ROOT / "specs")
    target = directory / "generated" / name
    for path in GENERATED.joinpath(name).rglob("*"):
        if path.name in history:
            target.joinpath(path.relative_to(GENERATED / name)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / path.relative_to(GENERATED / name))
    if NAME in history:
        _forget_offers(target / NAME)
    parts = ["--parts=all"] if name == WHOLE else []
    source = load((GENERATED / name / NAME).read_bytes(), NAME).source.removeprefix("../../")
    command = [sys.executable, "-m", "mcpgen", "generate", source, "-o", f"generated/{name}", *parts]
    subprocess.run(command, cwd=directory, check=True, timeout=120)
    return target


def _forget_offers(lock: Path) -> None:
    """Delete the lock file's list of the files that mcpgen writes only once. The next `generate` then writes these
    files again, so that they can be compared.
    """
    value = json.loads(lock.read_text(encoding="ascii"))
    del value["offered"]
    lock.write_text(json.dumps(value), encoding="ascii")


def files(directory: Path) -> dict[str, bytes]:
    """Return a mapping from path to contents of each file below `directory`, except Python caches."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _replace(name: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        new = files(rebuild(name, Path(directory), history=()))
    shutil.rmtree(GENERATED / name)
    for path, content in new.items():
        if name == WHOLE or path.endswith(DATA):
            (GENERATED / name / path).parent.mkdir(parents=True, exist_ok=True)
            (GENERATED / name / path).write_bytes(content)


if __name__ == "__main__":
    for each in NAMES:
        _replace(each)
