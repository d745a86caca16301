# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Types of the tables: bindings.json, resources.json and prompts.json. This is the contract of compiler and runtime.

Other modules import this module only for type checking, so no server loads it. The compiler derives the JSON Schema of
the tables from it (`mcpgen/emit/table_schema.py`). There, docstrings and texts in `Annotated` are the descriptions.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict, final

from .keywords import Argument, Has, Name, NonEmpty, NonEmptyMap, Place, Seconds, Text, has_one_of
from .tool_view import Pictures, ToolView
from .words import (
    BodyEncoding,
    ClientCapability,
    Confirm,
    CredentialPlace,
    Finder,
    FormStyle,
    OutputForm,
    PartKind,
    Signing,
    Style,
    XmlKind,
)
from .workflow import Workflow

Pointer = Annotated[str, Has(pattern="^/")]
"""JSON Pointer (RFC 6901) into the answer of the API. In the rules for results, `*` stands for every item or member."""

Digest = Annotated[str, Has(pattern="^[0-9a-f]{8}$")]
"""CRC-32 of bytes, in hexadecimal."""

Variable = Annotated[str, Has(pattern="^[A-Z][A-Z0-9_]*$")]
"""Name of an environment variable."""

XmlName = Annotated[str, Has(pattern="^[^\\s\"'<>&/=0-9.-][^\\s\"'<>&/=]*$")]

# The header: first line of bindings.json.


class Identity(TypedDict):
    """Name and version of the server."""

    name: Annotated[str, Has(pattern="^[a-z][a-z0-9-]{0,39}$")]
    title: str
    version: str
    instructions: NotRequired[str]


class ServerVariable(TypedDict):
    """Variable in the URL of a server."""

    default: str
    variable: Annotated[str, "Environment variable that sets the variable."]
    enum: NotRequired[list[str]]
    pattern: NotRequired[Annotated[Text, "Pattern of the values that calls give."]]


class Server(TypedDict):
    """Base URL of a server."""

    url: Annotated[str, "Relative or empty if the API description gives no absolute URL."]
    variables: NotRequired[dict[str, ServerVariable]]


@Has(minProperties=1, maxProperties=1)
class LoginField(TypedDict):
    """Member of a login request's body: a constant `value`, or the value of the environment variable for `role`, the
    part of the credential (such as `username`).
    """

    role: NotRequired[str]
    value: NotRequired[str]


LoginPlace = Annotated[str, Has(pattern="^(/.*|body:text|(header|cookie):[!#$%&'*+.^_`|~0-9A-Za-z-]+)$")]
"""Place in the answer of a login: a JSON Pointer, `header:NAME`, `cookie:NAME`, or `body:text`, which is the
whole answer, a text or a JSON string."""


class Csrf(TypedDict):
    """Value of a login's answer that later requests send in a header field, beside the credential."""

    place: LoginPlace
    header: Text


class Login(TypedDict):
    """Request that fetches a token."""

    contentType: Annotated[Text, "Media type of the body: JSON, unless it is that of a form."]
    headers: NotRequired[dict[str, Text]]
    fields: Annotated[dict[str, LoginField], "Name of each member, or JSON Pointer into a JSON body -> its text."]
    token: LoginPlace
    csrf: NotRequired[Csrf]
    expires: NotRequired[Annotated[Pointer, "Place of the seconds that the token lives."]]


@Has(minProperties=1)
class UserFlow(TypedDict):
    """Endpoints and scopes of the OAuth flows in which a user logs in. URLs may be relative to the first server."""

    authorizationUrl: NotRequired[Text]
    tokenUrl: NotRequired[Text]
    deviceAuthorizationUrl: NotRequired[Text]
    refreshUrl: NotRequired[Text]
    metadataUrl: NotRequired[Annotated[Text, "URL of a document of OpenID Connect Discovery 1.0 or RFC 8414."]]
    scopes: NotRequired[list[str]]


