"""Write `server.json` of the MCP registry (schema 2025-12-11), and the server card of a server over HTTP (v1)."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.bundle.project import Project
from mcpgen.bundle.publisher import Publisher
from mcpgen.bundle.settings import Setting
from mcpgen.lower.text.prose import shortened

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"

LONGEST_DESCRIPTION = LONGEST_TITLE = 100
"""Limits of the registry, in characters. Most refused entries have a longer description."""

_FORMATS = {"text": "string", "folder": "filepath", "switch": "boolean"}


def server_json(project: Project, publisher: Publisher, settings: tuple[Setting, ...], mcpb: str) -> JsonObject:
    """Return the server's entry in the MCP registry. `mcpb`: SHA-256 digest of the bundle, used if the publisher has
    set `mcpb_url`.
    """
    identity = project.identity
    variables: list[JsonValue] = [_variable(each) for each in settings]
    asked: JsonObject = {"transport": {"type": "stdio"}, "environmentVariables": variables}
    packages: list[JsonValue] = [
        {
            "registryType": "pypi",
            "identifier": identity.command,
            "version": identity.version,
            "runtimeHint": "uvx",
            **asked,
        }
    ]
    if publisher.mcpb_url:
        url = f"{publisher.mcpb_url.rstrip('/')}/{bundle_name(project)}"
        packages.append({"registryType": "mcpb", "identifier": url, "fileSha256": mcpb, **asked})
    return {"$schema": SCHEMA, **_said(project, publisher), "packages": packages, **_remotes(publisher)}


def server_card(project: Project, publisher: Publisher) -> JsonObject:
    """Return the server card: what a client needs to find and reach the server over HTTP."""
    return {"$schema": CARD_SCHEMA, **_said(project, publisher), **_remotes(publisher)}


def bundle_name(project: Project) -> str:
    """Return the file name of the bundle. It contains "mcp", because the registry requires this in the bundle's URL."""
    return f"{project.identity.command}-{project.identity.version}.mcpb"


def ownership_proof(publisher: Publisher) -> str:
    """Return the comment in the README on PyPI that proves to the registry that the publisher owns the package."""
    return f"<!-- mcp-name: {publisher.registry_name} -->"


def _said(project: Project, publisher: Publisher) -> JsonObject:
    """Return the members that `server.json` and the server card have in common."""
    identity = project.identity
    said: JsonObject = {
        "name": publisher.registry_name,
        "title": shortened(identity.title, LONGEST_TITLE),
        "description": shortened(project.description, LONGEST_DESCRIPTION),
        "version": identity.version,
    }
    if publisher.repository:
        said["repository"] = {"url": publisher.repository, "source": publisher.host}
    return said


def _remotes(publisher: Publisher) -> JsonObject:
    return {"remotes": [{"type": "streamable-http", "url": publisher.url}]} if publisher.url else {}


def _variable(setting: Setting) -> JsonObject:
    entry: JsonObject = {
        "name": setting.variable,
        "description": setting.description,
        "isRequired": setting.needed,
        "isSecret": setting.secret,
        "format": _FORMATS[setting.kind],
    }
    if setting.default:
        entry["default"] = setting.default
    if setting.choices:
        entry["choices"] = list(setting.choices)
    return entry
