"""Test the rendered files of a project, such as a README that says what exists, which variables to set, and what is
missing.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

from package.runtime.settings.settings_table import SETTINGS

from mcpgen.emit.project import RUNTIME_DEPENDENCIES
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pet *Store*", "version": "7"},
    "servers": [{"url": "https://{region}.example.com/v1", "variables": {"region": {"default": "eu"}}}],
    "security": [{"petKey": []}],
    "paths": {
        "/pets": {"get": {"operationId": "listPets"}, "post": {"operationId": "addPet"}},
        "/pets/{id}": {"delete": {"operationId": "deletePet"}},
        "//bad|path": {"get": {}},
    },
    "components": {
        "securitySchemes": {
            "petKey": {"type": "apiKey", "in": "header", "name": "X-Pet"},
            "login": {"type": "http", "scheme": "basic"},
        }
    },
}


def compiled() -> Compiled:
    return compile_source(Fetched("f", json.dumps(DOCUMENT).encode()), Options())


def rows(readme: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below `heading`, without its header row."""
    section = readme.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").replace("\\|", "\0").split("|")] for line in lines[1:]]


def test_the_readme_lists_tools_variables_and_what_is_missing() -> None:
    readme = compiled().tree["README.md"].decode()
    assert readme.startswith("# Pet Store: an MCP server\n")
    assert rows(readme, "Tools") == [
        ["`add_pet`", "Add pet: POST /pets.", "`POST /pets`", "adds"],
        ["`delete_pet`", "Delete pet: DELETE /pets/{id}.", "`DELETE /pets/{id}`", "changes or deletes"],
        ["`list_pets`", "List pets: GET /pets.", "`GET /pets`", "reads"],
    ]
    named = [row[0].strip("`") for row in rows(readme, "Settings")]
    assert named[:5] == [
        "PET_STORE_LOGIN_USERNAME",
        "PET_STORE_LOGIN_PASSWORD",
        "PET_STORE_PET_KEY",
        "PET_STORE_VAR_REGION",
        "PET_STORE_BASE_URL",
    ]
    stdio = [row.variable("PET_STORE") for row in SETTINGS if row.feature in ("", "audit", "telemetry")]
    assert named[4:] == stdio, "no settings of files, roles, logins and HTTP"
    ((operation, why),) = rows(readme, "Not compiled")
    assert operation == "`GET //bad\0path`"
    assert "two slashes" in why


def test_the_readme_says_how_credentials_may_come() -> None:
    readme = compiled().tree["README.md"].decode()
    assert "`PET_STORE_LOGIN_USERNAME_FILE` names" in readme
    assert "OAuth 2" not in readme


def test_the_block_for_clients_is_json_with_what_has_to_be_set() -> None:
    readme = compiled().tree["README.md"].decode()
    block = json.loads(readme.split("```json\n")[1].split("```")[0])
    server = block["mcpServers"]["pet-store"]
    assert server["command"] == "pet-store-mcp"
    assert server["env"] == {"PET_STORE_PET_KEY": ""}, "no tool needs the login"


def test_the_project_file_names_what_the_server_needs_and_nothing_else() -> None:
    project = tomllib.loads(compiled().tree["pyproject.toml"].decode())["project"]
    assert (project["name"], project["version"]) == ("pet-store-mcp", "0.1.0")
    assert project["dependencies"] == [*RUNTIME_DEPENDENCIES]
    assert project["description"] == "MCP server for Pet Store"
