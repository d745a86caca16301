"""Read a `Document` in any version of OpenAPI as an `Api`."""

from dataclasses import dataclass, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, lookup, tokens
from mcpgen.model import NO_SERVER, Api
from mcpgen.read.document import Document
from mcpgen.read.openapi import credentials, extension, inputs, operations, security, servers, swagger
from mcpgen.read.openapi.credentials import fix_version_parameters
from mcpgen.read.openapi.schemas import Definitions


@dataclass(frozen=True, slots=True)
class _Version:
    """Data that differ between versions of OpenAPI.

    `schemes`: pointer to the security schemes. `reader`: function that reads an operation's parameters, body and
    responses.
    """

    schemes: str
    reader: inputs.Reader


_OPENAPI = _Version("/components/securitySchemes", inputs.read)
VERSIONS = {
    "2.0": _Version("/securityDefinitions", swagger.read_inputs),
    "3.0": _Version("/components/securitySchemes", inputs.read_3_0),
    "3.1": _OPENAPI,
    "3.2": _OPENAPI,
}


def version_of(document: Document) -> str | None:
    """Return the document's version of OpenAPI, such as `3.1`, or None if it is not an OpenAPI document."""
    root = as_object(document.value)
    declared = root.get("openapi", root.get("swagger"))
    if not isinstance(declared, (str, int, float)):
        return None
    version = ".".join(str(declared).strip().split(".")[:2])
    return "2.0" if version == "2" else version


def read(document: Document, definitions: Definitions, base_url: str | None, diagnostics: Diagnostics) -> Api:
    """Return the API that `document` describes. Its schemas are available through `definitions`.

    `base_url`: the URL of the document, against which relative server URLs are resolved. Raises FatalError for an
    unsupported version.
    """
    name = version_of(document)
    version = VERSIONS.get(name or "")
    if version is None:
        raise FatalError(
            "unsupported-version",
            f"OpenAPI {name} is not supported.",
            document.where("/openapi"),
            f"Convert the document to one of these versions of OpenAPI: {', '.join(VERSIONS)}.",
        )
    root, top = as_object(document.value), document.where("")
    references = definitions.references
    schemes = security.read_schemes(
        _at(root, version.schemes), document.where(version.schemes), references, diagnostics
    )
    hidden = extension.hidden_tags(root, top, diagnostics)
    around = inputs.DocumentFacts(
        root, references, schemes, base_url, diagnostics, version.reader, hidden, bool(document.sources)
    )
    found, skipped = operations.read(root.get("paths"), top.inside("paths"), around)
    if name == "2.0":
        url_list: JsonValue = swagger.as_servers(root, root.get("schemes"), base_url)
        where = top.inside("host" if "host" in root else "basePath")
    else:
        url_list, where = as_list(root.get("servers")) or [{"url": "/"}], top.inside("servers")
    info = as_object(root.get("info"))
    known = frozenset(scheme.name for scheme in schemes)
    required = security.read_security(root.get("security"), schemes, known, top.inside("security"), diagnostics)
    found = tuple(replace(each, security=each.security.otherwise(required)) for each in found)
    found = credentials.withhold_members(found, definitions, diagnostics)
    found = fix_version_parameters(found, definitions, diagnostics)
    usable = servers.read(url_list, where, base_url, diagnostics) or NO_SERVER
    return Api(
        title=as_text(info.get("title")).strip() or "API",
        operations=tuple(each if each.servers else replace(each, servers=usable[:1]) for each in found),
        definitions=definitions,
        servers=usable,
        schemes=schemes,
        security=required,
        skipped=skipped,
        named_at=top.inside("info"),
    )


def _at(root: JsonObject, pointer: str) -> JsonValue:
    try:
        return lookup(root, tokens(pointer))
    except KeyError:
        return None
