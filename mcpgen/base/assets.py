"""Locate the templates and other files that come with the compiler.

In a checkout these files are beside the package; in an installed wheel, inside the package.
"""

from pathlib import Path

_HERE = Path(__file__).parents[1]


def _folder(name: str) -> Path:
    installed = _HERE / f"_{name}"
    return installed if installed.is_dir() else _HERE.parent / name


def package_templates() -> Path:
    """Return the folder with the Python files that are copied unchanged into every generated package."""
    return _folder("templates") / "package"


def project_templates() -> Path:
    """Return the folder with the templates of a generated project."""
    return _folder("templates") / "project"


def deployment_templates() -> Path:
    """Return the folder with the templates of deployment files, such as container files."""
    return _folder("templates") / "deployment"


def bundle_templates() -> Path:
    """Return the folder with the Python file that starts the server of an MCP bundle."""
    return _folder("templates") / "bundle"


def changelog() -> Path:
    """Return the path of the changelog of mcpgen."""
    installed = _HERE / "_CHANGELOG.md"
    return installed if installed.is_file() else _HERE.parent / "CHANGELOG.md"


def specs() -> Path:
    """Return the folder with the input documents of the demo and the tests."""
    return _folder("specs")
