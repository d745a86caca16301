"""Read `security:` at the top of the tools file: Security Scheme Objects, each with the keys of its kind.

OpenAPI's reader accepts incomplete schemes. Here an incomplete scheme is an error, since every call would fail.
`schema_check` has already reported unknown keys and values of the wrong type.
"""

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.names import clipped, did_you_mean, near
from mcpgen.model import HTTP_SCHEMES, SecurityScheme
from mcpgen.read.openapi import security
from mcpgen.read.openapi.references import References
from mcpgen.read.toolsfile import schema_check

_DEMANDED = {
    "apiKey": ("in", "name"),
    "http": ("scheme",),
    "oauth2": ("flows",),
    "openIdConnect": ("openIdConnectUrl",),
}
_OF_ALL = ("type", "description")
_FURTHER = {"http": ("bearerFormat",)}


# A person who lists two credentials for one API nearly always means that both are required.
def read(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics
) -> tuple[SecurityScheme, ...]:
    """Return the schemes at `where`. A scheme with an error is `unknown`, so that its name stays known."""
    entries = {name: entry for name, entry in as_object(value).items() if isinstance(entry, dict)}
    whole: JsonObject = {
        name: entry for name, entry in entries.items() if _is_whole(name, entry, where.inside(name), diagnostics)
    }
    found = security.read_schemes(whole, where, references, diagnostics)
    others = (SecurityScheme(name, unsent="unknown") for name in entries if name not in whole)
    return tuple(sorted((*found, *others), key=lambda scheme: scheme.name))


def _is_whole(name: str, entry: JsonObject, where: Where, diagnostics: Diagnostics) -> bool:
    kind = as_text(entry.get("type"))
    if kind not in _DEMANDED:
        return False  # invalid type, skipped: schema_check has already reported it
    known = (*_OF_ALL, *_DEMANDED[kind], *_FURTHER.get(kind, ()))
    before = len(diagnostics)
    for key in _DEMANDED[kind]:
        # schema_check has already reported a misspelt key, so the key that it resembles is not reported as missing
        misspelt = any(key in near(other, known) for other in entry if other not in known)
        if (key not in entry and not misspelt) or entry.get(key) == "":
            message = f"The {kind} scheme '{clipped(name)}' lacks the key '{key}'."
            diagnostics.add("missing-key", message, where, schema_check.described("security_scheme", key))
    for key in schema_check.keys("security_scheme"):
        if key in entry and key not in known:
            message = f"The {kind} scheme '{clipped(name)}' cannot have the key '{key}'."
            diagnostics.add("unknown-key", message, where.inside(key), f"Use one of {', '.join(known)}.")
    scheme = entry.get("scheme")
    if kind == "http" and isinstance(scheme, str) and scheme and scheme.casefold() not in HTTP_SCHEMES:
        message = f"The HTTP scheme '{clipped(scheme)}' of the security scheme '{clipped(name)}' is not supported."
        hint = did_you_mean(near(scheme, [*HTTP_SCHEMES])) or f"Use one of {', '.join(HTTP_SCHEMES)}."
        diagnostics.add("invalid-value", message, where.inside("scheme"), hint)
    return len(diagnostics) == before and _can_be_read(kind, entry)


def _can_be_read(kind: str, entry: JsonObject) -> bool:
    """Return True if the keys that this kind of scheme needs have valid values.

    `schema_check` has reported invalid values.
    """
    if kind == "apiKey" and entry.get("in") not in ("header", "query", "cookie"):
        return False
    return all(as_text(entry.get(key)) or isinstance(entry.get(key), dict) for key in _DEMANDED[kind])
