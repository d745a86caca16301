"""Write `server.json` of the MCP registry (schema 2025-12-11), and the server card of a server over HTTP (v1). Both
contain what only the publisher of the server knows.
"""

import re
from dataclasses import dataclass

from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, without_empty
from mcpgen.base.names import clipped
from mcpgen.bundle.project import Project
from mcpgen.bundle.settings import Setting
from mcpgen.lower.text.prose import shortened

_REGISTRY_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]")
_LONGEST_NAME = 200
_HTTPS = re.compile(r"https://[A-Za-z0-9.-]+\.[A-Za-z]{2,}(?::[0-9]{1,5})?(?:/[!-z|~]*)?")
_HOSTS = {"github.com": "github", "gitlab.com": "gitlab"}
"""Host of a repository → the name of this host in `server.json`."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """Settings of one release; a setting that is not given is "".

    `registry_name`: NAMESPACE/NAME in the MCP registry. `url`: URL of the server over HTTP. `mcpb_url`: URL of the
    folder from which users can download the `.mcpb`.
    """

    registry_name: str = ""
    author: str = ""
    url: str = ""
    repository: str = ""
    mcpb_url: str = ""

    def check(self) -> None:
        """Raise FatalError if the MCP registry or a client would refuse the name in the registry or one of the URLs."""
        if self.registry_name and not _is_registry_name(self.registry_name):
            message = f"{clipped(self.registry_name)} is not a valid name for the MCP registry."
            raise FatalError("invalid-flag", message, hint="Write NAMESPACE/NAME, such as io.github.ann/petstore.")
        for flag, url in (("--url", self.url), ("--repository", self.repository), ("--mcpb-url", self.mcpb_url)):
            if url and not _HTTPS.fullmatch(url):
                message = f"{flag} is not a public https URL, or contains variables: {clipped(url)}."
                raise FatalError("invalid-flag", message, hint="Write https://HOST/PATH.")
        if self.repository and not self.host:
            message = f"The MCP registry does not accept repositories at {clipped(self.repository)}."
            raise FatalError(
                "invalid-flag",
                message,
                hint="Name a repository at github.com or gitlab.com, as a URL that ends in OWNER/REPOSITORY.",
            )

    @property
    def host(self) -> str:
        """Return the registry's word for the host of the repository, such as `github`.

        Return "" if there is no repository, or if the registry does not accept its URL.
        """
        host, _, path = self.repository.removeprefix("https://").partition("/")
        return _HOSTS.get(host, "") if re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+", path.rstrip("/"), re.ASCII) else ""

    @property
    def name(self) -> str:
        """Return the author's name if given, else the owner in `registry_name` (`a` in `io.github.a/api`), else ""."""
        return self.author or self.registry_name.partition("/")[0].rpartition(".")[2]


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
    repository = {"url": publisher.repository, "source": publisher.host} if publisher.repository else None
    return {
        "name": publisher.registry_name,
        "title": shortened(identity.title, LONGEST_TITLE),
        "description": shortened(project.description, LONGEST_DESCRIPTION),
        "version": identity.version,
        **without_empty(repository=repository),
    }


def _remotes(publisher: Publisher) -> JsonObject:
    return {"remotes": [{"type": "streamable-http", "url": publisher.url}]} if publisher.url else {}


def _variable(setting: Setting) -> JsonObject:
    return {
        "name": setting.variable,
        "description": setting.description,
        "isRequired": setting.needed,
        "isSecret": setting.secret,
        "format": _FORMATS[setting.kind],
        **without_empty(default=setting.default, choices=setting.choices),
    }


def _is_registry_name(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and _REGISTRY_NAME.fullmatch(name) is not None
