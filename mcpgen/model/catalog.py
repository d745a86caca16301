"""A catalog of tools, in MCP's words: what is emitted."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model.api import Login, Operation, Scopes, SecurityRequirement, Server, Skipped
from mcpgen.model.curation import Given, ResultView, Template
from mcpgen.model.features import Prompt, Resource
from mcpgen.model.pins import Slot
from mcpgen.model.words import BodyEncoding, Confirm, InputProfile, Location, OutputForm, PartKind, SchemeKind, Style


@dataclass(frozen=True, slots=True)
class ParameterBinding:
    """An argument, a `template`, or a constant `value` where both are None, at one place of the request. It is `made`
    by the server where the argument is left out. Only one in the path that `may_be_empty` is written as nothing.
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
    may_be_empty: bool = False
    value: JsonValue = None
    template: Template | None = None


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
    part: PartKind | None = None
    xml: JsonObject | None = None
    filename: str | None = None
    repeat: bool = False
    headers: tuple[ParameterBinding, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyBinding:
    """How arguments become the body: one whole `argument`, or `fields` and an object argument `rest` of others, or a
    `template`. `xml` is the shape of an XML document. With a `value` the whole body is that. No call may give a member
    that is `withheld`.
    """

    content_type: str
    encoding: BodyEncoding
    required: bool = False
    argument: str | None = None
    fields: tuple[FieldBinding, ...] = ()
    rest: str | None = None
    needs: tuple[str, ...] = ()
    xml: JsonObject | None = None
    value: Given = None
    template: Template | None = None
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HttpBinding:
    """How a call becomes a request. `path` alternates literal text, already percent-encoded, with parameters. `fields`
    is the argument that asks for parts of the result, and goes nowhere; `defaults` (argument → value) are sent where a
    call leaves them out. `timeout` is in seconds, `result` what is shown of the answer. `also` are arguments that the
    schema names elsewhere than among its properties; where it is `open` there may be others too.
    `withheld` (query or cookies → names) is what no argument may write there, because its owner hid it. `unchecked` are
    patterns of the schemas that a server leaves to the API. Answers with a status of `redirects` (`302`, `3XX`) are
    results. `saves` is the argument that a server adds which may write the tool's answers to files.
    Where it `follows`, redirects are followed.
    `settings` are schemes that are sent where they are set.
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
    defaults: Mapping[str, JsonValue] = field(default_factory=dict)
    timeout: float | None = None
    result: ResultView | None = None
    also: tuple[str, ...] = ()
    open: bool = False
    withheld: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    saves: str | None = None
    follows: bool = False

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
    `arguments` are named by their slots (place in the request, name there), those of `renamed` by a person.
    """

    name: str
    title: str
    description: str
    input_schema: JsonObject
    annotations: Annotations
    binding: HttpBinding
    operation: Operation
    output_schema: JsonObject | None = None
    profile: InputProfile = "portable"
    output_form: OutputForm | None = None
    confirm: Confirm = "never"
    roles: tuple[str, ...] = ()
    arguments: Mapping[Slot, str] = field(default_factory=dict)
    renamed: frozenset[Slot] = frozenset()


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """One resource under its settled `uri`, and how it is fetched where it is."""

    resource: Resource
    uri: str
    binding: HttpBinding | None = None


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """One prompt. `uris` are the resources that its messages hold, name → URI."""

    prompt: Prompt
    uris: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BoundScheme:
    """A security scheme and the environment variables that hold it: role (value, username, password, client_id,
    client_secret, token_url) → variable.
    """

    name: str
    type: SchemeKind
    variables: Mapping[str, str]
    location: str | None = None
    wire_name: str | None = None
    description: str = ""
    token_url: str = ""
    discovery_url: str = ""
    login: Login | None = None


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
    """What is emitted: sorted, unique, checked. The only input of `emit`.

    `origins` is the one list of origins that calls and credentials may reach (`mcpgen.base.origins`); others that the
    servers and schemes name wait for the owner's word.
    """

    identity: Identity
    servers: tuple[Server, ...]
    schemes: tuple[BoundScheme, ...]
    tools: tuple[ToolSpec, ...]
    skipped: tuple[Skipped, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()
    prompts: tuple[PromptSpec, ...] = ()
    origins: tuple[str, ...] = ()
