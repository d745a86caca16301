"""Types with a fixed list of values, which are used both for APIs (OpenAPI's words) and for tools (MCP's words)."""

from typing import Literal

from mcpgen.base.jsonvalue import JsonObject

Part = str | JsonObject
"""One part of a text: literal text, `{argument: NAME}`, or `{pointer: POINTER}`, a JSON Pointer into the response."""

Location = Literal["path", "query", "querystring", "header", "cookie"]
"""Where a parameter is sent in the request. `querystring` is the whole query (OpenAPI 3.2)."""

Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""Serialization styles of OpenAPI 3.2, and `tabDelimited` for `tsv` of OpenAPI 2.0."""

BodyEncoding = Literal["json", "jsonl", "form", "multipart", "xml", "text", "binary"]
"""How a request body is serialized."""

PartKind = Literal["text", "json", "xml", "file"]
"""How a part of a multipart body is serialized."""

CredentialPlace = Literal["header", "query", "cookie"]

SchemeKind = Literal["apiKey", "bearer", "basic", "oauth2", "header", "setting", "login"]
"""How a credential, or a setting of the whole API, is sent in a request. The runtime has the same list of kinds."""

ReadSchemeKind = Literal["apiKey", "bearer", "basic", "oauth2", "mutualTLS", "other", "setting", "login"]
"""Kinds of security schemes in documents. `other`: a kind that mcpgen does not know; it still counts as required."""

UNSENT: frozenset[ReadSchemeKind] = frozenset(("mutualTLS", "other"))
"""Kinds of security schemes that have no variable: a client certificate belongs to the connection, not to requests."""

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

Confirm = Literal["never", "when-supported", "always"]
"""When a user is asked to confirm a call.

`when-supported`: if the client can ask. `always`: if the client cannot ask, the call is refused.
"""

Without = Literal["refuse", "arguments"]
"""What a client gets if it cannot ask the user a question: the call is refused, or the fields become ordinary
arguments.
"""

Capability = Literal["elicitation", "elicitation.url", "sampling", "roots", "tasks"]
"""Capability of an MCP client: forms for the user, URLs that the user opens, access to a model (sampling), folders
(roots), and calls that become tasks.
"""

DESTRUCTIVE = "destructive"
"""Key for all tools with the destructive hint, in settings whose other keys are HTTP methods."""

OutputForm = Literal["object", "items", "value", "written"]
"""How a response becomes the object that the output schema describes.

`object`: unchanged. `items` and `value`: wrapped in an object, as the member of that name. `written`: unchanged, and
checked against the handwritten schema.
"""
