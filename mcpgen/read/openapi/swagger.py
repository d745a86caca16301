"""Convert OpenAPI 2.0 documents (formerly Swagger) to the same `Api` as later versions.

In OpenAPI 2.0, parameters are schemas, bodies are parameters, and media types, hosts and security are written in other
places. `collectionFormat` becomes style and explode; `schemes`, `host` and `basePath` become a `servers` list.
"""

from urllib.parse import urlsplit

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, compact
from mcpgen.base.names import clipped
from mcpgen.model import Encoding, Location, MediaType, Parameter, PathTemplate, RequestBody, Response, Server, Style
from mcpgen.read.openapi import content, parameters, servers
from mcpgen.read.openapi.inputs import DocumentFacts, Inputs, OperationSource
from mcpgen.read.openapi.references import References

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


_STYLES: dict[str, Style] = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": "tabDelimited"}
_DESCRIBED = frozenset({"type", "enum", "items", "format", "pattern", "schema"})
"""Keywords that describe a parameter's value. A parameter without any of them is a string."""

_PLAIN: dict[Location, Style] = {"query": "form", "path": "simple", "header": "simple"}


def parameter_of(raw: JsonObject, where: Where, references: References, diagnostics: Diagnostics) -> Parameter | None:
    """Return the OpenAPI 2.0 parameter `raw` as a `Parameter`. If it cannot be read, report this and return None, or
    raise SkipOperation if it is required.
    """
    named = parameters.name_and_place(raw, where, tuple(_PLAIN), diagnostics)
    if named is None:
        return None
    name, location = named
    style, explode = style_of(raw, location, where, diagnostics)
    return Parameter(
        name=name,
        location=location,
        schema=references.schema(where) if raw.keys() & _DESCRIBED else {"type": "string"},
        where=where,
        required=raw.get("required") is True or location == "path",
        description=as_text(raw.get("description")),
        style=style,
        explode=explode,
        allows_empty=raw.get("allowEmptyValue") is True and location == "query",
    )


def style_of(raw: JsonObject, location: Location, where: Where, diagnostics: Diagnostics) -> tuple[Style, bool]:
    """Return style and explode of a parameter, which matter only for arrays.

    Raises SkipOperation for nested arrays: each level may have its own format, and no style of later versions can
    express that.
    """
    if as_object(raw.get("items")).get("type") == "array":
        message = "mcpgen cannot send nested arrays with a collectionFormat for each level."
        raise SkipOperation(
            "invalid-style", message, where.inside("items"), "Use an array without nested arrays, or a request body."
        )
    declared = raw.get("collectionFormat", "csv")
    plain = _PLAIN[location]
    if declared == "multi" and location == "query":
        return plain, True
    if isinstance(declared, str) and declared in _STYLES:
        return _STYLES[declared], False
    if declared != "csv":
        diagnostics.add(
            "invalid-style",
            f"The collectionFormat {clipped(compact(declared))} is not defined for {location} parameters; csv is used.",
            where.inside("collectionFormat"),
            "Use csv, ssv, tsv or pipes; multi is allowed in a query or a form.",
        )
    return plain, False


def as_servers(root: JsonObject, schemes: JsonValue, base_url: str | None) -> list[JsonValue]:
    """Return the servers as a `servers` list, https first. Without a `host`, URLs are relative to the URL of the
    document.
    """
    host, base_path = as_text(root.get("host")).strip(), as_text(root.get("basePath")).strip()
    path = base_path if not base_path or base_path.startswith("/") else f"/{base_path}"
    host = host.rpartition("://")[2].rstrip("/")  # some authors write a whole URL as `host`
    if not host:
        return [{"url": path or "/"}]
    spoken = [scheme for scheme in as_list(schemes) if scheme in ("https", "http")]
    spoken = spoken or [scheme for scheme in as_list(schemes) if scheme in ("wss", "ws")]  # refused, and not replaced
    usual = urlsplit(base_url).scheme if base_url else "https"
    return [{"url": f"{scheme}://{host}{path}"} for scheme in sorted(spoken or [usual], reverse=True)]