class CredentialWays(TypedDict):
    """Ways to get a credential, in the order of preference.

    A token is fetched as `login` says, or else by the client credentials grant. A user logs in without any variable.
    """

    given: NonEmpty[str]
    fetched: NotRequired[list[str]]
    user: NotRequired[list[str]]


# TypedDict in functional syntax, because the key `in` is a keyword of Python.
_Placed = TypedDict("_Placed", {"in": CredentialPlace})


class Scheme(_Placed):
    """Security scheme. The credential is the values of the roles in `ways.given`, with colons between them. URLs may be
    relative to the first server.
    """

    name: NotRequired[Annotated[Text, "Absent if the operator writes the header field, as `Name: value`."]]
    word: NotRequired[Annotated[Text, "Word and blank before the credential."]]
    base64: NotRequired[Annotated[Literal[True], "The credential is sent in base64."]]
    signing: NotRequired[Annotated[Signing, "The credential is not sent: it signs each request."]]
    tokens: NotRequired[Annotated[Literal[True], "The credential is an OAuth access token."]]
    ways: Annotated[CredentialWays, "Ways to get the credential -> roles of the variables that each needs."]
    secret: Annotated[
        list[str], "Roles whose values are secret. Without any, the value is a setting, which results may show."
    ]
    variables: Annotated[NonEmptyMap[Variable], "Role, such as `username` -> its environment variable."]
    purposes: Annotated[NonEmptyMap[str], "Role -> what its environment variable holds, for people."]
    tokenUrl: NotRequired[Text]
    openIdConnectUrl: NotRequired[Annotated[Text, "Discovery document of the provider, which names the token URL."]]
    login: NotRequired[Login]
    user: NotRequired[UserFlow]


@Has(minProperties=1)
class Features(TypedDict):
    """Checksums of resources.json and prompts.json, if the server has them."""

    resources: NotRequired[Digest]
    prompts: NotRequired[Digest]


@final
class ListedPart(TypedDict):
    """Size and checksum of the tool list: a JSON array behind `{"listed":` at the beginning of search.json."""

    bytes: Annotated[int, Has(minimum=2)]
    digest: Digest


class Search(TypedDict):
    """Tool list of a server whose tools are found by a search (`--tools search`)."""

    digest: Annotated[Digest, "Checksum of search.json."]
    finders: Annotated[dict[str, Finder], "Name -> kind of each tool that finds or calls other tools."]
    groups: Annotated[
        dict[str, Annotated[int, Has(minimum=1)]], "Group -> number of its tools, for the largest groups."
    ]
    others: Annotated[int, "Number of tools in all other groups.", Has(minimum=0)]
    starts: Annotated[list[str], "Signatures of tools that a model is likely to call first."]
    pinned: Annotated[list[str], "Names of tools that stay listed.", Has(maxItems=8)]
    listed: NotRequired[
        Annotated[
            ListedPart,
            "The tool list in search.json. It is sent unchanged, unless settings, scopes or roles hide a tool.",
        ]
    ]


class Account(TypedDict):
    """Account of the API. Its environment variables begin with `environment` in place of the server's prefix."""

    environment: Variable
    headers: NotRequired[Annotated[NonEmptyMap[Text], "Header fields of its requests."]]


