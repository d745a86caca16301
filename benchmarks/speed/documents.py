"""Provide the documents to compile: published ones from the folder beside the repository, and synthetic ones of any
size.
"""

from __future__ import annotations

import gc
import json
import re
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dev"
GITHUB, STRIPE = CORPUS / "github-rest.json", CORPUS / "stripe.yaml"
MANY = 1_200
COPIES = 4
_MARK = "COPYMARK"


def many(folder: Path) -> tuple[Path, str]:
    """Return a document of about 1,200 operations and its name: GitHub's if it is present, else a synthetic one."""
    if GITHUB.is_file():
        return GITHUB, "GitHub"
    path = folder / "many.json"
    path.write_text(synthetic(MANY), encoding="utf-8")
    return path, f"{MANY:,} operations"


def synthetic(operations: int) -> str:
    """Return a document whose operations each have their own parameters, body and schemas."""
    paths, schemas = {}, {}
    for number in range(operations):
        schemas[f"Thing{number}"] = {
            "type": "object",
            "description": f"A thing of kind {number}.",
            "properties": {
                "name": {"type": "string", "maxLength": 50},
                "size": {"type": "integer", "minimum": 0},
                "parts": {"type": "array", "items": {"$ref": f"#/components/schemas/Thing{number // 2}"}},
            },
        }
        body = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/Thing{number}"}}}}
        parameters = [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "description": "How many.", "schema": {"type": "integer", "default": 20}},
        ]
        operation = {"summary": f"Change thing {number}", "parameters": parameters, "requestBody": body}
        paths[f"/things-{number}/{{id}}"] = {"put": {**operation, "responses": {"200": {"description": "ok"}}}}
    document = {"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, "paths": paths}
    return json.dumps({**document, "components": {"schemas": schemas}})


def copied(source: Path, target: Path) -> None:
    """Write a YAML file with the JSON document four times, each copy with its own paths, ids and components."""
    text = re.sub(r'"#/components/(\w+)/', rf'"#/components/\1/{_MARK}', source.read_text(encoding="utf-8"))
    document = json.loads(text)
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "operationId" in operation:
                operation["operationId"] += _MARK
    paths = {f"/{_MARK}{path}": item for path, item in document["paths"].items()}
    components = {
        section: {f"{_MARK}{name}": value for name, value in members.items()}
        for section, members in document["components"].items()
    }
    rest = {name: value for name, value in document.items() if name not in ("paths", "components")}
    pieces = [_dumped(rest, 0), "paths:\n", *_copies(_dumped(paths, 2)), "components:\n"]
    for section, members in components.items():
        pieces += [f"  {section}:\n", *_copies(_dumped(members, 4))]
    target.write_text("".join(pieces), encoding="utf-8")


def _dumped(value: dict[str, Any], indent: int) -> str:
    """Return the value as indented block YAML.

    The garbage collector is off meanwhile, because it would take most of the time.
    """
    gc.disable()
    try:
        text: str = yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
    finally:
        gc.enable()
    return "".join(f"{' ' * indent}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def _copies(text: str) -> list[str]:
    return [text.replace(_MARK, f"copy{number}-") for number in range(COPIES)]
