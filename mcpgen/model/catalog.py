"""Data types for a catalog of tools in MCP's words: the input of the package `emit`, which writes the catalog
to files.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.model.api import (
    Accepted,
    Account,
    CallerScopes,
    Login,
    Operation,
    Scopes,
    SecurityRequirement,
    Server,
    Skipped,
    UserFlow,
)
from mcpgen.model.curation import AskedQuestion, Given, ResultView, TaskRule, Template
from mcpgen.model.features import Prompt, Resource, Webhook
from mcpgen.model.pins import Slot
from mcpgen.model.words import (
    BodyEncoding,
    Capability,
    Confirm,
    CredentialWay,
    InputProfile,
    Location,
    OutputForm,
    PartKind,
    Signing,
    Style,
)


@dataclass(frozen=True, slots=True)
class ParameterBinding:
    """One parameter of the request, and where its value comes from: an `argument`, a `template`, or the constant
    `value` if both are None.

    `made`: True if the server generates the value if the call omits the argument, as for an idempotency key.
    `may_be_empty`: True if an empty text is allowed in the path.
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
    """One member of a body, and where its value comes from: an `argument`, or the constant `value` if `constant` is
    True.

    If there is neither an argument nor a constant, the whole body is one argument. The object then only describes how
    this member of the body is serialized. `part`: for multipart bodies only.
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
    """How the request body is made from the arguments, in one of four forms.

    The forms are: one whole `argument`, a `template`, the constant `value`, or `fields` with an object argument `rest`
    for further members. `xml`: structure of an XML document. `withheld`: names of members that no call may give.
    `set_by_api`: names of members that only responses have.
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
    set_by_api: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """Where a response holds the list of items: a JSON Pointer to the list, "" if the response is the list itself.

    `items` is None if the document does not describe the response; then the server searches each response for its only
    list.
    """

    items: str | None = None


@dataclass(frozen=True, slots=True)
class Lookup:
    """An argument that takes a name in place of an id, and the tool that finds the id by the name.

    `argument`: takes the name. `id`: the argument for which the id is looked up. `tool`: returns the items. `query`:
    the argument of `tool` for the name, "" if `tool` lists all items. `given`: other arguments of `tool` → the
    arguments of the call that fill them. `items`: pointer to the list of items in the response of `tool`. `value`: the
    item's member with the id. `names`: members that hold a name of the item. `about`: a member by which a user can
    distinguish items, or "". `required`: True if a call needs the id or the name. `ranked`: True if the best match
    comes first.
    """

    argument: str
    id: str
    tool: str
    query: str
    given: Mapping[str, str]
    items: str
    value: str
    names: tuple[str, ...]
    about: str = ""
    required: bool = False
    ranked: bool = False


