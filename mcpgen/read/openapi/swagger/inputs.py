"""Read the parameters, body, responses and servers of an operation of OpenAPI 2.0."""

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.model import Encoding, MediaType, PathTemplate, RequestBody, Response, Server
from mcpgen.read.openapi import content, parameters, servers
from mcpgen.read.openapi.inputs import DocumentFacts, Inputs, OperationSource
from mcpgen.read.openapi.references import References
from mcpgen.read.openapi.swagger.formats import parameter_of, style_of
from mcpgen.read.openapi.swagger.servers import as_servers

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
Raw = tuple[JsonObject, Where]


def read_inputs(site: OperationSource, template: PathTemplate, around: DocumentFacts) -> Inputs:
    """Return the inputs of an operation in OpenAPI 2.0.

    Raises SkipOperation if a part that requests need, such as a required parameter, cannot be read.
    """
    references, diagnostics = around.references, around.diagnostics
    gathered = parameters.gathered(site.parameter_lists(), references)
    elsewhere = [raw for raw in gathered if raw[0].get("in") not in ("body", "formData")]
    found = [parameter for raw in elsewhere if (parameter := parameter_of(*raw, references, diagnostics)) is not None]
    wanted, keys = parameters.without_credentials(found, around.credentials, diagnostics, by_name=False)
    takes = _media_types("consumes", site, around)
    return Inputs(
        parameters=parameters.matched_with_path(wanted, template, site.where, diagnostics),
        body=_body(gathered, takes, references, diagnostics),
        responses=_responses(site, _media_types("produces", site, around), references, diagnostics),
        servers=_servers(site, around),
        credentials=keys,
    )


def _media_types(key: str, site: OperationSource, around: DocumentFacts) -> list[str]:
    """Return the media types under `key` (`consumes` or `produces`): those of the operation, else those of the
    document.
    """
    holder, where = (site.raw, site.where) if key in site.raw else (around.root, Where(site.where.file))
    names = [name for name in as_list(holder.get(key)) if isinstance(name, str)]
    return content.media_types(names, where.inside(key), around.diagnostics)


def _servers(site: OperationSource, around: DocumentFacts) -> tuple[Server, ...]:
    if not as_list(site.raw.get("schemes")):
        return ()
    own = as_servers(around.root, site.raw["schemes"], around.base_url)
    return servers.of_operation(own, site.where.inside("schemes"), around.base_url, around.diagnostics)


# -- request bodies ----------------------------------------------------------------------------------------------------


def _body(
    gathered: list[Raw], takes: list[str], references: References, diagnostics: Diagnostics
) -> RequestBody | None:
    fields = [raw for raw in gathered if raw[0].get("in") == "formData"]
    bodies = [where for raw, where in gathered if raw.get("in") == "body"]
    if len(bodies) + bool(fields) > 1:
        message = "The body is declared twice: there are several body parameters, or a body parameter and form fields."
        hint = "Keep either one body parameter or the form fields."
        raise SkipOperation("invalid-parameter", message, bodies[-1], hint)
    for raw, where in gathered:
        if raw.get("in") == "body":
            schema = references.schema(where.inside("schema")) if "schema" in raw else None
            offered = tuple(MediaType(name, schema) for name in takes or ["application/json"])
            return RequestBody(offered, where, content.is_required(raw), as_text(raw.get("description")))
    return _form(fields, takes, references, diagnostics) if fields else None


def _form(fields: list[Raw], takes: list[str], references: References, diagnostics: Diagnostics) -> RequestBody:
    """Return the `formData` parameters as one body, an object with one member for each parameter."""
    properties: JsonObject = {}
    encodings: dict[str, Encoding] = {}
    required: list[JsonValue] = []
    has_file = False
    for raw, where in fields:
        name = raw.get("name")
        if not isinstance(name, str) or not name:
            raise SkipOperation(
                "invalid-parameter",
                "A field of the form has no name.",
                where,
                "Give the field a non-empty name.",
            )
        properties[name] = references.schema(where)
        has_file = has_file or raw.get("type") == "file"
        if raw.get("type") == "array":
            style, explode = style_of(raw, "query", where, diagnostics)
            encodings[name] = Encoding(style=style, explode=explode)
        if raw.get("required") is True:
            required.append(name)
    schema: JsonObject = {"type": "object", "properties": properties, "required": required}
    forms = [name for name in takes if name.partition(";")[0].strip().lower() in _FORMS]
    if has_file:
        forms = [name for name in forms if name.startswith("multipart/")] or ["multipart/form-data"]
    offered = tuple(MediaType(name, schema, encodings) for name in forms or _FORMS[:1])
    return RequestBody(offered, fields[0][1], bool(required))


# -- responses ---------------------------------------------------------------------------------------------------------


def _responses(
    site: OperationSource, gives: list[str], references: References, diagnostics: Diagnostics
) -> tuple[Response, ...]:
    found = []
    for status, entry in as_object(site.raw.get("responses")).items():
        if status.startswith("x-"):
            continue
        try:
            raw, where = references.resolve(entry, site.where.inside("responses", status))
        except SkipOperation as unusable:
            diagnostics.extend([unusable.diagnostic])
            continue
        schema = references.schema(where.inside("schema")) if "schema" in raw else None
        offered = tuple(MediaType(name, schema) for name in gives or ["application/json"]) if schema else ()
        found.append(Response(status, as_text(raw.get("description")), offered, tuple(as_object(raw.get("headers")))))
    return tuple(found)
