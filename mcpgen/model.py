"""The two vocabularies of the compiler and nothing else: an API in OpenAPI's words, and a catalog of tools in MCP's.

`lower` is the only bridge between them. Everything is frozen; schemas are JSON Schema 2020-12 whatever the document
said, and a `$ref` in them is a key of `Api.definitions`, never a pointer into a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.diagnostics import Diagnostic, Where
from mcpgen.jsonvalue import JsonObject, JsonValue

Location = Literal["path", "query", "querystring", "header", "cookie"]
"""`querystring` is the whole query (OpenAPI 3.2)."""

Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""Those of OpenAPI 3.2, and `tabDelimited`, which only OpenAPI 2.0 has."""

SchemaProfile = Literal["portable", "full"]
"""What input schemas are written in: what every client takes, or all of JSON Schema 2020-12."""


Output = Literal["structured", "text"]
"""What the results of a tool are, as a person chose: `structured` are those with an output schema."""

Confirm = Literal["never", "when-supported", "always"]
"""When a person is asked before a call is sent: by every client that can ask, or else not at all; or else the call is
refused.
"""

DESTRUCTIVE = "destructive"
"""Stands for the tools with that hint where methods are named."""

OutputForm = Literal["object", "items", "value", "written"]
"""How an answer becomes the object that an output schema promises: as it is, under `items`, under `value`; or it must
be what a schema written by hand says.
"""