@dataclass(frozen=True, slots=True)
class HttpBinding:
    """How a call becomes a request, and how the response becomes a result.

    `path`: percent-encoded literal text alternating with parameters. `fields`: the argument that selects parts of the
    result; it is not sent. `defaults`: argument → value that is sent if a call omits the argument. `timeout`: in
    seconds. `result`: which parts of the response are returned.

    `also`: arguments that the input schema names outside its `properties`. `open`: True if undeclared arguments are
    allowed. `withheld`: `query` or `cookies` → names that no argument may write there, because the project's owner hid
    them.
    `nullable`: pointers to members of a JSON body that may be null, although the input schema does not show it.
    `unchecked`: patterns that the server does not check, since checking them costs too much.

    `caller_scopes`: OAuth scopes that the token of a caller over HTTP needs.

    `pages`: place of the list in a response, if a call fetches all pages. `lookups`: arguments that take an item's
    name; the server finds the item's id by the name. `task`: how the job that a call starts is followed.

    `redirects`: statuses (`302`, `3XX`) that count as results. `follows`: True if redirects are followed. `saves`: the
    argument that the server adds so that a call can name a file for the response. `shows`: header fields that the
    result shows. `settings`: names of security schemes of the kind `setting`, parameters that are not secret. Each is
    sent if its environment variable is set. `variables`: variable of the server URL → argument that gives its value.
    `account`: the argument that names the account of a call; it is not sent.
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
    security: tuple[SecurityRequirement, ...] = ()
    scopes: Scopes = field(default_factory=dict)
    caller_scopes: CallerScopes = ()
    fields: str | None = None
    defaults: Mapping[str, JsonValue] = field(default_factory=dict)
    timeout: float | None = None
    requires: tuple[Capability, ...] = ()
    result: ResultView | None = None
    also: tuple[str, ...] = ()
    open: bool = False
    withheld: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nullable: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    saves: str | None = None
    follows: bool = False
    shows: tuple[str, ...] = ()
    pages: Listing | None = None
    lookups: tuple[Lookup, ...] = ()
    task: TaskRule | None = None
    workflow: JsonObject | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    account: str | None = None

    def parameters(self) -> tuple[ParameterBinding, ...]:
        """Return all parameters, in the order path, query, querystring, header, cookie."""
        in_path = tuple(part for part in self.path if isinstance(part, ParameterBinding))
        return in_path + self.query + self.querystring + self.headers + self.cookies


@dataclass(frozen=True, slots=True)
class Annotations:
    """The four hints of MCP's tool annotations, each with a value."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = True

    @property
    def effect(self) -> str:
        """Return the effect of the tool as a verb for people: "reads", "adds", or "changes or deletes"."""
        if self.read_only:
            return "reads"
        return "changes or deletes" if self.destructive else "adds"


LONGEST_DESCRIPTION = 1000
"""Limit on the characters of a tool's description."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a tool's description. `is_whole`: True if it stays whole where the description is cut."""

    text: str
    is_whole: bool = False


