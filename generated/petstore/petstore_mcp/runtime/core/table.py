# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Types of the tables: bindings.json, resources.json and prompts.json.

Other modules import this module only for type checking, so no server loads it. The compiler has the same definition as
a JSON Schema (`mcpgen/emit/table.schema.json`); a test of mcpgen compares the two.
"""

from typing import Any, Literal, NotRequired, TypedDict, final

SchemeKind = Literal["apiKey", "bearer", "basic", "oauth2", "header", "setting", "login"]
"""Kinds of security schemes: how a credential, or an API-wide setting, is put into a request."""

CredentialPlace = Literal["header", "query", "cookie"]

Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""Parameter styles: how an array or an object is written as text."""

FormStyle = Literal["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"]
"""Styles of a form member."""

BodyEncoding = Literal["json", "jsonl", "form", "multipart", "xml", "text", "binary"]
"""Encodings of a body."""

PartKind = Literal["text", "json", "xml", "file"]
"""How a part of a multipart body is encoded."""

LinkText = Literal["name", "title", "description", "mimeType"]
"""Fields of a resource link in a result."""

XmlKind = Literal["attribute", "text", "cdata", "none"]
"""XML forms of a value other than an element."""

OutputForm = Literal["object", "items", "value", "written"]
"""How an answer becomes the value that the tool's output schema describes."""

Feature = Literal["resources", "prompts"]
"""Names of the optional tables."""

ClientCapability = Literal["elicitation", "elicitation.url", "sampling", "roots", "tasks"]
"""What a client must be able to do for a call."""

Confirm = Literal["when-supported", "always"]
"""When the user is asked to confirm a call."""


# The header: first line of bindings.json.


class Identity(TypedDict):
    """Name and version of the server."""

    name: str
    title: str
    version: str
    instructions: NotRequired[str]


class ServerVariable(TypedDict):
    """Variable in the URL of a server. `variable` is the environment variable that sets it."""

    default: str
    variable: str
    enum: NotRequired[list[str]]


class Server(TypedDict):
    """Base URL of a server. The URL is relative or empty if the API description gives no absolute URL."""

    url: str
    variables: NotRequired[dict[str, ServerVariable]]


class LoginField(TypedDict):
    """Member of a login request's body: a constant `value`, or the value of the environment variable for `role`, the
    part of the credential (such as `username`).
    """

    role: NotRequired[str]
    value: NotRequired[str]


class Login(TypedDict):
    """Request that fetches a token. `token` and `expires` are JSON Pointers into the answer."""

    contentType: Literal["application/json", "application/x-www-form-urlencoded"]
    fields: dict[str, LoginField]
    token: str
    expires: NotRequired[str]


class UserFlow(TypedDict):
    """Endpoints and scopes of the OAuth flows in which a user logs in.

    URLs may be relative to the first server. `metadataUrl`: URL of a document of OpenID Connect Discovery 1.0 or RFC
    8414.
    """

    authorizationUrl: NotRequired[str]
    tokenUrl: NotRequired[str]
    deviceAuthorizationUrl: NotRequired[str]
    refreshUrl: NotRequired[str]
    metadataUrl: NotRequired[str]
    scopes: NotRequired[list[str]]


# TypedDict in functional syntax, because the key `in` is a keyword of Python.
_Placed = TypedDict("_Placed", {"in": NotRequired[CredentialPlace]})


class Scheme(_Placed):
    """Security scheme. `variables` maps a role, such as `username`, to its environment variable."""

    type: SchemeKind
    variables: dict[str, str]
    name: NotRequired[str]
    tokenUrl: NotRequired[str]
    openIdConnectUrl: NotRequired[str]
    login: NotRequired[Login]
    user: NotRequired[UserFlow]


class Features(TypedDict):
    """Checksums of resources.json and prompts.json, if the server has them."""

    resources: NotRequired[str]
    prompts: NotRequired[str]


Finder = Literal["search_tools", "describe_tools", "call_tool", "call_writing_tool", "run_program", "run_reads"]
"""Tools that find and call other tools, or run programs that call them."""


@final
class ListedPart(TypedDict):
    """Size and checksum of the tool list at the beginning of search.json."""

    bytes: int
    digest: str


