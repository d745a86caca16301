"""Read `tools:` of the tools file as operations.

Tools are written in OpenAPI's words, so OpenAPI's readers read their parameters, bodies and responses.
"""

from dataclasses import dataclass, replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import WRITTEN_TOOL_NAME, clipped
from mcpgen.model import (
    MediaType,
    Operation,
    Parameter,
    PathTemplate,
    RequestBody,
    SecurityScheme,
    Sends,
    SentArgument,
    Skipped,
)
from mcpgen.read.openapi import content, parameters
from mcpgen.read.openapi.references import References
from mcpgen.read.openapi.schemas import Definitions
from mcpgen.read.toolsfile import access, arguments, decisions, questions, requests, server, workflows
from mcpgen.read.toolsfile.requests import RequestLine
from mcpgen.read.toolsfile.schemas import Schemas


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Parts of the tools file that its tools may use: security schemes, `variables` of base URLs, schemas."""

    schemes: tuple[SecurityScheme, ...]
    variables: server.Variables
    definitions: Definitions
    schemas: Schemas
    diagnostics: Diagnostics


def read(value: JsonValue, where: Where, around: ToolContext) -> tuple[tuple[Operation, ...], tuple[Skipped, ...]]:
    """Return the operations made from the `tools` at `where`, and the tools that were skipped.

    `schema_check` has already reported malformed tools.
    """
    found: dict[str, Operation] = {}
    skipped: list[Skipped] = []
    written = [(entry, where.inside(index)) for index, entry in enumerate(as_list(value))]
    steps = [each for entry, place in written for each in workflows.requests(as_object(entry), place)]
    for index, (entry, place) in enumerate([*written, *steps]):
        label = clipped(str(as_object(entry).get("name", f"tool {index + 1}")))
        try:
            operation = _read_tool(entry, place, around)
        except SkipOperation as unusable:
            skipped.append(Skipped(label, unusable.diagnostic))
            continue
        if operation is None:
            continue
        folded = operation.key.casefold()
        if folded in found:
            message = f"Two tools are called {operation.decided.name}."
            around.diagnostics.add("duplicate-name", message, place.inside("name"), "Rename one of them.")
        found.setdefault(folded, operation)
    return tuple(found.values()), tuple(skipped)


def _read_tool(entry: JsonValue, where: Where, around: ToolContext) -> Operation | None:
    """Return one tool as an operation. If it has an error, report this and return None."""
    diagnostics = around.diagnostics
    if not isinstance(entry, dict):
        return None
    around.schemas.check(entry, where)
    before = len(diagnostics)
    name, line = entry.get("name"), requests.read_line(entry, where, diagnostics)
    if "steps" in entry:
        line = RequestLine("POST", f"/{name}")  # its arguments are read like those of a JSON body
    if not isinstance(name, str) or not WRITTEN_TOOL_NAME.fullmatch(name) or line is None:
        return None  # invalid name or request: skip the tool, since schema_check has reported the fault
    if entry.get("redirects") == "follow" and line.method != "GET":
        message = f"The server does not follow redirects of {line.method} requests."
        diagnostics.add("invalid-value", message, where.inside("redirects"), "Leave `redirects` out.")
    template = line.template(where.inside("request"), diagnostics)
    inputs = _inputs(entry, line, template, where, around)
    names = [*as_object(entry.get("arguments")), *requests.names_of(as_object(entry.get("inputSchema")))]
    workflow = workflows.read(entry, where, names, diagnostics)
    requests.report_omissions(inputs.sends, line, where, diagnostics)
    if any(found.severity == "error" for found in list(diagnostics)[before:]):
        return None
    required = access.credentials(entry, where, around.schemes, diagnostics)
    own_server = server.base_url(entry.get("base_url"), where.inside("base_url"), diagnostics, around.variables)
    return Operation(
        key=f"tool {name}",
        method=line.method,
        path=line.path,
        template=template,
        where=where,
        description=as_text(entry.get("description")),
        parameters=inputs.parameters,
        body=inputs.body,
        responses=content.read_responses(
            as_object(entry.get("responses")), where.inside("responses"), around.definitions.references, diagnostics
        ),
        servers=own_server,
        security=required,
        credentials=inputs.credentials,
        decided=replace(
            decisions.read(entry, where, diagnostics),
            input_schema=inputs.schema,
            sends=inputs.sends,
            workflow=workflow,
        ),
    )


# -- inputs of a call, and the places where they are sent --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The inputs of a tool. `credentials`: parameters that were recognised as credentials."""

    parameters: tuple[Parameter, ...]
    body: RequestBody | None = None
    schema: JsonObject | None = None
    sends: Sends | None = None
    credentials: tuple[SecurityScheme, ...] = ()


def _inputs(entry: JsonObject, line: RequestLine, template: PathTemplate, where: Where, around: ToolContext) -> _Inputs:
    """Return the inputs of a tool. Faults are reported as errors."""
    diagnostics, references = around.diagnostics, around.definitions.references
    filled = parameters.api_keys(around.schemes)
    schema = entry.get("inputSchema")
    names = requests.names_of(schema) if isinstance(schema, dict) else list(as_object(entry.get("arguments")))
    names += [] if isinstance(schema, dict) else [name for name, _, _ in questions.declared(entry, where, names)]
    templated = requests.sent(entry, line, where, diagnostics)
    sent = requests.read_sends(templated, where, requests.TemplateNames(names, filled, line.query), diagnostics)
    if isinstance(schema, dict):
        return _by_hand(entry, schema, sent, line.method, template, where, diagnostics)
    lists = [(entry.get("parameters"), where.inside("parameters"))]
    _refuse_twins(as_list(entry.get("parameters")), where.inside("parameters"), references, diagnostics)
    described, of_parameters = parameters.read(lists, filled, references, diagnostics)
    raw_body, body_place = _described_body(entry.get("body"), where.inside("body"), references)
    body = _body(entry, raw_body, body_place, around)
    by = "body" if body else "send" if sent and sent.body is not None else ""
    site = arguments.ToolFacts(where, line.method, template, requests.named(sent), by, around.definitions)
    taken = [*(each.name for each in described), *_members(raw_body)]
    asked = questions.declared(entry, where, [*as_object(entry.get("arguments")), *taken])
    short = arguments.read(entry.get("arguments"), asked, taken, site, diagnostics)
    plain, of_parts = parameters.without_credentials(short.parameters, filled, diagnostics)
    return _Inputs(
        parameters.matched_with_path(described + plain, template, where, diagnostics),
        body or short.body,
        sends=requests.with_arguments(sent, short.sent),
        credentials=of_parameters + of_parts,
    )


def _refuse_twins(described: list[JsonValue], where: Where, references: References, diagnostics: Diagnostics) -> None:
    """Report each parameter that is listed twice. In an OpenAPI document the last one counts, but in a tools file it
    is a mistake.
    """
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(described):
        raw, _ = references.resolve(entry, where.inside(index))
        name, place = as_text(raw.get("name")), as_text(raw.get("in"))
        if name and place and (name, place) in seen:
            message = f"The parameter '{clipped(name)}' is declared twice."
            diagnostics.add(
                "duplicate-name",
                message,
                where.inside(index),
                "Keep only one of the two declarations.",
            )
        seen.add((name, place))


def _by_hand(
    entry: JsonObject,
    schema: JsonObject,
    sent: Sends | None,
    method: str,
    template: PathTemplate,
    where: Where,
    diagnostics: Diagnostics,
) -> _Inputs:
    """Return the inputs of a tool that has an `inputSchema`: this schema, where its arguments are sent, and the path
    parameters.
    """
    for key in ("arguments", "parameters", "body"):
        if key in entry:
            message = f"A tool with an inputSchema cannot have {key!r} as well."
            hint = "Leave out the inputSchema or this key; `send` says where the arguments of an inputSchema go."
            diagnostics.add("invalid-value", message, where.inside(key), hint)
    place, used = where.inside("inputSchema"), requests.named(sent) - {*template.declared}
    described = tuple(
        SentArgument(name, as_object(member), name in as_list(schema.get("required")))
        for name, member in as_object(schema.get("properties")).items()
        if name in used
    )
    if "send" not in entry or sent is None:
        sent = requests.implied(schema, template, method, place, sent)
    sent = replace(sent, arguments=described)
    requests.check_schema(schema, sent, template, place, diagnostics)
    in_path = zip(template.variables, template.declared, strict=True)
    return _Inputs(
        tuple(
            Parameter(variable, "path", {}, place, required=True, style="simple", argument=name)
            for variable, name in in_path
        ),
        schema=schema,
        sends=sent,
    )


def _members(body: JsonValue) -> list[str]:
    """Return the member names that a tool's `body` lists: under `properties` of its schema, or of the schema of each
    media type.
    """
    content_of = as_object(as_object(body).get("content"))
    schemas = [as_object(media_type).get("schema") for media_type in content_of.values()] or [body]
    return [name for schema in schemas for name in as_object(as_object(schema).get("properties"))]


def _described_body(value: JsonValue, where: Where, references: References) -> tuple[JsonValue, Where]:
    """Return the `body` of a tool and its place. A reference to a Request Body Object is resolved.

    A reference to a schema is returned unchanged. A broken reference is returned unchanged too; it is reported when the
    schema is checked.
    """
    if not isinstance(value, dict) or "$ref" not in value:
        return value, where
    try:
        raw, place = references.resolve(value, where)
    except SkipOperation:
        return value, where
    return (raw, place) if "content" in raw else (value, where)


def _body(entry: JsonObject, value: JsonValue, where: Where, around: ToolContext) -> RequestBody | None:
    """Return the body described by a Request Body Object, or by a bare schema, which means a required JSON body."""
    if value is None:
        return None
    if "body" in as_object(entry.get("send")):
        message = "The body is described twice: by `body`, and by `send`."
        around.diagnostics.add("invalid-value", message, where, "Leave out either `body` or the body under `send`.")
    if isinstance(value, dict) and "content" in value:
        return content.read_body(value, where, around.definitions.references, around.diagnostics)
    json_body = MediaType("application/json", around.definitions.references.schema(where))
    return RequestBody((json_body,), where, required=True)
