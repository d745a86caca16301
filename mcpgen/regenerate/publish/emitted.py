"""Decide which paths of a project mcpgen can have written. A lock file comes with a repository, so its list of files
cannot be trusted.
"""

from mcpgen.emit import ONCE

_AT_THE_TOP = frozenset(
    {"CHANGELOG.md", "README.md", "SKILL.md", "mcpgen.schema.json", "mcpgen.yaml", "pyproject.toml"}
)


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
