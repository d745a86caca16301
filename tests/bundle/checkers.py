"""Check the metadata files of a release: against the published JSON Schemas, and against our implementation of the MCP
registry's rules.

The rules come from modelcontextprotocol/registry: its schema 2025-12-11, and the further checks in its validators.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

FORMATS = Path(__file__).parents[3] / "shared" / "formats"
MANIFEST, CARD = "mcpb-manifest-v0.4.schema.json", "server-card.schema.json"

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]")
_RANGE = re.compile(r"[\^~<>=*|]|latest|\bx\b| - ", re.IGNORECASE)
_MEMBERS = {"$schema", "name", "title", "description", "version", "repository", "packages", "remotes"}
_OF_INPUT = {"name", "description", "isRequired", "isSecret", "format", "default", "choices"}


@cache
def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FORMATS / name).read_text(encoding="utf-8"))
    return found


def schema_findings(name: str, value: Any) -> list[str]:
    """Return the places where `value` violates the published schema of the file `name`.

    Skip the test if the schema is not on this machine.
    """
    if not FORMATS.is_dir():
        pytest.skip("the schemas of the owners are not beside the repository")
    schema = _schema(name)
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [f"{name}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]


def registry_findings(value: dict[str, Any]) -> Iterator[str]:
    """Yield the reasons why the MCP registry would refuse a `server.json`."""
    if value.get("$schema") != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json":
        yield "the schema is not the registry's"
    if value.keys() - _MEMBERS:
        yield f"unknown members: {value.keys() - _MEMBERS}"
    if not _NAME.fullmatch(value.get("name", "")) or len(value["name"]) > 200:
        yield "the name is not NAMESPACE/NAME"
    for member in ("title", "description"):
        if not 0 < len(value.get(member, "").strip()) <= 100:
            yield f"{member} has not 1 to 100 characters"
    if not value.get("version") or _RANGE.search(value["version"]):
        yield "the version is not exact"
    for package in value.get("packages", ()):
        yield from _package_findings(package, value["version"])
    for remote in value.get("remotes", ()):
        if remote["type"] != "streamable-http" or not re.fullmatch(r"https://[^\s{}]+", remote["url"]):
            yield "a remote is no public URL"


def _package_findings(package: dict[str, Any], version: str) -> Iterator[str]:
    if package["transport"] != {"type": "stdio"} or re.search(r"\s", package["identifier"]):
        yield "a package has no transport, or an identifier with blanks"
    match package["registryType"]:
        case "pypi":
            if package["version"] != version or package["runtimeHint"] != "uvx" or "fileSha256" in package:
                yield "the package on PyPI is not of this version"
        case "mcpb":
            is_url = re.fullmatch(r"https://\S*mcp\S*\.mcpb", package["identifier"])
            if not is_url or not re.fullmatch(r"[0-9a-f]{64}", package["fileSha256"]) or "version" in package:
                yield "the bundle has no URL with mcp in it, or no digest"
        case other:
            yield f"an unknown registry: {other}"
    names = [each["name"] for each in package["environmentVariables"]]
    if len(names) != len(set(names)):
        yield "a variable stands twice"
    for each in package["environmentVariables"]:
        if each.keys() - _OF_INPUT or not all(isinstance(each[key], bool) for key in ("isRequired", "isSecret")):
            yield f"{each['name']} has other members than inputs have"
        if each["format"] not in ("string", "number", "boolean", "filepath") or not each["description"]:
            yield f"{each['name']} has an unknown format, or no description"
