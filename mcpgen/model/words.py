"""The words that both vocabularies share: choices with a closed list of values."""

from typing import Literal

Location = Literal["path", "query", "querystring", "header", "cookie"]
"""Place of a parameter. `querystring` is the whole query (OpenAPI 3.2)."""

Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""The styles of OpenAPI 3.2, and `tabDelimited`, which only OpenAPI 2.0 has."""

BodyEncoding = Literal["json", "jsonl", "form", "multipart", "xml", "text", "binary"]
"""How a body is written."""

PartKind = Literal["text", "json", "xml", "file"]
"""How a part of a multipart body is written."""

CredentialPlace = Literal["header", "query", "cookie"]

SchemeKind = Literal["apiKey", "bearer", "basic", "oauth2", "header", "setting", "login"]
"""How a credential, or a setting of the whole API, gets into a request. The runtime knows the same kinds."""

ReadSchemeKind = Literal["apiKey", "bearer", "basic", "oauth2", "other", "setting", "login"]
"""The kinds of schemes that are read; `other` is one of which nothing is known but that it is needed."""

SchemaProfile = Literal["portable", "full"]
"""Keywords that input schemas use: those that every client takes, or all of JSON Schema 2020-12."""

InputProfile = SchemaProfile | Literal["written"]
"""Profile of one tool's input schema; `written` if a person wrote the schema."""

Output = Literal["structured", "text"]
"""Form of a tool's results, as a person chose. `structured` results have an output schema."""

Redirects = Literal["follow", "tell"]
"""What the server does about a redirect."""


Confirm = Literal["never", "when-supported", "always"]
"""When a person is asked before a call is sent.

`when-supported`: by clients that can ask. `always`: calls of other clients are refused.
"""

DESTRUCTIVE = "destructive"
"""Stands for the tools with the destructive hint, where methods are named."""

OutputForm = Literal["object", "items", "value", "written"]
"""How an answer becomes the object that the output schema promises.

`object`: as it is. `items` and `value`: under a member of that name. `written`: it must satisfy the handwritten schema
as it is.
"""
