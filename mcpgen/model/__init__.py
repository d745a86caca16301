"""The two vocabularies of the compiler and nothing else: an API in OpenAPI's words, and a catalog of tools in MCP's.

`lower` is the only bridge between them. Everything is frozen; schemas are JSON Schema 2020-12 whatever the document
said, and a `$ref` in them is a key of `Api.definitions`, never a pointer into a file.
"""

from mcpgen.model.api import (
    Api,
    Encoding,
    MediaType,
    Operation,
    Parameter,
    PathTemplate,
    RequestBody,
    Response,
    Scopes,
    SecurityRequirement,
    SecurityScheme,
    Server,
    ServerVariable,
    Skipped,
)
from mcpgen.model.catalog import (
    Annotations,
    BodyBinding,
    BoundScheme,
    Catalog,
    FieldBinding,
    HttpBinding,
    Identity,
    ParameterBinding,
    ToolSpec,
)
from mcpgen.model.words import (
    DESTRUCTIVE,
    Confirm,
    Location,
    Output,
    OutputForm,
    SchemaProfile,
    Style,
)

__all__ = [
    "DESTRUCTIVE",
    "Annotations",
    "Api",
    "BodyBinding",
    "BoundScheme",
    "Catalog",
    "Confirm",
    "Encoding",
    "FieldBinding",
    "HttpBinding",
    "Identity",
    "Location",
    "MediaType",
    "Operation",
    "Output",
    "OutputForm",
    "Parameter",
    "ParameterBinding",
    "PathTemplate",
    "RequestBody",
    "Response",
    "SchemaProfile",
    "Scopes",
    "SecurityRequirement",
    "SecurityScheme",
    "Server",
    "ServerVariable",
    "Skipped",
    "Style",
    "ToolSpec",
]
