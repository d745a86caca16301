"""Data types for the parts of an API in OpenAPI's words, as read from a document or a tools file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.credential_text import API_KEY, CredentialText
from mcpgen.model.curation import UNDECIDED, Decisions
from mcpgen.model.words import CredentialPlace, Location, Style, Unsent

AcceptedKind = Literal["job", "again", "resource", "forget"]
"""Ways to follow work that goes on after a response: 202, or another 2xx response of a long-running operation.

`job`: a place tells when the work has ended. `again`: the same request brings the result later. `resource`: the
thing that the request creates, changes or deletes can be read, but nothing tells when the work has ended. `forget`:
nothing can be looked at.
"""


@dataclass(frozen=True, slots=True)
class AnswerLink:
    """A Link Object of a response (OpenAPI 3.1, 4.8.20): an operation that follows, by id or reference.

    `parameters`: name of a parameter → runtime expression.
    """

    operation_id: str = ""
    operation_ref: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Accepted:
    """Where a client can see the result or state of work that goes on after a response, 202 or another 2xx.

    `look`: the request that reads the result or state, or where the response holds the URL for it, in the form of
    `poll` in a tools file; "" if nothing can be read.

    `task`: a value for the tool's key `task` in a tools file; {} if the document does not contain the needed facts.
    """

    kind: AcceptedKind
    look: str = ""
    task: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation (OpenAPI 3.1, 4.8.12), with default style and explode filled in.

    `content`: media type that replaces the style. `allows_empty`: True if the name may be sent without a value.
    `argument`: name of the argument, if a person chose one. `is_credential`: True if the document fixes a value that
    may be a secret, which was left out.
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
    argument: str = ""
    is_credential: bool = False


@dataclass(frozen=True, slots=True)
class Encoding:
    """How one property of a form is sent: an Encoding Object (OpenAPI 3.1, 4.8.15).

    A field is None if the document does not set it. `headers`: header fields of the property's part in a multipart
    body.
    """

    content_type: str | None = None
    style: Style | None = None
    explode: bool | None = None
    reserved: bool = False
    headers: tuple[Parameter, ...] = ()


ITEMS = "*"
"""Key in `MediaType.encoding` for the items of a list that have no encoding of their own."""


@dataclass(frozen=True, slots=True)
class MediaType:
    """One entry of `content`. `schema` is None if the document gives none.

    `encoding`: name of a part → how the part is sent. The parts of a list have positions: their names are `0`, `1` and
    so on, and ITEMS for all further ones (OpenAPI 3.2, 4.14.5). `untyped_parts_are_files`: True if parts of a form
    without a type are bytes (OpenAPI 3.1, 4.8.15.1).
    """

    name: str
    schema: JsonObject | None = None
    encoding: Mapping[str, Encoding] = field(default_factory=dict)
    untyped_parts_are_files: bool = False

    def headers_of(self, part: str) -> tuple[Parameter, ...]:
        """Return the header fields of a part."""
        return self.encoding.get(part, Encoding()).headers


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The request body (OpenAPI 3.1, 4.8.13).

    `required` is None if the document does not say. `names`: name of a body member → name that a person gave to its
    argument.
    """

    content: tuple[MediaType, ...]
    where: Where
    required: bool | None = None
    description: str = ""
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Response:
    """One response. `status` is written as in the document: `200`, `2XX`, `default`. `links`: operations that may
    follow.
    """

    status: str
    description: str
    content: tuple[MediaType, ...] = ()
    headers: tuple[str, ...] = ()
    links: tuple[AnswerLink, ...] = ()