class Search(TypedDict):
    """Tool list of a server whose tools are found by a search (`--tools search`).

    `digest`: checksum of search.json. `groups`: group -> number of its tools, for the largest groups. `others`: number
    of tools in all other groups. `starts`: signatures of tools that a model is likely to call first. `pinned`: names of
    tools that stay listed. `finders`: name -> kind of each tool that finds or calls other tools. `listed`: size and
    checksum of the tool list in search.json. This list is sent unchanged, unless settings, scopes or roles hide a tool.
    """

    digest: str
    finders: dict[str, Finder]
    groups: dict[str, int]
    others: int
    starts: list[str]
    pinned: list[str]
    listed: NotRequired[ListedPart]


class Header(TypedDict):
    """Header of bindings.json: its first line."""

    mcpgen: Literal[1]
    digest: str
    bytes: int
    server: Identity
    environment: str
    servers: list[Server]
    security: dict[str, Scheme]
    origins: list[str]
    roles: NotRequired[dict[str, list[str]]]
    aliases: NotRequired[dict[str, str]]
    features: NotRequired[Features]
    completes: NotRequired[Literal[True]]
    asks: NotRequired[Literal[True]]
    polls: NotRequired[Literal[True]]
    logging: NotRequired[Literal[True]]
    tasks: NotRequired[Literal[True]]
    search: NotRequired[Search]


# Templates: each node says how to make a value or text that a request sends, from the arguments of a call.


@final
class ArgumentNode(TypedDict):
    """Node of a request template: the value of an argument, unchanged."""

    argument: str


@final
class ValueNode(TypedDict):
    """Node of a request template: a constant."""

    value: Any


@final
class TextNode(TypedDict):
    """Node of a request template: a text with the values of arguments inserted."""

    text: list[str | ArgumentNode]


@final
class ItemsNode(TypedDict):
    """Node of a request template: an array whose items are template nodes."""

    items: "list[Template]"


@final
class MembersNode(TypedDict):
    """Node of a request template: an object whose members are template nodes.

    `others`: undeclared arguments become further members.
    """

    members: "dict[str, Template]"
    others: NotRequired[Literal[True]]


Template = ArgumentNode | ValueNode | TextNode | ItemsNode | MembersNode
"""Template for a value that is sent."""


@final
class PointerNode(TypedDict):
    """Template node: the part of the API's response at a JSON Pointer."""

    pointer: str


ShownText = list[str | ArgumentNode | PointerNode]
"""Parts of a text for the model, in order: literal texts, arguments and parts of the API's response."""


# Bindings: rules that make a request from the arguments of a call.


@final
class Parameter(TypedDict):
    """Parameter of a request. It has exactly one of `argument`, `value` and `template`.

    `content`: if set, the value is written in this media type, and the style is not used.
    """

    name: str
    style: Style
    explode: bool
    argument: NotRequired[str]
    value: NotRequired[Any]
    template: NotRequired[Template]
    reserved: NotRequired[Literal[True]]
    content: NotRequired[str]
    required: NotRequired[Literal[True]]
    made: NotRequired[Literal[True]]
    mayBeEmpty: NotRequired[Literal[True]]


class Xml(TypedDict):
    """Rules for writing a value as XML: OpenAPI's `xml`, and those of the value's members and items."""

    name: NotRequired[str]
    prefix: NotRequired[str]
    namespace: NotRequired[str]
    kind: NotRequired[XmlKind]
    wrapped: NotRequired[Literal[True]]
    members: "NotRequired[dict[str, Xml]]"
    items: "NotRequired[Xml]"


@final
class Field(TypedDict):
    """Member of a request body."""

    name: str
    argument: NotRequired[str]
    value: NotRequired[Any]
    style: NotRequired[FormStyle]
    explode: NotRequired[bool]
    reserved: NotRequired[Literal[True]]
    content: NotRequired[str]
    part: NotRequired[PartKind]
    xml: NotRequired[Xml]
    contentType: NotRequired[str]
    filename: NotRequired[str]
    repeat: NotRequired[Literal[True]]
    headers: NotRequired[list[Parameter]]