def joined(passages: Iterable[Passage]) -> str:
    """Return the description of which these are the parts."""
    return " ".join(passage.text for passage in passages if passage.text)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool.

    `passages`: the parts of its description. `operation`: the operation from which the tool was made, for reports only.
    `output_form`: how a response becomes the object that `output_schema` describes. `roles`: a caller needs one of
    these roles to use the tool; empty for no limit. `arguments`: slot (place in the request, parameter name) → argument
    name. `renamed`: slots whose argument was named by a person. `aliases`: other names of the tool. `input_schema`
    lacks the arguments that `questions` ask the user. `accepted`: where a client can see the state of work that goes on
    after the response; None if no such work is recognised, or if the server itself follows the work (`binding.task`).
    `extra`: members of its entry in `bindings.json` for one wing of the runtime.
    """

    name: str
    title: str
    passages: tuple[Passage, ...]
    input_schema: JsonObject
    annotations: Annotations
    binding: HttpBinding
    operation: Operation
    output_schema: JsonObject | None = None
    profile: InputProfile = "portable"
    output_form: OutputForm | None = None
    confirm: Confirm = "never"
    questions: tuple[AskedQuestion, ...] = ()
    roles: tuple[str, ...] = ()
    arguments: Mapping[Slot, str] = field(default_factory=dict)
    renamed: frozenset[Slot] = frozenset()
    aliases: tuple[str, ...] = ()
    accepted: Accepted | None = None
    extra: JsonObject = field(default_factory=dict)

    @property
    def description(self) -> str:
        return joined(self.passages)

    @property
    def asked(self) -> dict[str, JsonObject]:
        """Return name → schema of each argument that the server asks the user for (elicitation)."""
        return {name: schema for question in self.questions for name, schema in question.arguments.items()}

    @property
    def whole_schema(self) -> JsonObject:
        """Return the schema of all arguments of a call, including arguments that the user fills in."""
        if not self.questions:
            return self.input_schema
        return {**self.input_schema, "properties": {**as_object(self.input_schema.get("properties")), **self.asked}}


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """One resource under its final `uri`.

    `binding`: the request that fetches its content; None if the content is fixed.
    """

    resource: Resource
    uri: str
    binding: HttpBinding | None = None


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """One prompt. `uris`: name of a resource in its messages → URI of that resource. `questions`: questions to the
    user.
    """

    prompt: Prompt
    uris: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[AskedQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundScheme:
    """A security scheme as `bindings.json` describes it.

    `variables`: role (value, username, password, client_id, client_secret, token_url) → environment variable.
    `purposes`: role → what the variable holds. `secret`: roles whose values are secret. `ways`: how the server gets the
    credential → roles that it needs for this. `location`, `wire_name`: where the credential is sent; the name is "" if
    the operator writes the header field. Its text is `word`, a blank, and the values of `ways["given"]`, joined by
    colons (in base64 if `base64` is True). `signing`: how the values sign each request, instead of being sent.
    `tokens`: True if the credential is an OAuth access token.
    """

    name: str
    variables: Mapping[str, str]
    purposes: Mapping[str, str]
    secret: tuple[str, ...]
    ways: Mapping[CredentialWay, tuple[str, ...]]
    location: str
    wire_name: str
    word: str = ""
    base64: bool = False
    signing: Signing | None = None
    tokens: bool = False
    token_url: str = ""
    discovery_url: str = ""
    login: Login | None = None
    user: UserFlow | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """Names of the generated server.

    `name`: in files, commands and MCP. `prefix`: of its environment variables. `package`: its Python package.
    `command`: its executable. `logging`: True if clients can ask for log messages.
    """

    name: str
    title: str
    version: str
    instructions: str = ""
    logging: bool = False

    @property
    def package(self) -> str:
        return self.name.replace("-", "_") + "_mcp"

    @property
    def command(self) -> str:
        return self.name + "-mcp"

    @property
    def prefix(self) -> str:
        return self.name.replace("-", "_").upper()


MOST_SEARCH_TOKENS = 750
"""Limit on the tokens of the tool list of a server with `--tools search`, without tools that its owner pins."""


@dataclass(frozen=True, slots=True)
class SearchTable:
    """Data of a server whose tools are found by a search (`--tools search`).

    `index`: the search index as JSON text. `groups`: group of tools → number of its tools, for the largest groups,
    which the description of the search tool names. `others`: number of tools in groups that the description omits.
    `starts`: signatures of the tools that clients probably call first. `pinned`: tools that are listed beside the
    search. `finders`: name of each search tool → its kind, such as `search_tools`.
    """

    index: bytes
    groups: Mapping[str, int]
    others: int = 0
    starts: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    finders: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalog:
    """All tools of a server, and all else that is written to its files: sorted, unique and checked.

    `origins`: the origins that calls and credentials may reach (`mcpgen.base.origins`). Other origins in server and
    scheme URLs must be accepted by the project's owner first. `asks_certificate`: True if the API asks for a client
    certificate. `search`: set if tools are found by a search and not
    listed. `longest_description`: limit on the characters of a tool's description. `inner`: tools that no client sees,
    since only workflows call them. `accounts`: the accounts of the API, if the server has several. `extra`: members of
    the header of `bindings.json` for one wing of the runtime.
    """

    identity: Identity
    servers: tuple[Server, ...]
    schemes: tuple[BoundScheme, ...]
    tools: tuple[ToolSpec, ...]
    skipped: tuple[Skipped, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()
    prompts: tuple[PromptSpec, ...] = ()
    webhooks: tuple[Webhook, ...] = ()
    origins: tuple[str, ...] = ()
    asks_certificate: bool = False
    search: SearchTable | None = None
    longest_description: int = LONGEST_DESCRIPTION
    inner: tuple[ToolSpec, ...] = ()
    accounts: tuple[Account, ...] = ()
    extra: JsonObject = field(default_factory=dict)

    @property
    def all_tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that clients see, and then those that only workflows call (`inner`)."""
        return (*self.tools, *self.inner)

    @property
    def offered(self) -> tuple[ResourceSpec, ...]:
        """Return the resources that clients see, without resources that only fetch values for completion."""
        return tuple(each for each in self.resources if each.resource.completes is None)
