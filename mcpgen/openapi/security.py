"""Security schemes and requirements (OpenAPI 3.1, 4.8.27 and 4.8.30), as far as they put something into a request."""

from typing import Literal

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.errors import Unusable
from mcpgen.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.model import SecurityRequirement, SecurityScheme
from mcpgen.names import clipped
from mcpgen.openapi.references import References

_KEY_PLACES: dict[str, Literal["header", "query", "cookie"]] = {
    "header": "header",
    "query": "query",
    "cookie": "cookie",
}


def read_schemes(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics
) -> tuple[SecurityScheme, ...]:
    """The schemes, those that cannot be filled by name as `other`; which is reported."""
    found = []
    for name, entry in sorted(as_object(value).items()):
        try:
            raw, place = references.resolve(entry, where.inside(name))
        except Unusable as unusable:
            diagnostics.extend([unusable.diagnostic])
            continue
        scheme = _scheme(name, raw)
        if scheme is None:
            diagnostics.add(
                "invalid-security",
                f"The security scheme {name} is of a kind that is not supported ({_kind(raw)}).",
                place,
                "Where only it is offered, the server sends the header that its _HEADER variable holds.",
            )
            scheme = SecurityScheme(name, "other", description=as_text(raw.get("description")))
        found.append(scheme)
    return tuple(found)


def _kind(raw: JsonObject) -> str:
    return " ".join(filter(None, (as_text(raw.get("type")), as_text(raw.get("scheme"))))) or "no type"


def _scheme(name: str, raw: JsonObject) -> SecurityScheme | None:
    description = as_text(raw.get("description"))
    kind, http_scheme = as_text(raw.get("type")), as_text(raw.get("scheme")).lower()
    location = _KEY_PLACES.get(as_text(raw.get("in")))
    if kind == "apiKey" and location and as_text(raw.get("name")):
        return SecurityScheme(name, "apiKey", location, as_text(raw["name"]), description)
    if kind in {"oauth2", "openIdConnect"} or (kind == "http" and http_scheme == "bearer"):
        return SecurityScheme(name, "bearer", description=description)
    if kind == "basic" or (kind == "http" and http_scheme == "basic"):
        return SecurityScheme(name, "basic", description=description)
    return None


def read_requirements(
    value: JsonValue, schemes: frozenset[str], where: Where, diagnostics: Diagnostics
) -> tuple[SecurityRequirement, ...] | None:
    """The alternatives of a `security` list, None where there is none. Names that are not among `schemes` are reported
    and stay: what needs them must not be called with other credentials.
    """
    if not isinstance(value, list):
        return None
    found: list[SecurityRequirement] = []
    for index, entry in enumerate(value):
        if not isinstance(entry, dict):
            diagnostics.add(
                "invalid-security",
                "A security requirement is not a mapping; it is left out.",
                where.inside(index),
                "Write `- name_of_the_scheme: []`.",
            )
            continue
        names = tuple(sorted(name.rpartition("/")[2] if name.startswith("#/") else name for name in entry))
        unknown = [name for name in names if name not in schemes]
        if unknown:
            diagnostics.add(
                "invalid-security",
                f"The security requirement names {', '.join(map(clipped, unknown))}, which is not defined.",
                where.inside(index),
                "Define the security scheme.",
            )
        if names not in found:
            found.append(names)
    return tuple(found)
