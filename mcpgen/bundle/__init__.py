"""Build the release files of a project: an `.mcpb`, a wheel and an sdist, `server.json`, a server card, an SBOM.

All data comes from the project: its generated JSON files, its `pyproject.toml` and its package. The source is not
compiled again. This package imports `regenerate` and packages of lower layers.
"""

from mcpgen.bundle.artifacts import make_artifacts
from mcpgen.bundle.project import Project, open_project
from mcpgen.bundle.registry import Publisher

__all__ = ["Project", "Publisher", "make_artifacts", "open_project"]