class Body(TypedDict):
    """Body of a request. Has at least one of `argument`, `value`, `fields` and `template`."""

    contentType: str
    encoding: BodyEncoding
    xml: NotRequired[Xml]
    required: NotRequired[Literal[True]]
    argument: NotRequired[str]
    value: NotRequired[Any]
    template: NotRequired[Template]
    fields: NotRequired[list[Field]]
    rest: NotRequired[str]
    needs: NotRequired[list[str]]
    withheld: NotRequired[list[str]]
    setByApi: NotRequired[list[str]]


class Withheld(TypedDict):
    """Names of query parameters and cookies that no argument of a call may set."""

    query: NotRequired[list[str]]
    cookies: NotRequired[list[str]]


class DescribedOperation(TypedDict):
    """Operation as the API description names it, for people."""

    path: str
    id: NotRequired[str]


class Link(TypedDict):
    """Resource link that is added to a result."""

    uri: ShownText
    name: ShownText
    title: NotRequired[ShownText]
    description: NotRequired[ShownText]
    mimeType: NotRequired[ShownText]


@final
class EmbeddedResource(TypedDict):
    """Embedded resource in a result: a `text`, or a JSON Pointer to base64 data in the answer (`blob`)."""

    uri: ShownText
    mimeType: NotRequired[ShownText]
    text: NotRequired[ShownText]
    blob: NotRequired[str]


class BlockAnnotations(TypedDict):
    """Annotations of a content block."""

    audience: NotRequired[list[Literal["user", "assistant"]]]
    priority: NotRequired[float]
    lastModified: NotRequired[ShownText]


@final
class ShownBlock(TypedDict):
    """Content block of a result. `each`: JSON Pointer to a list in the response; each item becomes a block."""

    each: NotRequired[str]
    answer: NotRequired[Literal[True]]
    text: NotRequired[ShownText]
    image: NotRequired[str]
    audio: NotRequired[str]
    resource: NotRequired[EmbeddedResource]
    link: NotRequired[Link]
    annotations: NotRequired[BlockAnnotations]


# TypedDict in functional syntax, because the key `not` is a keyword of Python.
Condition = TypedDict(
    "Condition",
    {"pointer": NotRequired[str], "values": NotRequired[list[Any]], "not": NotRequired[Literal[True]]},
)
"""Condition: the HTTP status, or the value at `pointer`, is one of `values`. With `not`: it is none of them."""


class View(TypedDict):
    """Rules for a tool's result: which parts of a successful answer are returned, and which answers mean a failure."""

    failed: NotRequired[list[Condition]]
    graphql: NotRequired[Literal[True]]
    remove: NotRequired[list[str]]
    select: NotRequired[str | dict[str, str]]
    text: NotRequired[ShownText]
    links: NotRequired[list[Link]]
    blocks: NotRequired[list[ShownBlock]]


@final
class Pages(TypedDict):
    """Rule for a call that fetches all pages of a list. `items`: JSON Pointer to the list; default: the only list in
    the answer.
    """

    items: NotRequired[str]


class Lookup(TypedDict):
    """Argument that takes a name in place of an id, and the tool that is called first to find the id."""

    argument: str
    id: str
    tool: str
    query: NotRequired[str]
    given: NotRequired[dict[str, str]]
    items: str
    value: str
    names: list[str]
    about: NotRequired[str]
    required: NotRequired[Literal[True]]
    ranked: NotRequired[Literal[True]]


class AskedQuestion(TypedDict):
    """Question with fields that the user answers before a call is sent.

    `form`: name -> schema of each field, in the form of MCP's elicitation. `arguments`: name -> schema of each argument
    that a field fills in; `tools/list` does not show these arguments. `missing`: ask only for fields that the call
    lacks. `when`: ask only if arguments have these values. `without`: clients that cannot ask the user send the fields
    as arguments.
    """

    name: str
    message: list[str | ArgumentNode]
    form: dict[str, dict[str, Any]]
    arguments: NotRequired[dict[str, Any]]
    required: NotRequired[list[str]]
    when: NotRequired[dict[str, Any]]
    without: NotRequired[Literal["arguments"]]
    missing: NotRequired[Literal[True]]


@final
class HeaderNode(TypedDict):
    """A header field of the API's response, by its name in lower case."""

    header: str


