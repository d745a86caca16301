"""Types with a fixed list of values, which are used both for APIs (OpenAPI's words) and for tools (MCP's words).

Types that occur in the tables are those of the runtime.
"""

from typing import Literal, get_args

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.runtime import words

Style = words.Style
BodyEncoding = words.BodyEncoding
PartKind = words.PartKind
CredentialPlace = words.CredentialPlace
CredentialWay = words.CredentialWay
Capability = words.ClientCapability
OutputForm = words.OutputForm

Part = str | JsonObject
"""One part of a text: literal text, `{argument: NAME}`, or `{pointer: POINTER}`, a JSON Pointer into the response."""

Location = Literal["path", "query", "querystring", "header", "cookie"]
"""Where a parameter is sent in the request. `querystring` is the whole query (OpenAPI 3.2)."""

WAYS: tuple[CredentialWay, ...] = get_args(CredentialWay)
"""Ways to get a credential, in the order of preference."""

Unsent = Literal["certificate", "unknown"]
"""Why no request contains a credential of a security scheme: a client certificate belongs to the connection, or mcpgen
does not know the kind of scheme. An unknown scheme still counts as required.
"""

SchemaProfile = Literal["portable", "full"]
"""Which keywords input schemas may use: `portable`, keywords that every client accepts, or `full`, all of JSON Schema
2020-12.
"""

InputProfile = SchemaProfile | Literal["written"]
"""Profile of one tool's input schema; `written` if a person wrote the schema."""

Output = Literal["structured", "text"]
"""Form of a tool's results that the project's owner chose. `structured` results have an output schema."""

Redirects = Literal["follow", "tell"]
"""What the server does with a redirect: `follow` it, or `tell` the model about it."""

Pages = Literal["all", "one"]
"""How many pages of a list a call fetches: `one`, or `all` within limits."""

Confirm = Literal["never", words.Confirm]
"""When a user is asked to confirm a call."""

Consent = Literal["once", "each"]
"""When the user of a workflow is asked: `once` for all its writes before the first step, or before `each` write."""

Without = Literal["refuse", "arguments"]
"""What a client gets if it cannot ask the user a question: the call is refused, or the fields become ordinary
arguments.
"""

DESTRUCTIVE = "destructive"
"""Key for all tools with the destructive hint, in settings whose other keys are HTTP methods."""
