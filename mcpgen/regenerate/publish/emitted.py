"""Decide which paths of a project mcpgen can have written. A lock file comes with a repository, so its list of files
cannot be trusted, and it may be missing.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from mcpgen.emit import ONCE
from mcpgen.lock import lockfile as locks

CHANGELOG = "CHANGELOG.md"
TABLES = ("tools.json", "bindings.json", "resources.json", "prompts.json", "search.json")
"""JSON files that the compiler writes into a package, and that the runtime reads."""

_AT_THE_TOP = frozenset({CHANGELOG, "README.md", "SKILL.md", "mcpgen.schema.json", "mcpgen.yaml", "pyproject.toml"})
_IN_A_PACKAGE = ("__init__.py", "__main__.py", "asgi.py", *TABLES)
_RUNTIME = "runtime"


def is_emitted(path: str) -> bool:
    """Return True if some version of mcpgen may have written `path` into a project of any name, so that a
    regeneration may remove `path`.

    Return False for the lock file, which is never removed.
    """
    return path in _AT_THE_TOP or ("/" in path and is_package(path))


def is_written_into(folder: str) -> bool:
    """Return True if mcpgen may have written files into the folder `folder` of a project. Each folder `NAME_mcp`
    counts, since the project's name is not given.
    """
    return is_package(folder) or any(path.startswith(f"{folder}/") for path in ONCE)


def is_package(path: str) -> bool:
    """Return True if `path` is, or is below, a folder with the name of a generated package (`NAME_mcp`)."""
    return path.partition("/")[0].endswith("_mcp")


def packages(directory: Path) -> list[str]:
    """Return the folders of generated packages in `directory`: those that are named so and have a `bindings.json`."""
    try:
        names = sorted(filter(is_package, os.listdir(directory)))
    except OSError:
        return []
    return [name for name in names if _is_file(directory / name / "bindings.json")]


def generated(directory: Path) -> Iterator[str]:
    """Yield the paths of the generated files in the project in `directory`, found without the lock file.

    The user's files are left out, and so are links. Without a lock file and a package, nothing is found.
    """
    found = packages(directory)
    if found or _is_file(directory / locks.NAME):
        top = [locks.NAME, *sorted(_AT_THE_TOP - {"mcpgen.yaml"})]
        yield from (path for path in top if _is_file(directory / path))
    for package in found:
        yield from (path for name in _IN_A_PACKAGE if _is_file(directory / (path := f"{package}/{name}")))
        for folder, folders, names in os.walk(directory / package / _RUNTIME):
            folders[:] = sorted(set(folders) - {"__pycache__"})
            inside = Path(folder).relative_to(directory).as_posix()
            yield from (f"{inside}/{name}" for name in sorted(names) if _is_file(Path(folder, name)))


def runtime_or_file(path: str) -> str:
    """Return the folder of the runtime for a path inside it, and any other path unchanged."""
    package, _, rest = path.partition("/")
    return f"{package}/{_RUNTIME}" if rest.startswith(f"{_RUNTIME}/") else path


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