# -- an API, in OpenAPI's words ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter (OpenAPI 3.1, 4.8.12), with style and explode settled. `content` is a media type that replaces the
    style; `allows_empty` that the name may be sent without a value.
    """

    name: str
    location: Location
    schema: JsonObject
    where: Where
    required: bool = False
    description: str = ""
    deprecated: bool = False
    style: Style = "form"
    explode: bool = False
    reserved: bool = False
    content: str | None = None
    allows_empty: bool = False


@dataclass(frozen=True, slots=True)
class Encoding:
    """How one property of a form is sent (OpenAPI 3.1, 4.8.15). None where the document says nothing. `headers` are
    those of a part.
    """

    content_type: str | None = None
    style: Style | None = None
    explode: bool | None = None
    reserved: bool = False
    headers: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class MediaType:
    """One entry of `content`. `schema` is absent where the document describes none."""

    name: str
    schema: JsonObject | None = None
    encoding: Mapping[str, Encoding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RequestBody:
    content: tuple[MediaType, ...]
    where: Where
    required: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """`status` as the document writes it: `200`, `2XX`, `default`."""

    status: str
    description: str
    content: tuple[MediaType, ...] = ()
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerVariable:
    name: str
    default: str
    enum: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """`url` may be relative, or empty where none is known; variables stand in it as `{name}`."""

    url: str
    variables: tuple[ServerVariable, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """A scheme as far as a request is concerned. OAuth 2 is `bearer`: a ready access token; `oauth2` is one that a
    token can be fetched for, by the client credentials grant (RFC 6749 section 4.4) from `token_url`, or from where the
    OpenID provider at `discovery_url` says; both may be relative to the server. `other` is a scheme of which nothing is
    known but that it is needed.
    """

    name: str
    type: Literal["apiKey", "bearer", "basic", "oauth2", "other"]
    location: Literal["header", "query", "cookie"] = "header"
    wire_name: str = "Authorization"
    description: str = ""
    token_url: str = ""
    discovery_url: str = ""
    scopes: tuple[str, ...] = ()


Scopes = Mapping[str, tuple[str, ...]]
"""Name of a scheme → what an access token of it must allow."""

SecurityRequirement = tuple[str, ...]
"""Names of schemes that are needed together; an empty one means that none is needed."""


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A path as it is sent: `literals` are percent-encoded and stand around `variables`, whose names differ, one more
    of them than of these. `declared` are the names that the path itself gives them."""

    literals: tuple[str, ...]
    variables: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    fixed_query: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, references resolved. `key` is METHOD + path with parameter names blanked, unique in its API.

    `name`, `title` and all from `output` on are set where a person wrote them. `credentials` are parameters that carry
    one although no security scheme says so.
    """

    key: str
    method: str
    path: str
    template: PathTemplate
    where: Where
    id: str | None = None
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    parameters: tuple[Parameter, ...] = ()
    body: RequestBody | None = None
    responses: tuple[Response, ...] = ()
    servers: tuple[Server, ...] | None = None
    security: tuple[SecurityRequirement, ...] | None = None
    scopes: Scopes = field(default_factory=dict)
    extension: JsonObject = field(default_factory=dict)
    name: str | None = None
    title: str | None = None
    credentials: tuple[SecurityScheme, ...] = ()
    output: Output | None = None
    output_schema: JsonObject | None = None
    confirm: Confirm | None = None
    roles: tuple[str, ...] | None = None
    fields: bool | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """An operation that did not become a tool, and why; and as much of it as selectors ask for."""

    operation: str
    reason: Diagnostic
    method: str = ""
    path: str = ""
    id: str | None = None
    tags: tuple[str, ...] = ()
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Api:
    """An API description. `security` None means that the document says nothing at all about security.

    `name`, `version`, `instructions`, `output`, `confirm` (method or DESTRUCTIVE → when), `roles` (the same → whose)
    and `fields` are of the server to be, where its owner gave them.
    """

    title: str
    operations: tuple[Operation, ...]
    definitions: Mapping[str, JsonObject]
    name: str | None = None
    version: str = ""
    instructions: str = ""
    servers: tuple[Server, ...] = ()
    schemes: tuple[SecurityScheme, ...] = ()
    security: tuple[SecurityRequirement, ...] | None = None
    scopes: Scopes = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    output: Output | None = None
    confirm: Mapping[str, Confirm] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: bool | None = None


# -- a catalog, in MCP's words ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ParameterBinding:
    """An argument, or a constant `value` where `argument` is None, at one place of the request. It is `made` by the
    server where the argument is left out.
    """

    argument: str | None
    name: str
    location: Location
    style: Style
    explode: bool
    reserved: bool = False
    content: str | None = None
    required: bool = False
    made: bool = False
    value: JsonValue = None


@dataclass(frozen=True, slots=True)
class FieldBinding:
    """A member of a body. `part` is for multipart alone; `argument` None with `constant` False describes a member of a
    whole-body argument.
    """

    name: str
    argument: str | None = None
    constant: bool = False
    value: JsonValue = None
    style: Style | None = None
    explode: bool | None = None
    reserved: bool = False
    content_type: str | None = None
    part: Literal["text", "json", "xml", "file"] | None = None
    xml: JsonObject | None = None
    filename: str | None = None
    repeat: bool = False
    headers: tuple[ParameterBinding, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyBinding:
    """How arguments become the body: one whole `argument`, or `fields` and an object argument `rest` of others. `xml`
    is the shape of an XML document.
    """

    content_type: str
    encoding: Literal["json", "jsonl", "form", "multipart", "xml", "text", "binary"]
    required: bool = False
    argument: str | None = None
    fields: tuple[FieldBinding, ...] = ()
    rest: str | None = None
    needs: tuple[str, ...] = ()
    xml: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class HttpBinding:
    """How a call becomes a request. `path` alternates literal text, already percent-encoded, with parameters. `fields`
    is the argument that asks for parts of the result, and goes nowhere.
    """

    method: str
    path: tuple[str | ParameterBinding, ...]
    server: int
    accept: str
    query: tuple[ParameterBinding, ...] = ()
    querystring: tuple[ParameterBinding, ...] = ()
    headers: tuple[ParameterBinding, ...] = ()
    cookies: tuple[ParameterBinding, ...] = ()
    body: BodyBinding | None = None
    security: tuple[SecurityRequirement, ...] | None = None
    scopes: Scopes = field(default_factory=dict)
    fields: str | None = None

    def parameters(self) -> tuple[ParameterBinding, ...]:
        """All parameters, in the order path, query, querystring, header, cookie."""
        in_path = tuple(part for part in self.path if isinstance(part, ParameterBinding))
        return in_path + self.query + self.querystring + self.headers + self.cookies


@dataclass(frozen=True, slots=True)
class Annotations:
    """The four hints of MCP, always all of them."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = True

    @property
    def effect(self) -> str:
        """The hints in a person's words."""
        if self.read_only:
            return "reads"
        return "changes or deletes" if self.destructive else "adds"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. `operation` is the operation that it came from, for reports; nothing of it is read again. `output_form`
    is there with an `output_schema` and without one it is not. An operator needs one of `roles`, where there are any.
    """

    name: str
    title: str
    description: str
    input_schema: JsonObject
    annotations: Annotations
    binding: HttpBinding
    operation: Operation
    output_schema: JsonObject | None = None
    profile: SchemaProfile = "portable"
    output_form: OutputForm | None = None
    confirm: Confirm = "never"
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundScheme:
    """A security scheme and the environment variables that hold it: role (value, username, password, client_id,
    client_secret, token_url) → variable.
    """

    name: str
    type: Literal["apiKey", "bearer", "basic", "oauth2", "header"]
    variables: Mapping[str, str]
    location: str | None = None
    wire_name: str | None = None
    description: str = ""
    token_url: str = ""
    discovery_url: str = ""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the generated server is called: `name` in files, commands and MCP; `prefix` before its environment
    variables.
    """

    name: str
    title: str
    version: str
    instructions: str = ""

    @property
    def package(self) -> str:
        return self.name.replace("-", "_") + "_mcp"

    @property
    def command(self) -> str:
        return self.name + "-mcp"

    @property
    def prefix(self) -> str:
        return self.name.replace("-", "_").upper()


@dataclass(frozen=True, slots=True)
class Catalog:
    """What is emitted: sorted, unique, checked. The only input of `emit`."""

    identity: Identity
    servers: tuple[Server, ...]
    schemes: tuple[BoundScheme, ...]
    tools: tuple[ToolSpec, ...]
    skipped: tuple[Skipped, ...] = ()