class Header(TypedDict):
    """Header of bindings.json: its first line."""

    mcpgen: Annotated[Literal[2], "Version of this format."]
    digest: Annotated[Digest, "Checksum of tools.json."]
    bytes: Annotated[int, "Number of bytes that follow the first line of bindings.json.", Has(minimum=0)]
    server: Identity
    environment: Annotated[Variable, "Prefix of all environment variables of the server."]
    servers: Annotated[
        NonEmpty[Server],
        "Base URLs; a binding names a URL by its index. The first is the API's own, which the operator can replace.",
    ]
    security: Annotated[dict[str, Scheme], "Security schemes by name."]
    origins: Annotated[
        list[Annotated[str, Has(pattern="^[^:/?#]+://[^/?#]+$")]],
        "Origins that calls and credentials may reach, in lower case and without the scheme's default port. The server"
        " sends nothing to any other origin of `servers` and `security`, unless the operator names its host. For a"
        " server with variables in its host, two origins must be listed: as written, and with the default values.",
        Has(uniqueItems=True),
    ]
    accounts: NotRequired[Annotated[NonEmptyMap[Account], "Accounts of the API, by name."]]
    roles: NotRequired[
        Annotated[
            NonEmptyMap[NonEmpty[Annotated[str, Has(pattern="^[A-Za-z0-9_.:-]{1,64}$")]]],
            "Tool -> roles. The tool is offered only if the operator has one of its roles.",
        ]
    ]
    aliases: NotRequired[
        Annotated[
            NonEmptyMap[str],
            "Another name by which a tool can be called -> the tool. Aliases are not listed.",
            Has(propertyNames={"pattern": "^[!#-\\[\\]-~]{1,128}$"}),
        ]
    ]
    features: NotRequired[Features]
    completes: NotRequired[Annotated[Literal[True], "Some prompt or resource has values to complete."]]
    asks: NotRequired[Annotated[Literal[True], "Clients that cannot ask their user get other arguments of some tool."]]
    polls: NotRequired[Annotated[Literal[True], "Some resource has `poll`."]]
    logging: NotRequired[Annotated[Literal[True], "Clients can ask for log messages of their calls."]]
    tasks: NotRequired[Annotated[Literal[True], "Calls of some tool start a job that the server polls."]]
    skills: NotRequired[Annotated[Literal[True], "Some resource has `skill`."]]
    workflows: NotRequired[Annotated[Literal[True], "Some tool is a workflow, which calls other tools."]]
    search: NotRequired[Search]
    views: NotRequired[Annotated[Literal[True], "Some tool has a view."]]
    pictures: NotRequired[Pictures]


# Templates: each node says how to make a value or text that a request sends, from the arguments of a call.


@final
class ArgumentNode(TypedDict):
    """Node of a request template: the value of an argument, unchanged."""

    argument: Argument


@final
class ValueNode(TypedDict):
    """Node of a request template: a constant."""

    value: Any


@final
class TextNode(TypedDict):
    """Node of a request template: a text with the values of arguments inserted.

    An argument that a call leaves out adds nothing to a text that has another argument.
    """

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
"""Template for a value that is sent. Without anything left in it, a text, array or object is left out, except for the
body itself.
"""


@final
class PointerNode(TypedDict):
    """Template node: the part of the API's response at a JSON Pointer."""

    pointer: Pointer


ShownText = list[str | ArgumentNode | PointerNode]
"""Parts of a text for the model, in order: literal texts, arguments and parts of the API's response."""

FilledText = list[str | ArgumentNode]
"""Literal text and arguments, in order. In the URI of a chosen resource, values are percent-encoded."""


# Bindings: rules that make a request from the arguments of a call.


@has_one_of("argument", "value", "template")
@final
class Parameter(TypedDict):
    """Parameter of a request: an argument, a constant value, or a template."""

    name: Text
    style: Style
    explode: bool
    argument: NotRequired[Argument]
    value: NotRequired[Any]
    template: NotRequired[Template]
    reserved: NotRequired[Literal[True]]
    content: NotRequired[Annotated[str, "The value is written in this media type, and the style is not used."]]
    required: NotRequired[Literal[True]]
    made: NotRequired[Annotated[Literal[True], "If a call leaves out the argument, the server makes a UUID for it."]]
    mayBeEmpty: NotRequired[Annotated[Literal[True], "In the path: an empty text is sent as it is."]]


class Xml(TypedDict):
    """Rules for writing a value as XML: OpenAPI's `xml`, and those of the value's members and items."""

    name: NotRequired[XmlName]
    prefix: NotRequired[XmlName]
    namespace: NotRequired[Text]
    kind: NotRequired[XmlKind]
    wrapped: NotRequired[Literal[True]]
    members: "NotRequired[NonEmptyMap[Xml]]"
    items: "NotRequired[Xml]"


