"""Which paths of a project mcpgen can have written. A lock comes with a repository, and may call any file generated."""

_AT_THE_TOP = frozenset({"CHANGELOG.md", "README.md", "mcpgen.schema.json", "mcpgen.yaml", "pyproject.toml"})


def is_emitted(path: str) -> bool:
    """Whether it is one that some version writes, whatever the project is called. The lock is none that is removed."""
    return path in _AT_THE_TOP or ("/" in path and is_package(path))


def is_package(path: str) -> bool:
    """Whether `path` is, or lies in, a folder that is called as a generated package is."""
    return path.partition("/")[0].endswith("_mcp")
