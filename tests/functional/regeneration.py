"""Build versions of a small API, and generate the same project from one version after another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from mcpgen.lock import lockfile as locks

OUT = Path("out")
PET: dict[str, Any] = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


def operation(identifier: str | None, summary: str = "", **more: Any) -> dict[str, Any]:
    named = {"operationId": identifier} if identifier else {}
    return {**named, "summary": summary or f"About {identifier}", "responses": {"200": {"description": "ok"}}, **more}


def api(**operations: dict[str, Any]) -> bytes:
    """Return an OpenAPI document with these operations. Keys are `METHOD path`."""
    paths: dict[str, Any] = {}
    for request, found in operations.items():
        method, _, path = request.partition(" ")
        paths.setdefault(path, {})[method.lower()] = found
    servers = [{"url": "https://api.example.com"}]
    document = {"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "servers": servers, "paths": paths}
    return json.dumps(document).encode()


LIST = {"GET /pets": operation("listPets")}
GET = {"GET /pets/{id}": operation("getPet", parameters=[PET])}
MOVED = {"GET /animals/{id}": operation("getPet", parameters=[PET])}
"""The same operation as in `GET`, at another path."""

DELETE = {"DELETE /pets/{id}": operation("deletePet", parameters=[PET])}


def write(*parts: dict[str, Any], name: str = "api.json") -> None:
    Path(name).write_bytes(api(**{key: value for part in parts for key, value in part.items()}))


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def files(directory: Path = OUT) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def lock() -> locks.Lock:
    return locks.load((OUT / locks.NAME).read_bytes(), "")


def names() -> dict[str, str]:
    return lock().promises.names
