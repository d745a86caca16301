# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Words of the tables: types with a fixed list of values, which compiler and runtime have in common.

Other modules of the runtime import this module only for type checking, so no server loads it.
"""

from typing import Literal

CredentialWay = Literal["given", "fetched", "user"]
"""Ways to get a credential: the operator gives it, the server fetches it, or a user logs in."""

CredentialPlace = Literal["header", "query", "cookie"]

Signing = Literal["digest", "sigv4"]
"""Ways to sign requests with a credential: HTTP Digest (RFC 7616), and AWS Signature Version 4."""

FormStyle = Literal["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"]
"""Styles of a form member."""

Style = Literal["simple", "label", "matrix", FormStyle, "cookie"]
"""Styles of a parameter: how an array or an object is written as text. They are those of OpenAPI 3.2, and
`tabDelimited` for `tsv` of OpenAPI 2.0.
"""

BodyEncoding = Literal["json", "jsonl", "form", "multipart", "multipart-items", "xml", "text", "binary"]
"""Encodings of a body. `multipart-items`: each item of a list is a part without a name."""

PartKind = Literal["text", "json", "xml", "file"]
"""How a part of a multipart body is encoded."""

LinkText = Literal["name", "title", "description", "mimeType"]
"""Fields of a resource link in a result."""

XmlKind = Literal["attribute", "text", "cdata", "none"]
"""XML forms of a value other than an element."""

OutputForm = Literal["object", "items", "value", "written"]
"""How a response becomes the object that the output schema describes.

`object`: unchanged. `items` and `value`: wrapped in an object, as the member of that name. `written`: unchanged, and
checked against the handwritten schema.
"""

Feature = Literal["resources", "prompts"]
"""Names of the optional tables."""

Finder = Literal["search_tools", "describe_tools", "call_tool", "call_writing_tool", "run_program", "run_reads"]
"""Kinds of tools that find and call other tools, or run programs that call them."""

ClientCapability = Literal["elicitation", "elicitation.url", "sampling", "roots", "tasks"]
"""Capability of an MCP client: forms for the user, URLs that the user opens, access to a model (sampling), folders
(roots), and calls that become tasks.
"""

Confirm = Literal["when-supported", "always"]
"""When the user is asked to confirm a call.

`when-supported`: if the client can ask. `always`: if the client cannot ask, the call is refused.
"""
