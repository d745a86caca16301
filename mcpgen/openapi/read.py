"""A `Document` in OpenAPI 3.0 or 3.1 → `Api`."""

from mcpgen.diagnostics import Diagnostics
from mcpgen.document import Document
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import as_object, as_text
from mcpgen.model import Api
from mcpgen.openapi import operations, security, servers
from mcpgen.openapi.schemas import Definitions


def version_of(document: Document) -> str | None:
    """`3.0`, `3.1` …, or None where the document does not call itself an OpenAPI document."""
    root = as_object(document.value)
    declared = root.get("openapi", root.get("swagger"))
    if not isinstance(declared, (str, int, float)):
        return None
    return ".".join(str(declared).strip().split(".")[:2])


def read(document: Document, definitions: Definitions, base_url: str | None, diagnostics: Diagnostics) -> Api:
    """The API that `document` describes, its schemas in `definitions`. `base_url` is where it came from, for relative
    server URLs.

    CannotGoOn where the version is not one that is read, or `paths` is no object.
    """
    version = version_of(document)
    if version not in {"3.0", "3.1"}:
        raise CannotGoOn(
            "unsupported-version",
            f"OpenAPI {version} is not read.",
            document.where("/swagger" if version == "2.0" else "/openapi"),
            "Convert the document to OpenAPI 3.0 or 3.1.",
        )
    root = as_object(document.value)
    references = definitions.references
    components = as_object(root.get("components"))
    top = document.where("")
    schemes = security.read_schemes(
        components.get("securitySchemes"), top.inside("components", "securitySchemes"), references, diagnostics
    )
    around = operations.Surroundings(references, schemes, base_url, diagnostics)
    found, skipped = operations.read(root.get("paths"), top.inside("paths"), around)
    info = as_object(root.get("info"))
    known = frozenset(scheme.name for scheme in schemes)
    return Api(
        title=as_text(info.get("title")).strip() or "API",
        operations=found,
        definitions=definitions,
        servers=servers.read(root.get("servers", [{"url": "/"}]), top.inside("servers"), base_url, diagnostics),
        schemes=schemes,
        security=security.read_requirements(root.get("security"), known, top.inside("security"), diagnostics),
        skipped=skipped,
    )