NamedXml = Annotated[Xml, Has(required=["name"])]
Withheld = Annotated[NonEmpty[str], "Names that no argument of a call may set."]


@final
class Field(TypedDict):
    """Member of a request body."""

    name: str
    argument: NotRequired[Argument]
    value: NotRequired[Any]
    style: NotRequired[FormStyle]
    explode: NotRequired[bool]
    reserved: NotRequired[Literal[True]]
    content: NotRequired[str]
    part: NotRequired[PartKind]
    xml: NotRequired[NamedXml]
    contentType: NotRequired[str]
    filename: NotRequired[Argument]
    repeat: NotRequired[Literal[True]]
    headers: NotRequired[NonEmpty[Parameter]]


@Has(anyOf=[{"required": [each]} for each in ("argument", "value", "fields", "template")])
class Body(TypedDict):
    """Body of a request: one argument or value, fields, or a template.

    With an argument and `fields`, the fields describe members of the argument's value. Of a template for a form, the
    members are sent. In a template for XML, the values in its text are escaped.
    """

    contentType: str
    encoding: BodyEncoding
    xml: NotRequired[NamedXml]
    required: NotRequired[Literal[True]]
    argument: NotRequired[Argument]
    value: NotRequired[Any]
    template: NotRequired[Template]
    fields: NotRequired[list[Field]]
    rest: NotRequired[Argument]
    needs: NotRequired[Annotated[list[str], "Members that a call must give if it gives any."]]
    withheld: NotRequired[Withheld]
    setByApi: NotRequired[
        Annotated[NonEmpty[str], "Members that only responses have. A call that gives one is told so in a message."]
    ]


@Has(minProperties=1)
class WithheldNames(TypedDict):
    """Names of query parameters and cookies that no argument of a call may set."""

    query: NotRequired[Withheld]
    cookies: NotRequired[Withheld]


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


@has_one_of("text", "blob")
@final
class EmbeddedResource(TypedDict):
    """Embedded resource in a result: a `text`, or a JSON Pointer to base64 data in the answer (`blob`)."""

    uri: ShownText
    mimeType: NotRequired[ShownText]
    text: NotRequired[ShownText]
    blob: NotRequired[Pointer]


@Has(minProperties=1)
class BlockAnnotations(TypedDict):
    """Annotations of a content block, as in MCP."""

    audience: NotRequired[NonEmpty[Literal["user", "assistant"]]]
    priority: NotRequired[Annotated[float, Has(minimum=0, maximum=1)]]
    lastModified: NotRequired[ShownText]


@has_one_of("answer", "text", "image", "audio", "resource", "link")
@final
class ShownBlock(TypedDict):
    """Content block of a result. A block that cannot be made is left out."""

    each: NotRequired[
        Annotated[Pointer, "A list in the response. Each item becomes a block, and other pointers lead into the item."]
    ]
    answer: NotRequired[Annotated[Literal[True], "The content that the result has without blocks."]]
    text: NotRequired[ShownText]
    image: NotRequired[Pointer]
    audio: NotRequired[Pointer]
    resource: NotRequired[EmbeddedResource]
    link: NotRequired[Link]
    annotations: NotRequired[BlockAnnotations]


# TypedDict in functional syntax, because the key `not` is a keyword of Python.
_Negated = TypedDict("_Negated", {"not": NotRequired[Literal[True]]})


class Condition(_Negated):
    """Condition: the HTTP status, or the value at `pointer`, is one of `values`. With `not`, it is none of them.

    Without `values`, there is a value at `pointer`.
    """

    pointer: NotRequired[Pointer]
    values: NotRequired[NonEmpty[Any]]