@dataclass(frozen=True, slots=True)
class GivenVariable:
    """The owner's decision that calls give the value of a variable in server URLs, as an argument of the tools.

    `enum` and `pattern` limit the values. `default`: the value of requests without arguments; "" to take that of the
    document. `required`: False if a call may leave the argument out.
    """

    name: str
    where: Where
    enum: tuple[str, ...] = ()
    pattern: str = ""
    description: str = ""
    default: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class ServerVariable:
    """One variable of a server URL. `given`: how calls give its value; None if only the operator sets the variable."""

    name: str
    default: str
    enum: tuple[str, ...] = ()
    description: str = ""
    given: GivenVariable | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """One server of an API. `url` may be relative, or empty if unknown. Variables in it are written as `{name}`."""

    url: str
    variables: tuple[ServerVariable, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """One account of a server. Its environment variables have `prefix` behind the prefix of the server.

    `headers`: header fields of its requests.
    """

    name: str
    prefix: str
    where: Where
    description: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def environment(self, server: str) -> str:
        """Return how its environment variables begin. `server`: how those of the server begin."""
        return f"{server}_{self.prefix}"


NO_SERVER = (Server(""),)
"""Servers of an API of which no server is known."""


@dataclass(frozen=True, slots=True)
class Login:
    """An operation of the API that returns a token. Security schemes with a `login` get their token from it.

    `fields`: members of the request body, as (name or JSON Pointer, role, constant). The role's environment variable
    gives the value; if the role is empty, the constant does. `headers`: further header fields, as (name, text).
    `token`: place in the response: a JSON Pointer, `header:NAME`, `cookie:NAME` or `body:text`. `expires`: a JSON
    Pointer. `csrf`: place of a value, and the header field of later requests that has the value; () if there is none.
    """

    content_type: str
    fields: tuple[tuple[str, str, str], ...]
    token: str
    expires: str = ""
    csrf: tuple[str, str] | tuple[()] = ()
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class UserFlow:
    """How a user logs in for a security scheme: the endpoints and scopes of the OAuth flows in which a person takes
    part.

    `authorization_url`: RFC 6749, section 3.1. `token_url`: section 3.2. `device_url`: RFC 8628, section 3.1.
    `refresh_url`: where tokens are renewed, if not at `token_url`. `metadata_url`: a document that names the endpoints
    (OpenID Connect Discovery 1.0, RFC 8414). A URL is "" if the security scheme lacks it, and may be relative.
    """

    authorization_url: str = ""
    token_url: str = ""
    device_url: str = ""
    refresh_url: str = ""
    metadata_url: str = ""
    scopes: tuple[str, ...] = ()

    @property
    def urls(self) -> tuple[str, ...]:
        """Return the URLs of the flow's endpoints and metadata; those that the document lacks are left out."""
        found = self.authorization_url, self.token_url, self.device_url, self.refresh_url, self.metadata_url
        return tuple(filter(None, found))

    def moved(self, move: Callable[[str], str]) -> "UserFlow":
        """Return this OAuth flow with the function `move` applied to each URL."""
        code, token, device, refresh, metadata = (
            url and move(url)
            for url in (self.authorization_url, self.token_url, self.device_url, self.refresh_url, self.metadata_url)
        )
        return UserFlow(code, token, device, refresh, metadata, self.scopes)


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """A security scheme, as far as requests are concerned.

    `location`, `wire_name` and `text`: where a credential is sent, and how its text is made. `unsent`: why no request
    contains one. `token_url`, or `discovery_url` of an OpenID provider: where the server fetches tokens, relative to
    the API's server if need be. It uses the request in `login`, or else the client credentials grant (RFC 6749, section
    4.4). `user`: how a user logs in, if the document describes an OAuth flow with a person. `scopes`: scopes that the
    flow declares. `has_scopes`: True if the document calls the scheme OAuth 2.0 or OpenID Connect.
    """

    name: str
    text: CredentialText = API_KEY
    location: CredentialPlace = "header"
    wire_name: str = "Authorization"
    description: str = ""
    token_url: str = ""
    discovery_url: str = ""
    login: Login | None = None
    scopes: tuple[str, ...] = ()
    has_scopes: bool = False
    user: UserFlow | None = None
    unsent: Unsent | None = None

    @property
    def is_fetched(self) -> bool:
        """Return True if the server can fetch the credential itself."""
        return bool(self.token_url or self.discovery_url)

    @property
    def is_token(self) -> bool:
        """Return True if the credential is an access token, which may need scopes."""
        return self.text.tokens or self.is_fetched


Scopes = Mapping[str, tuple[str, ...]]
"""Name of a security scheme → the OAuth scopes that its access token must have."""

CallerScopes = tuple[tuple[str, ...], ...]
"""Alternative sets of OAuth scopes. The token of a caller over HTTP must have all scopes of one set; () requires
none.
"""

SecurityRequirement = tuple[str, ...]
"""Names of security schemes that are needed together. An empty requirement needs no credentials."""


@dataclass(frozen=True, slots=True)
class Security:
    """The credentials of an operation's requests, as a `security` list states them (OpenAPI 3.1, 4.8.30).

    `alternatives`: one of these requirements is enough. `scopes`: OAuth scopes for the server's own tokens.
    `caller_scopes`: OAuth scopes for the tokens of callers. `is_declared`: False if there is no list. For an operation,
    this means that neither it nor its document has one: the operator may give any credential, or none.
    """

    alternatives: tuple[SecurityRequirement, ...] = ()
    scopes: Scopes = field(default_factory=dict)
    caller_scopes: CallerScopes = ()
    is_declared: bool = True

    def otherwise(self, default: "Security") -> "Security":
        """Return this security if it is declared, else `default`."""
        return self if self.is_declared else default


UNDECLARED = Security(is_declared=False)
NO_CREDENTIALS = Security(((),))
"""Security of an operation that needs no credentials: one empty requirement."""


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A path as requests send it.

    `literals`: percent-encoded text around the `variables`; there is one literal more than variables. `variables`: one
    name for each variable; a repeated name gets a number (`x`, `x_2`). `declared`: the same names as the path key has
    them. `fixed_query`: a query in the path key that is always sent. `query_variables`: pairs (parameter name,
    variable) in the query of the path key.
    """

    literals: tuple[str, ...]
    variables: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    fixed_query: tuple[tuple[str, str], ...] = ()
    query_variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of an API description, with references resolved. `decided`: what the project's owner has decided
    about the operation.

    `servers` and `security` hold for this operation; the document's own are written into each operation that has none.
    Requests go to the first server. Only a tools file's tool may lack both, until `add_own_tools` adds it to an API.

    `key`: METHOD and path without the names of path parameters (`GET /pets/{}`), unique in its API. `credentials`:
    parameters that carry a credential, although no security scheme declares it. `withheld`: parameters that are no
    arguments, including `credentials`. `document` and `api_title`: the document that holds the operation, and its
    title; empty unless several documents are compiled. `long_running`: "" unless the document says by
    `x-ms-long-running-operation` that a call starts a job; then its `final-state-via`, or `yes`. `about_path`: texts of
    the path item that the operation does not replace by its own. They are about all methods of the path, so they say
    nothing about the effect of one.
    """

    key: str
    method: str
    path: str
    template: PathTemplate
    where: Where
    id: str | None = None
    summary: str = ""
    description: str = ""
    about_path: str = ""
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    parameters: tuple[Parameter, ...] = ()
    body: RequestBody | None = None
    responses: tuple[Response, ...] = ()
    servers: tuple[Server, ...] = ()
    security: Security = UNDECLARED
    extension: JsonObject = field(default_factory=dict)
    credentials: tuple[SecurityScheme, ...] = ()
    withheld: tuple[Parameter, ...] = ()
    document: str = ""
    api_title: str = ""
    long_running: str = ""
    decided: Decisions = UNDECIDED


@dataclass(frozen=True, slots=True)
class Skipped:
    """An operation that did not become a tool, the reason for that, and the fields that selectors test."""

    operation: str
    reason: Diagnostic
    method: str = ""
    path: str = ""
    id: str | None = None
    tags: tuple[str, ...] = ()
    deprecated: bool = False
