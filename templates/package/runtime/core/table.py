# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The tables of a server as types: what bindings.json, resources.json and prompts.json hold.

Other modules import this one for types alone, so no server ever loads it. The compiler has the same as a JSON Schema
(`mcpgen/emit/table.schema.json`), and a test of mcpgen compares the two.
"""

from typing import Any, Literal, NotRequired, TypedDict, final

SchemeKind = Literal["apiKey", "bearer", "basic", "oauth2", "header", "setting", "login"]
"""How a credential, or a setting of the whole API, gets into a request."""

CredentialPlace = Literal["header", "query", "cookie"]

Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""How an array or an object is written as text."""

FormStyle = Literal["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"]
"""The styles of a member of a form."""

BodyEncoding = Literal["json", "jsonl", "form", "multipart", "xml", "text", "binary"]
"""How a body is written."""

PartKind = Literal["text", "json", "xml", "file"]
"""How a part of a multipart body is written."""

LinkText = Literal["name", "title", "description", "mimeType"]
"""What may be said of a link."""

XmlKind = Literal["attribute", "text", "cdata", "none"]
"""What a value is in XML, where it is no element."""

OutputForm = Literal["object", "items", "value", "written"]
"""How an answer becomes what the output schema of its tool promises."""

Feature = Literal["resources", "prompts"]
"""The tables that may stand beside the two."""

Confirm = Literal["when-supported", "always"]
"""When the user is asked before a call is sent."""


# The first line of bindings.json.


class Identity(TypedDict):
    """What the server is called."""

    name: str
    title: str
    version: str
    instructions: NotRequired[str]


class ServerVariable(TypedDict):
    """A variable in the URL of a server; `variable` is the one of the environment that sets it."""

    default: str
    variable: str
    enum: NotRequired[list[str]]


class Server(TypedDict):
    """A base URL. It may be relative or empty where none is known."""

    url: str
    variables: NotRequired[dict[str, ServerVariable]]


class LoginField(TypedDict):
    """A member of the body of a login: the `role` of a variable, or a constant `value`."""

    role: NotRequired[str]
    value: NotRequired[str]


class Login(TypedDict):
    """The body of a request that fetches a token. `token` and `expires` are JSON Pointers into its answer."""

    contentType: Literal["application/json", "application/x-www-form-urlencoded"]
    fields: dict[str, LoginField]
    token: str
    expires: NotRequired[str]


# In this form, since `in` is a word of Python.
_Placed = TypedDict("_Placed", {"in": NotRequired[CredentialPlace]})


class Scheme(_Placed):
    """A security scheme. `variables` are those of the environment that hold its credentials, by their roles."""

    type: SchemeKind
    variables: dict[str, str]
    name: NotRequired[str]
    tokenUrl: NotRequired[str]
    openIdConnectUrl: NotRequired[str]
    login: NotRequired[Login]


class Features(TypedDict):
    """The tables that stand beside this one, with the checksums of their bytes."""

    resources: NotRequired[str]
    prompts: NotRequired[str]


class Header(TypedDict):
    """The first line of bindings.json."""

    mcpgen: Literal[1]
    digest: str
    bytes: int
    server: Identity
    environment: str
    servers: list[Server]
    security: dict[str, Scheme]
    origins: list[str]
    roles: NotRequired[dict[str, list[str]]]
    features: NotRequired[Features]
    completes: NotRequired[Literal[True]]


# What values and texts are made of.


@final
class ArgumentNode(TypedDict):
    """The value of an argument, as it is."""

    argument: str


@final
class ValueNode(TypedDict):
    """A constant."""

    value: Any


@final
class TextNode(TypedDict):
    """A text, into which the values of arguments are written."""

    text: list[str | ArgumentNode]


@final
class ItemsNode(TypedDict):
    """A list."""

    items: "list[Template]"


@final
class MembersNode(TypedDict):
    """An object. With `others` it has the arguments too that the schema does not name."""

    members: "dict[str, Template]"
    others: NotRequired[Literal[True]]


Template = ArgumentNode | ValueNode | TextNode | ItemsNode | MembersNode
"""What a value is made of."""


@final
class PointerNode(TypedDict):
    """A part of the answer."""

    pointer: str


ShownText = list[str | ArgumentNode | PointerNode]
"""A text for a model: literal texts, arguments, and parts of the answer, in order."""


# How a call becomes a request.


@final
class Parameter(TypedDict):
    """One parameter of a request. It has one of `argument`, `value` and `template`; `content` replaces the style."""

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
    """How a value is written as XML."""

    name: NotRequired[str]
    prefix: NotRequired[str]
    namespace: NotRequired[str]
    kind: NotRequired[XmlKind]
    wrapped: NotRequired[Literal[True]]
    members: "NotRequired[dict[str, Xml]]"
    items: "NotRequired[Xml]"


@final
class Field(TypedDict):
    """One member of a body."""

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
    """The body of a request. It has at least one of `argument`, `value`, `fields` and `template`."""

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


class Withheld(TypedDict):
    """The names that no call may write, by their places."""

    query: NotRequired[list[str]]
    cookies: NotRequired[list[str]]


class DescribedOperation(TypedDict):
    """What the API's description calls an operation, for people."""

    path: str
    id: NotRequired[str]


class Link(TypedDict):
    """A link beside a result."""

    uri: ShownText
    name: ShownText
    title: NotRequired[ShownText]
    description: NotRequired[ShownText]
    mimeType: NotRequired[ShownText]


class View(TypedDict):
    """What a model is shown of a good answer."""

    remove: NotRequired[list[str]]
    select: NotRequired[str | dict[str, str]]
    text: NotRequired[ShownText]
    links: NotRequired[list[Link]]


class Binding(TypedDict):
    """How a call of one tool becomes a request, and its answer a result. Only the binding of a resource has no name."""

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
    output: NotRequired[OutputForm]
    fields: NotRequired[str]
    confirm: NotRequired[Confirm]
    open: NotRequired[Literal[True]]
    also: NotRequired[list[str]]
    unchecked: NotRequired[list[str]]
    redirects: NotRequired[list[str]]
    follow: NotRequired[Literal[True]]
    saves: NotRequired[str]
    timeout: NotRequired[float]
    result: NotRequired[View]


class Table(Header):
    """All of bindings.json."""

    bindings: list[Binding]


# resources.json and prompts.json.


class Resource(TypedDict):
    """A resource: what its list says of it, and a text, bytes in base64, or the request that fetches it."""

    listed: dict[str, str]
    values: NotRequired[dict[str, list[str]]]
    text: NotRequired[str]
    blob: NotRequired[str]
    binding: NotRequired[Binding]


class PromptArgument(TypedDict):
    """An argument of a prompt."""

    name: str
    required: bool
    title: NotRequired[str]
    description: NotRequired[str]


class ListedPrompt(TypedDict):
    """What the list of prompts says of one."""

    name: str
    title: NotRequired[str]
    description: NotRequired[str]
    arguments: NotRequired[list[PromptArgument]]


class Message(TypedDict):
    """One message of a prompt: a `text`, or the URI of a `resource`."""

    role: Literal["user", "assistant"]
    text: NotRequired[list[str | ArgumentNode]]
    resource: NotRequired[str]


class Prompt(TypedDict):
    """A prompt."""

    listed: ListedPrompt
    messages: list[Message]
    values: NotRequired[dict[str, list[str]]]