@Has(minProperties=1)
class View(TypedDict):
    """Rules for a tool's result: which parts of a successful answer are returned, and which answers mean a failure."""

    failed: NotRequired[
        Annotated[NonEmpty[Condition], "Any of these conditions on a successful answer means that the call has failed."]
    ]
    graphql: NotRequired[
        Annotated[Literal[True], "The answer is one of GraphQL: `errors` without `data` mean that the call has failed."]
    ]
    remove: NotRequired[Annotated[NonEmpty[Pointer], "Parts to remove, before all other rules, and from every answer."]]
    select: NotRequired[Pointer | NonEmptyMap[Pointer]]
    headers: NotRequired[Annotated[NonEmpty[Text], "Header fields of a good answer that are told beside it."]]
    text: NotRequired[ShownText]
    links: NotRequired[NonEmpty[Link]]
    blocks: NotRequired[Annotated[NonEmpty[ShownBlock], "Content blocks of the result, in order."]]


@final
class Pages(TypedDict):
    """Rule for a call that fetches all pages of a list."""

    items: NotRequired[Annotated[Place, "JSON Pointer to the list; without it, the only list in the answer."]]


class Lookup(TypedDict):
    """Argument that takes a name in place of an id, and the tool that is called first to find the id."""

    argument: Argument
    id: Argument
    tool: Text
    query: NotRequired[Annotated[Argument, "Argument of `tool` that gets the name."]]
    given: NotRequired[Annotated[NonEmptyMap[Argument], "Argument of `tool` -> argument of the call that it gets."]]
    items: Place
    value: Annotated[Text, "Member of an item that is the id."]
    names: Annotated[NonEmpty[Text], "Members of an item that are its names."]
    about: NotRequired[Annotated[Text, "Member that tells items of one name apart."]]
    required: NotRequired[Annotated[Literal[True], "The call needs the id or the name."]]
    ranked: NotRequired[Annotated[Literal[True], "The best item comes first."]]


class AskedQuestion(TypedDict):
    """Question with fields that the user answers before a call is sent."""

    name: Argument
    message: Annotated[FilledText, Has(minItems=1)]
    form: Annotated[
        NonEmptyMap[Annotated[dict[str, Any], Has(required=["type"])]],
        "Name -> schema of each field, in the form of MCP's elicitation.",
    ]
    arguments: NotRequired[
        Annotated[
            NonEmptyMap[Any],
            "Name -> schema of each argument that a field fills in. `tools/list` does not show these arguments.",
        ]
    ]
    required: NotRequired[NonEmpty[Argument]]
    when: NotRequired[Annotated[NonEmptyMap[Any], "Ask only if arguments have these values."]]
    without: NotRequired[
        Annotated[Literal["arguments"], "Clients that cannot ask the user send the fields as arguments."]
    ]
    missing: NotRequired[Annotated[Literal[True], "Ask only for fields that the call lacks."]]


@final
class HeaderNode(TypedDict):
    """A header field of the API's response, by its name in lower case."""

    header: Text


Path = Annotated[NonEmpty[str | Parameter], "Literal text, which is already percent-encoded, and parameters, in order."]


@final
class TaskRequest(TypedDict):
    """Further request about the job that a call started."""

    method: Annotated[str, Has(pattern="^[A-Z]+$")]
    path: Path
    query: NotRequired[NonEmpty[Parameter]]


TaskTarget = TaskRequest | HeaderNode | PointerNode
"""A request, or the place in a response (header field or JSON Pointer) that holds a URL or the result."""


class TaskRule(TypedDict):
    """Rule for polling the job that a call starts."""

    poll: TaskTarget
    done: NotRequired[NonEmpty[Condition]]
    failed: NotRequired[NonEmpty[Condition]]
    result: NotRequired[TaskTarget]
    cancel: NotRequired[TaskRequest]
    values: NotRequired[
        Annotated[
            NonEmptyMap[Pointer],
            "Variable in a further request about the job -> JSON Pointer to its value in the answer to the call or in"
            " the job's last answer. Other variables are arguments.",
        ]
    ]
    message: NotRequired[Pointer]
    interval: NotRequired[Annotated[Seconds, "Seconds between two polls."]]
    ttl: NotRequired[Annotated[Seconds, "Seconds that the job is polled."]]


