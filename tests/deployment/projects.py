"""Compile projects with deployment files, in memory and on disk."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from mcpgen.base.jsonvalue import compact
from mcpgen.base.tree import FileTree
from mcpgen.emit import DEPLOYMENT
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import Fetched, read

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
SPECS = sorted((ROOT / "specs").rglob("*.yaml"))
KUBERNETES = "deploy/kubernetes/"


PARTS = ("http", "telemetry")
"""The parts that `--deploy` adds."""


@cache
def deployed(source: Path = PETSTORE) -> FileTree:
    """Compile a document of the repository with `--deploy`."""
    return compile_source(read(str(source)), Options(deploy=True, parts=PARTS)).tree


def deployed_document(document: dict[str, Any], **options: Any) -> FileTree:
    """Compile `document` with `--deploy`."""
    return compile_source(
        Fetched("api.json", compact(document).encode()), Options(deploy=True, parts=PARTS, **options)
    ).tree


def deployment(tree: FileTree) -> dict[str, str]:
    """Return a mapping from path to text of the deployment files of a project."""
    return {path: tree[path].decode("ascii") for path in DEPLOYMENT}


def manifests(tree: FileTree) -> dict[str, Any]:
    """Return a mapping from file name to Kubernetes manifest, parsed by PyYAML."""
    names = [path for path in tree if path.startswith(KUBERNETES)]
    return {name.removeprefix(KUBERNETES): yaml.safe_load(tree[name]) for name in names}


def write(tree: FileTree, folder: Path) -> Path:
    """Write the files of `tree` below `folder`."""
    for path, data in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder
