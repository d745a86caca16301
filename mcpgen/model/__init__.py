"""The two vocabularies of the compiler and nothing else: an API in OpenAPI's words, and a catalog of tools in MCP's.

`lower` is the only bridge between them. Everything is frozen; schemas are JSON Schema 2020-12 whatever the document
said, and a `$ref` in them is a key of `Api.definitions`, never a pointer into a file.
"""

from mcpgen.model.api import (
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
    PromptSpec,
    ResourceSpec,
    ToolSpec,
)
from mcpgen.model.curation import ArgumentChange, Change, Given, Link, ResultView, Sends
from mcpgen.model.description import Api
from mcpgen.model.features import Message, Prompt, PromptArgument, Resource, Values
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
    "ArgumentChange",
    "BodyBinding",
    "BoundScheme",
    "Catalog",
    "Change",
    "Confirm",
    "Encoding",
    "FieldBinding",
    "Given",
    "HttpBinding",
    "Identity",
    "Link",
    "Location",
    "MediaType",
    "Message",
    "Operation",
    "Output",
    "OutputForm",
    "Parameter",
    "ParameterBinding",
    "PathTemplate",
    "Prompt",
    "PromptArgument",
    "PromptSpec",
    "RequestBody",
    "Resource",
    "ResourceSpec",
    "Response",
    "ResultView",
    "SchemaProfile",
    "Scopes",
    "SecurityRequirement",
    "SecurityScheme",
    "Sends",
    "Server",
    "ServerVariable",
    "Skipped",
    "Style",
    "ToolSpec",
    "Values",
]
