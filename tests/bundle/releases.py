"""Compile projects, create releases of them with `mcpgen bundle`, and read these releases."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcpgen.base.jsonvalue import compact
from mcpgen.base.tree import FileTree
from mcpgen.bundle import Publisher, make_artifacts, open_project
from mcpgen.bundle.artifacts import DEFAULT_EPOCH
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import Fetched, read

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
PUBLISHER = Publisher(
    registry_name="io.github.ann/petstore",
    url="https://mcp.example.com/mcp",
    repository="https://github.com/ann/petstore",
    mcpb_url="https://github.com/ann/petstore/releases/download/v0.1.0",
)


def write_project(folder: Path, source: Path | dict[str, Any] = PETSTORE, **options: Any) -> Path:
    """Compile a document into a project in `folder`, and return the folder."""
    fetched = read(str(source)) if isinstance(source, Path) else Fetched("api.json", compact(source).encode())
    for path, data in compile_source(fetched, Options(**options)).tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def release(folder: Path, publisher: Publisher = PUBLISHER, *, wheel: bool = False) -> FileTree:
    """Create a release of the project in `folder`, and return its files."""
    return make_artifacts(open_project(folder), publisher, DEFAULT_EPOCH, wheel=wheel)


def bundle(made: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a mapping from path to contents of the files in the `.mcpb` of a release."""
    [data] = [data for name, data in made.items() if name.endswith(".mcpb")]
    return dict(archived("x.zip", data))


def manifest(made: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the manifest of the `.mcpb` of a release."""
    found: dict[str, Any] = json.loads(bundle(made)["manifest.json"])
    return found


def archived(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the path and contents of each file of an archive.

    The archive's name says whether it is a tar or a zip file.
    """
    if name.endswith(".tar.gz"):
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                file = tar.extractfile(member)
                yield member.name, file.read() if file else b""
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for path in archive.namelist():
            yield path, archive.read(path)


def is_archive(name: str) -> bool:
    return name.endswith((".mcpb", ".whl", ".tar.gz"))