@Has(oneOf=[{"required": ["workflow"]}, {"required": ["method", "server", "path", "accept"]}])
class Binding(TypedDict):
    """Rules that make a request from a tool call, and a result from the answer. Bindings of resources have no name.

    The entry of a workflow has no request.
    """

    name: NotRequired[Name]
    operation: DescribedOperation
    workflow: NotRequired[Workflow]
    tool: NotRequired[Annotated[dict[str, Any], "The tool as MCP describes it, if only workflows call it."]]
    method: NotRequired[Annotated[str, Has(pattern="^[A-Z][A-Z-]{0,30}$", **{"not": {"enum": ["TRACE", "CONNECT"]}})]]
    server: NotRequired[Annotated[int, "Index of the server in `servers`.", Has(minimum=0)]]
    path: NotRequired[Path]
    query: NotRequired[list[Parameter]]
    querystring: NotRequired[
        Annotated[
            list[Annotated[Parameter, Has(required=["content"])]],
            "A parameter that is the whole query, written by its media type.",
            Has(maxItems=1),
        ]
    ]
    headers: NotRequired[list[Parameter]]
    cookies: NotRequired[list[Parameter]]
    body: NotRequired[Body]
    accept: NotRequired[str]
    withheld: NotRequired[WithheldNames]
    account: NotRequired[
        Annotated[Argument, "Argument that chooses the account of a call. No request has this argument."]
    ]
    variables: NotRequired[
        Annotated[NonEmptyMap[Argument], "Variable in the URL of the server -> the argument that gives its value."]
    ]
    defaults: NotRequired[Annotated[NonEmptyMap[Any], "Argument -> the value that is sent if a call leaves it out."]]
    security: NotRequired[
        Annotated[
            list[list[str]],
            "Alternatives of schemes that are needed together. An empty alternative means that none is needed.",
        ]
    ]
    settings: NotRequired[
        Annotated[NonEmpty[str], "Schemes of the type `setting` that are sent if their variable is set."]
    ]
    scopes: NotRequired[Annotated[dict[str, NonEmpty[str]], "Scheme -> scopes that its access tokens must have."]]
    callerScopes: NotRequired[
        Annotated[
            list[Annotated[NonEmpty[str], Has(uniqueItems=True)]],
            "Alternatives of OAuth scopes: over HTTP, the access token of a caller must have all scopes of one"
            " alternative. An empty list means that none is needed; it is written beside `scopes`.",
        ]
    ]
    output: NotRequired[Annotated[OutputForm, "How an answer becomes the value that the output schema describes."]]
    fields: NotRequired[
        Annotated[
            Argument, "Argument that asks for parts of the result, as dotted paths. No request has this argument."
        ]
    ]
    confirm: NotRequired[
        Annotated[
            Confirm, "Ask the user before a call is sent. If the client cannot ask, the call is sent, or it is refused."
        ]
    ]
    ask: NotRequired[NonEmpty[AskedQuestion]]
    open: NotRequired[
        Annotated[Literal[True], "Undeclared arguments are allowed, and are sent where a template has `others`."]
    ]
    also: NotRequired[
        Annotated[NonEmpty[Argument], "Arguments that the schema names elsewhere than in its properties."]
    ]
    nullable: NotRequired[
        Annotated[
            NonEmpty[Pointer],
            "Members of a JSON body whose null is sent, although the schema does not allow null: pointers into the"
            " arguments, with `*` for each item.",
        ]
    ]
    unchecked: NotRequired[
        Annotated[
            list[str],
            "Patterns of the schemas that a server does not check: they have no linear form, or take too much memory.",
        ]
    ]
    redirects: NotRequired[
        Annotated[
            list[Annotated[str, Has(pattern="^3([0-9]{2}|XX)$")]],
            "Statuses of answers that are no errors, because the tool asks for their Location.",
        ]
    ]
    follow: NotRequired[Annotated[Literal[True], "Redirects are followed."]]
    pages: NotRequired[Pages]
    lookups: NotRequired[NonEmpty[Lookup]]
    saves: NotRequired[
        Annotated[
            Text,
            "Argument with the name of a file, which a server adds if it may write answers to files. The tool's schema"
            " does not have this argument.",
        ]
    ]
    shows: NotRequired[
        Annotated[
            NonEmpty[str],
            "Header fields of the answer to a HEAD request that the result shows, besides those about the content.",
        ]
    ]
    timeout: NotRequired[Annotated[Seconds, "Seconds that a call may take, instead of the server's."]]
    requires: NotRequired[Annotated[NonEmpty[ClientCapability], "Capabilities that a client must have for a call."]]
    result: NotRequired[View]
    task: NotRequired[TaskRule]
    view: NotRequired[ToolView]


