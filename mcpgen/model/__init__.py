"""Data types of the compiler: an API in OpenAPI's words, and a catalog of tools in MCP's words.

Only `lower` converts one to the other. Every class is frozen. Schemas are JSON Schema 2020-12 whatever the document's
version, and a `$ref` in a schema is a key of `Api.definitions`. This package imports only `base`.
"""

from mcpgen.model.accepted import Accepted, AcceptedKind, AnswerLink
from mcpgen.model.api import (
    NO_CREDENTIALS,
    NO_SERVER,
    UNDECLARED,
    CallerScopes,
    Decisions,
    Encoding,
    Login,
    MediaType,
    Operation,
    Parameter,
    PathTemplate,
    RequestBody,
    Response,
    Scopes,
    Security,
    SecurityRequirement,
    SecurityScheme,
    Server,
    ServerVariable,
    Skipped,
    UserFlow,
)
from mcpgen.model.asking import AskedQuestion, FormField, Question
from mcpgen.model.catalog import (
    LONGEST_DESCRIPTION,
    MOST_SEARCH_TOKENS,
    Annotations,
    BodyBinding,
    BoundScheme,
    Catalog,
    FieldBinding,
    HttpBinding,
    Identity,
    Listing,
    Lookup,
    ParameterBinding,
    Passage,
    PromptSpec,
    ResourceSpec,
    SearchTable,
    ToolSpec,
    joined,
)
from mcpgen.model.credential_text import ANY_HEADER, API_KEY, BEARER, HTTP_SCHEMES, SETTING, CredentialText
from mcpgen.model.curation import (
    ArgumentChange,
    BodyChange,
    Change,
    Given,
    PreviousNames,
    ResultView,
    RuleValue,
    Sends,
    SentArgument,
    TaskPlace,
    TaskRequest,
    TaskRule,
    TaskTarget,
    Template,
    Text,
    arguments_of,
)
from mcpgen.model.description import Api
from mcpgen.model.features import MOST_WEBHOOKS, Message, Prompt, PromptArgument, Resource, Values, Webhook
from mcpgen.model.words import (
    DESTRUCTIVE,
    WAYS,
    BodyEncoding,
    Capability,
    Confirm,
    CredentialPlace,
    CredentialWay,
    InputProfile,
    Location,
    Output,
    OutputForm,
    Pages,
    Part,
    PartKind,
    Redirects,
    SchemaProfile,
    Style,
    Unsent,
    Without,
)
from mcpgen.model.workflow import Action, Criterion, Invocation, StepParameter, Target, Value, Workflow, WorkflowStep

__all__ = [
    "ANY_HEADER", "API_KEY", "BEARER", "DESTRUCTIVE", "HTTP_SCHEMES", "LONGEST_DESCRIPTION", "MOST_SEARCH_TOKENS",
    "MOST_WEBHOOKS", "NO_CREDENTIALS", "NO_SERVER", "SETTING", "UNDECLARED", "WAYS", "Accepted", "AcceptedKind",
    "Action", "Annotations", "AnswerLink", "Api", "ArgumentChange", "AskedQuestion", "BodyBinding", "BodyChange",
    "BodyEncoding", "BoundScheme", "CallerScopes", "Capability", "Catalog", "Change", "Confirm", "CredentialPlace",
    "CredentialText", "CredentialWay", "Criterion", "Decisions", "Encoding", "FieldBinding", "FormField", "Given",
    "HttpBinding", "Identity", "InputProfile", "Invocation", "Listing", "Location", "Login", "Lookup", "MediaType",
    "Message", "Operation", "Output", "OutputForm", "Pages", "Parameter", "ParameterBinding", "Part", "PartKind",
    "Passage", "PathTemplate", "PreviousNames", "Prompt", "PromptArgument", "PromptSpec", "Question", "Redirects",
    "RequestBody", "Resource", "ResourceSpec", "Response", "ResultView", "RuleValue", "SchemaProfile", "Scopes",
    "SearchTable", "Security", "SecurityRequirement", "SecurityScheme", "Sends", "SentArgument", "Server",
    "ServerVariable", "Skipped", "StepParameter", "Style", "Target", "TaskPlace", "TaskRequest", "TaskRule",
    "TaskTarget", "Template", "Text", "ToolSpec", "Unsent", "UserFlow", "Value", "Values", "Webhook", "Without",
    "Workflow", "WorkflowStep", "arguments_of", "joined",
]  # fmt: skip
