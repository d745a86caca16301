"""Data types for the configuration of an MCP server that was made with another program than mcpgen, such as FastMCP.
The types never hold the value of a secret.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from mcpgen.base import source_urls
from mcpgen.base.diagnostics import Where
from mcpgen.base.secrets import without_secrets

Program = Literal["awslabs", "fastmcp", "openapi-mcp-generator", "ivotoby"]
Component = Literal["tool", "resource", "template", "none"]

TITLES: dict[Program, str] = {
    "awslabs": "awslabs.openapi-mcp-server",
    "fastmcp": "FastMCP",
    "openapi-mcp-generator": "openapi-mcp-generator",
    "ivotoby": "@ivotoby/openapi-mcp-server",
}
"""Program → its name in messages."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence on a difference between the adopted and the generated server, and the place in the configuration
    where the difference comes from.
    """

    text: str
    where: Where | None = None

    def __post_init__(self) -> None:
        """Remove secrets from the text, which may quote the configuration."""
        object.__setattr__(self, "text", without_secrets(self.text))


CHECKS_CERTIFICATES = (
    "The new server always checks TLS certificates. To trust another certificate authority, set its environment "
    "variable NAME_CA_FILE."
)
"""Text of the remark on an old server that does not check TLS certificates."""


def listens_over_http(port: str | None, default: str, where: Where | None) -> Remark:
    """Return the remark on an old server that listens over HTTP.

    The remark contains a command, so a `port` that is not a number is replaced by the `default`.
    """
    number = port if port and port.isascii() and port.isdigit() else default
    return Remark(f"The old server listens over HTTP. Start the new server with `--http {number}`.", where)


@dataclass(frozen=True, slots=True)
class Credential:
    """A credential that every request carries.

    `location` and `name`: where an API key is sent, and under which name. `held`: role (value, username, password,
    client_id, client_secret) → the variable or flag that held the secret; "" if the configuration itself held it.
    `token_url`, `scopes`: settings of OAuth 2 client credentials.
    """

    kind: Literal["bearer", "basic", "apiKey", "client"]
    held: Mapping[str, str]
    location: str = "header"
    name: str = ""
    token_url: str = ""
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A route map of FastMCP: the kind of component that an operation becomes if its method, path and tags match.

    An empty condition always matches. `pattern`: a regular expression, searched in the path. `adds`: tags that the
    component gets.
    """

    component: Component
    methods: frozenset[str] = frozenset()
    pattern: str = ""
    tags: frozenset[str] = frozenset()
    adds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Described:
    """One OpenAPI document of the adopted server (made with another program).

    `place`: path or URL of the document, "" if unknown. `base_url`: URL of the API, "" if unknown. `credentials`: those
    that the adopted server sends; None if they are unknown, or are those of the document's security schemes. `renames`:
    operationId → tool name. `routes`: FastMCP's route maps. `tags`: tags of every tool and resource.
    """

    place: str
    base_url: str = ""
    credentials: tuple[Credential, ...] | None = ()
    renames: Mapping[str, str] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()
    tags: frozenset[str] = frozenset()
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions by which the adopted server (made with another program) decides which operations become tools.

    The value None means that there is no condition. Names and ids are those of the adopted server. `removed`: tools
    that a script removes. `by_default`: True if openapi-mcp-generator makes tools of operations without `x-mcp`.
    """

    include_tags: frozenset[str] | None = None
    exclude_tags: frozenset[str] = frozenset()
    tools: frozenset[str] | None = None
    resources: frozenset[str] | None = None
    methods: frozenset[str] | None = None
    removed: frozenset[str] = frozenset()
    by_default: bool = True

    @property
    def includes(self) -> bool:
        """Return True if the filters list operations to include, False if they list operations to exclude."""
        named = (self.include_tags, self.tools, self.resources, self.methods)
        return any(each is not None for each in named) or not self.by_default


@dataclass(frozen=True, slots=True)
class Naming:
    """Rules by which openapi-mcp-generator and ivotoby's server name tools: the maximal length, and whether words are
    abbreviated.
    """

    longest: int = 64
    abbreviates: bool = True


@dataclass(frozen=True, slots=True)
class ForeignServer:
    """Configuration of an MCP server that was made with another program. `mcpgen adopt` turns it into a tools file.

    `name`: the server's name in the client, or in the server's configuration. `timeout`: seconds a request may take.
    `searches`: True if the server lists only tools that find and call other tools. `remarks`: settings that a tools
    file cannot express.
    """

    program: Program
    documents: tuple[Described, ...]
    name: str = ""
    title: str = ""
    instructions: str = ""
    timeout: float | None = None
    filters: Filters = Filters()
    naming: Naming = Naming()
    searches: bool = False
    remarks: tuple[Remark, ...] = ()


def leave_out_secrets(server: ForeignServer) -> ForeignServer:
    """Return `server` without secrets in its name, title and instructions. A remark says if there were any."""
    plain = replace(
        server,
        name=without_secrets(server.name),
        title=without_secrets(server.title),
        instructions=without_secrets(server.instructions),
    )
    if plain == server:
        return server
    said = "The name, title or instructions of the old server had secrets, which were left out."
    return replace(plain, remarks=(*server.remarks, Remark(said)))


def has_secret(url: str) -> bool:
    """Return True if a URL has a user, a secret in its query, or a part that looks like a secret."""
    return source_urls.without_secrets(url) != url
