"""The words that both vocabularies share: choices with a closed list of values."""

from typing import Literal

Location = Literal["path", "query", "querystring", "header", "cookie"]
"""`querystring` is the whole query (OpenAPI 3.2)."""

Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""Those of OpenAPI 3.2, and `tabDelimited`, which only OpenAPI 2.0 has."""

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
"""What input schemas are written in: what every client takes, or all of JSON Schema 2020-12."""

InputProfile = SchemaProfile | Literal["written"]
"""The same of one tool, whose schema may be written by hand."""

Output = Literal["structured", "text"]
Redirects = Literal["follow", "tell"]
"""What is done about a redirect."""
"""What the results of a tool are, as a person chose: `structured` are those with an output schema."""

Confirm = Literal["never", "when-supported", "always"]
"""When a person is asked before a call is sent: by every client that can ask, or else not at all; or else the call is
refused.
"""

DESTRUCTIVE = "destructive"
"""Stands for the tools with that hint where methods are named."""

OutputForm = Literal["object", "items", "value", "written"]
"""How an answer becomes the object that an output schema promises: as it is, under `items`, under `value`; or it must
be what a schema written by hand says.
"""
