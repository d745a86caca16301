"""Closed lists of values that both vocabularies, OpenAPI's and MCP's, share."""

from typing import Literal

from mcpgen.base.jsonvalue import JsonObject

Part = str | JsonObject
"""One part of a text: literal text, `{argument: NAME}`, or `{pointer: POINTER}`, a JSON Pointer into the answer."""

Location = Literal["path", "query", "querystring", "header", "cookie"]
"""Where a parameter goes in the request. `querystring` is the whole query (OpenAPI 3.2)."""

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
"""How a credential, or a setting of the whole API, gets into a request. The runtime knows the same kinds."""

ReadSchemeKind = Literal["apiKey", "bearer", "basic", "oauth2", "other", "setting", "login"]
"""Kinds of security schemes in documents. `other`: a kind that mcpgen does not know, which is required nevertheless."""

SchemaProfile = Literal["portable", "full"]
"""Keywords that input schemas use: those that every client takes, or all of JSON Schema 2020-12."""

InputProfile = SchemaProfile | Literal["written"]
"""Profile of one tool's input schema; `written` if a person wrote the schema."""

Output = Literal["structured", "text"]
"""Form of a tool's results that the owner chose. `structured` results have an output schema."""

Redirects = Literal["follow", "tell"]
"""What the server does about a redirect."""

Pages = Literal["all", "one"]
"""Whether a call fetches one page of a list, or all pages within limits."""

Confirm = Literal["never", "when-supported", "always"]
"""When a user is asked to confirm a call.

`when-supported`: if the client can ask. `always`: if the client cannot ask, the call is refused.
"""

Without = Literal["refuse", "arguments"]
"""What clients get that cannot ask a question: a refusal, or its fields as ordinary arguments."""

Capability = Literal["elicitation", "elicitation.url", "sampling", "roots"]
"""Capability of an MCP client: forms for the user, URLs that the user opens, a model, and folders."""

DESTRUCTIVE = "destructive"
"""Key that stands for all tools with the destructive hint, in settings that else name HTTP methods."""

OutputForm = Literal["object", "items", "value", "written"]
"""How a response becomes the object of the output schema.

`object`: unchanged. `items` and `value`: wrapped in an object, as the member of that name. `written`: unchanged, and
checked against the handwritten schema.
"""
