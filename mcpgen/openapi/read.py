"""A `Document` in OpenAPI 3.0 or 3.1 → `Api`."""

from mcpgen.diagnostics import Diagnostics
from mcpgen.document import Document
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import as_object, as_text
from mcpgen.model import Api
from mcpgen.openapi import operations, security, servers
from mcpgen.openapi.references import References
from mcpgen.openapi.schemas import Definitions


def version_of(document: Document) -> str | None:
    """`3.0`, `3.1` …, or None where the document does not call itself an OpenAPI document."""
    root = as_object(document.value)
    declared = root.get("openapi", root.get("swagger"))
    if not isinstance(declared, (str, int, float)):
        return None
    return ".".join(str(declared).strip().split(".")[:2])


def read(document: Document, base_url: str | None, diagnostics: Diagnostics) -> Api:
    """The API that `document` describes. `base_url` is where the document came from, for relative server URLs.

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
    references = References(document)
    components = as_object(root.get("components"))
    schemes = security.read_schemes(
        components.get("securitySchemes"), "/components/securitySchemes", references, diagnostics
    )
    around = operations.Surroundings(references, schemes, base_url, diagnostics)
    found, skipped = operations.read(root.get("paths"), "/paths", around)
    info = as_object(root.get("info"))
    known = frozenset(scheme.name for scheme in schemes)
    return Api(
        title=as_text(info.get("title")).strip() or "API",
        operations=found,
        definitions=Definitions(references),
        servers=servers.read(root.get("servers", [{"url": "/"}]), "/servers", document, base_url, diagnostics),
        schemes=schemes,
        security=security.read_requirements(root.get("security"), known, "/security", document, diagnostics),
        skipped=skipped,
    )
