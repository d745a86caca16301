"""Where the files that come with the compiler lie: beside it in a checkout, inside it in an installed wheel."""

from pathlib import Path

_HERE = Path(__file__).parents[1]


def _folder(name: str) -> Path:
    installed = _HERE / f"_{name}"
    return installed if installed.is_dir() else _HERE.parent / name


def package_templates() -> Path:
    """The Python of a generated package, copied byte for byte."""
    return _folder("templates") / "package"


def project_templates() -> Path:
    """The rendered files of a generated project."""
    return _folder("templates") / "project"


def changelog() -> Path:
    """What each version of mcpgen changed."""
    installed = _HERE / "_CHANGELOG.md"
    return installed if installed.is_file() else _HERE.parent / "CHANGELOG.md"


def specs() -> Path:
    """The input documents of the demo and the tests."""
    return _folder("specs")
