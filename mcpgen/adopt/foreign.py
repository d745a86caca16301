"""What is known of a server that another tool makes from API descriptions. No value of a secret is in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.base.diagnostics import Where

Program = Literal["awslabs", "fastmcp", "openapi-mcp-generator", "ivotoby"]
Component = Literal["tool", "resource", "template", "none"]

TITLES: dict[Program, str] = {
    "awslabs": "awslabs.openapi-mcp-server",
    "fastmcp": "FastMCP",
    "openapi-mcp-generator": "openapi-mcp-generator",
    "ivotoby": "@ivotoby/openapi-mcp-server",
}
"""Program → its name for people."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence on what is different after the move, and the place that it concerns."""

    text: str
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Credential:
    """A credential that every request carries.

    `location` and `name`: of an API key. `held`: role (value, username, password, client_id, client_secret) → the
    variable or flag that held it, "" for a value that stood in the configuration itself. `token_url`, `scopes`: of
    OAuth 2 client credentials.
    """

    kind: Literal["bearer", "basic", "apiKey", "client"]
    held: Mapping[str, str]
    location: str = "header"
    name: str = ""
    token_url: str = ""
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A route map of FastMCP: what an operation becomes if method, path and tags fit. Empty: any of them fits.

    `pattern` is a regular expression, searched in the path. `adds`: tags that the component gets.
    """

    component: Component
    methods: frozenset[str] = frozenset()
    pattern: str = ""
    tags: frozenset[str] = frozenset()
    adds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Described:
    """One API description that the other tool reads.

    `place`: its path or URL, "" if unknown. `base_url`: where requests go, "" if unknown. `credentials`: None if the
    other tool sends what the document says. `renames`: operationId → name. `tags`: those that all components get.
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
    """Which tools there are. None: no limit. Names and ids are those of the other tool.

    `removed`: tools that a script takes away again. `by_default`: for openapi-mcp-generator, whether operations
    without `x-mcp` are tools.
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
        """Return True if the filters name what is offered, not what is left out."""
        named = (self.include_tags, self.tools, self.resources, self.methods)
        return any(each is not None for each in named) or not self.by_default


@dataclass(frozen=True, slots=True)
class Naming:
    """How openapi-mcp-generator and ivotoby's server name tools: the longest name, and whether words are shortened."""

    longest: int = 64
    abbreviates: bool = True


@dataclass(frozen=True, slots=True)
class ForeignServer:
    """A server as another tool makes it.

    `name`: what clients or its configuration call it. `timeout`: seconds a request may take. `searches`: it lists only
    tools that find and call others. `remarks`: what could not be taken over.
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