class Table(Header):
    """Whole content of bindings.json. tools.json has the MCP tools that `tools/list` returns, in the same order."""

    bindings: list[Annotated[Binding, Has(required=["name"])]]


# Types of the content of resources.json and prompts.json.


class CompletionSource(TypedDict):
    """Request that fetches values for completion.

    Its argument `value` is the text that the user has typed. Its other arguments are those of the prompt or the URI.
    """

    binding: Binding
    values: NotRequired[Annotated[Pointer, "Place of the list of values; without it, the whole answer."]]


Values = Annotated[
    NonEmptyMap[NonEmpty[str]], "Argument or variable -> the values that it can have. Others can have any value."
]
Completes = Annotated[
    NonEmptyMap[CompletionSource], "Argument or variable -> the request that fetches values for its completion."
]


@has_one_of("text", "blob", "binding")
class Resource(TypedDict):
    """One resource: its list entry, and its content as a text, as base64, or as the request that fetches it."""

    listed: Annotated[
        dict[str, str],
        "Resource or ResourceTemplate of MCP.",
        Has(required=["name"], oneOf=[{"required": ["uri"]}, {"required": ["uriTemplate"]}]),
    ]
    values: NotRequired[Values]
    completes: NotRequired[Completes]
    text: NotRequired[str]
    blob: NotRequired[str]
    binding: NotRequired[Annotated[Binding, "Its arguments are the variables of the URI."]]
    poll: NotRequired[
        Annotated[int, "Seconds between two requests that find out whether the content has changed.", Has(minimum=1)]
    ]
    skill: NotRequired[Annotated[dict[str, Any], "Front matter of a SKILL.md. Its skill has all files of its folder."]]
    tools: NotRequired[Annotated[NonEmpty[Name], "Tools. A caller who may use none of them does not get the resource."]]


class PromptArgument(TypedDict):
    """Argument of a prompt."""

    name: Argument
    required: bool
    title: NotRequired[str]
    description: NotRequired[str]


class ListedPrompt(TypedDict):
    """List entry of a prompt, as in MCP."""

    name: Name
    title: NotRequired[str]
    description: NotRequired[str]
    arguments: NotRequired[NonEmpty[PromptArgument]]


@has_one_of("text", "resource", "chosen")
class Message(TypedDict):
    """Message of a prompt: a `text`, the URI of a `resource`, or a URI with the prompt's arguments in it (`chosen`)."""

    role: Literal["user", "assistant"]
    text: NotRequired[FilledText]
    resource: NotRequired[str]
    chosen: NotRequired[FilledText]


class Prompt(TypedDict):
    """One prompt: its list entry, its messages, and the values that completion offers."""

    listed: ListedPrompt
    messages: list[Message]
    ask: NotRequired[
        Annotated[NonEmpty[AskedQuestion], "Questions to the user, whose fields the messages use like arguments."]
    ]
    values: NotRequired[Values]
    completes: NotRequired[Completes]


Resources = Annotated[NonEmpty[Resource], "Content of resources.json."]
Prompts = Annotated[NonEmpty[Prompt], "Content of prompts.json."]