@final
class TaskRequest(TypedDict):
    """Further request about the job that a call started."""

    method: str
    path: list[str | Parameter]
    query: NotRequired[list[Parameter]]


TaskTarget = TaskRequest | HeaderNode | PointerNode
"""A request, or the place in a response (header field or JSON Pointer) that holds a URL or the result."""


class TaskRule(TypedDict):
    """Rule for polling the job that a call starts. `values`: variable in a further request about the job -> JSON
    Pointer to the variable's value in the answer to the call or in the job's last answer.
    """

    poll: TaskTarget
    done: NotRequired[list[Condition]]
    failed: NotRequired[list[Condition]]
    result: NotRequired[TaskTarget]
    cancel: NotRequired[TaskRequest]
    values: NotRequired[dict[str, str]]
    message: NotRequired[str]
    interval: NotRequired[float]
    ttl: NotRequired[float]


class Binding(TypedDict):
    """Rules that make a request from a tool call, and a result from the answer. Bindings of resources have no name."""

    name: NotRequired[str]
    operation: DescribedOperation
    method: str
    server: int
    path: list[str | Parameter]
    query: NotRequired[list[Parameter]]
    querystring: NotRequired[list[Parameter]]
    headers: NotRequired[list[Parameter]]
    cookies: NotRequired[list[Parameter]]
    body: NotRequired[Body]
    accept: str
    withheld: NotRequired[Withheld]
    defaults: NotRequired[dict[str, Any]]
    security: NotRequired[list[list[str]]]
    settings: NotRequired[list[str]]
    scopes: NotRequired[dict[str, list[str]]]
    callerScopes: NotRequired[list[list[str]]]
    output: NotRequired[OutputForm]
    fields: NotRequired[str]
    confirm: NotRequired[Confirm]
    ask: NotRequired[list[AskedQuestion]]
    open: NotRequired[Literal[True]]
    also: NotRequired[list[str]]
    nullable: NotRequired[list[str]]
    unchecked: NotRequired[list[str]]
    redirects: NotRequired[list[str]]
    follow: NotRequired[Literal[True]]
    pages: NotRequired[Pages]
    lookups: NotRequired[list[Lookup]]
    saves: NotRequired[str]
    shows: NotRequired[list[str]]
    timeout: NotRequired[float]
    requires: NotRequired[list[ClientCapability]]
    result: NotRequired[View]
    task: NotRequired[TaskRule]


class Table(Header):
    """Whole content of bindings.json."""

    bindings: list[Binding]


# Types of the content of resources.json and prompts.json.


class CompletionSource(TypedDict):
    """Request that fetches values for completion. `values`: JSON Pointer to their list; default: the whole answer."""

    binding: Binding
    values: NotRequired[str]


class Resource(TypedDict):
    """One resource: its list entry, and its content as a text, as base64, or as the request that fetches it.

    `poll`: seconds between two requests that find out whether the content has changed.
    """

    listed: dict[str, str]
    values: NotRequired[dict[str, list[str]]]
    completes: NotRequired[dict[str, CompletionSource]]
    text: NotRequired[str]
    blob: NotRequired[str]
    binding: NotRequired[Binding]
    poll: NotRequired[int]


class PromptArgument(TypedDict):
    """Argument of a prompt."""

    name: str
    required: bool
    title: NotRequired[str]
    description: NotRequired[str]


class ListedPrompt(TypedDict):
    """List entry of a prompt."""

    name: str
    title: NotRequired[str]
    description: NotRequired[str]
    arguments: NotRequired[list[PromptArgument]]


class Message(TypedDict):
    """Message of a prompt: a `text`, the URI of a `resource`, or a URI with the prompt's arguments in it (`chosen`)."""

    role: Literal["user", "assistant"]
    text: NotRequired[list[str | ArgumentNode]]
    resource: NotRequired[str]
    chosen: NotRequired[list[str | ArgumentNode]]


class Prompt(TypedDict):
    """One prompt: its list entry, its messages, and for each argument the values that completion offers.

    `ask`: questions to the user, whose fields the messages use like arguments.
    """

    listed: ListedPrompt
    messages: list[Message]
    ask: NotRequired[list[AskedQuestion]]
    values: NotRequired[dict[str, list[str]]]
    completes: NotRequired[dict[str, CompletionSource]]
