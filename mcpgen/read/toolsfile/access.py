"""Read who may use a tool, and with which credentials its requests are sent: `security:`, `scopes:`, `roles:`,
`requires:` and `login:` of the tools file, and `confirm:` of `server:`.

`security:` at the top holds Security Scheme Objects, each with the keys of its kind. OpenAPI's reader accepts
incomplete schemes. Here an incomplete scheme is an error, since every call would fail. `security:` of a tool names
schemes, as in OpenAPI.

`scopes:` are the OAuth scopes that a caller over HTTP needs for a tool or a resource. `roles:` are roles for one tool,
for all tools with a given HTTP method, or for all destructive tools. A tool is offered only if the operator's setting,
or the caller's access token, has one of the roles of the tool. `requires:` are capabilities of the caller's client.

`login:` names the operation that returns a token, and the fields of its request.

Unknown keys and values of the wrong type are skipped here; `schema_check` has already reported them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import ROLE, SCOPE, clipped, did_you_mean, near, nearest
from mcpgen.model import (
    DESTRUCTIVE,
    HTTP_SCHEMES,
    NO_CREDENTIALS,
    UNDECLARED,
    Capability,
    Confirm,
    Login,
    Security,
    SecurityScheme,
)
from mcpgen.read.openapi import content, security
from mcpgen.read.openapi.references import References
from mcpgen.read.toolsfile import schema_check, server


@dataclass(frozen=True, slots=True)
class LoginChoice:
    """The operation that logs in, and its request.

    `scheme`: the security scheme that the token is for, or "" if there is only one. `request`: with "" as its media
    type for that of the operation.
    """

    where: Where
    operation: str
    scheme: str
    request: Login


_DEMANDED = {
    "apiKey": ("in", "name"),
    "http": ("scheme",),
    "oauth2": ("flows",),
    "openIdConnect": ("openIdConnectUrl",),
}
_OF_ALL = ("type", "description")
_FURTHER = {"http": ("bearerFormat",)}
_KINDS = ("GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE", DESTRUCTIVE)
_CONFIRM: Mapping[str, Confirm] = {word: word for word in get_args(Confirm)}


# A person who lists two credentials for one API nearly always means that both are required.
def schemes(
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


def credentials(
    entry: JsonObject, where: Where, schemes: tuple[SecurityScheme, ...], diagnostics: Diagnostics
) -> Security:
    """Return the security of the tool `entry` at `where`. If `security` is an empty list, the requests carry no
    credential.
    """
    value, place = entry.get("security"), where.inside("security")
    if value == "none":
        return NO_CREDENTIALS
    if not isinstance(value, list):
        return UNDECLARED
    names = [scheme.name for scheme in schemes]
    for index, alternative in enumerate(as_list(value)):
        for name in as_object(alternative):
            if names and name not in names:
                message = f"There is no security scheme '{clipped(name)}'."
                diagnostics.add("invalid-value", message, place.inside(index, name), nearest(name, names))
    mappings = [each for each in value if isinstance(each, dict)]
    known = {name for each in mappings for name in each} if names else ()  # the loop above reports unknown names
    found = security.read_security(list(mappings), schemes, known, place, diagnostics)
    return found if found.alternatives else NO_CREDENTIALS


def scopes(entry: JsonObject) -> tuple[str, ...] | None:
    """Return the scopes of one tool, or None if `scopes` is missing. An empty list means that callers need no scope."""
    value = entry.get("scopes")
    if isinstance(value, list) and all(isinstance(scope, str) and SCOPE.fullmatch(scope) for scope in value):
        return tuple(sorted({str(scope) for scope in value}))
    return None


def requires(entry: JsonObject) -> tuple[Capability, ...] | None:
    """Return the client capabilities that a tool needs, or None if `requires` is missing."""
    found = schema_check.valid(entry, ("requires",), "override")
    return tuple(dict.fromkeys(found["requires"])) if found else None


def roles(entry: JsonObject) -> tuple[str, ...] | None:
    """Return the roles for one tool, or None if `roles` is missing. An empty list means that no role is needed."""
    return _roles(entry.get("roles"))


def roles_of_kinds(server: JsonObject) -> dict[str, tuple[str, ...]]:
    """Return HTTP method → roles, one of which is needed to use the tools with this method. The key DESTRUCTIVE stands
    for all destructive tools.
    """
    found = {kind: _roles(value) for kind, value in as_object(server.get("roles")).items() if kind in _KINDS}
    return {kind: names for kind, names in found.items() if names is not None}


def confirm_of_kinds(server: JsonObject) -> dict[str, Confirm]:
    """Return HTTP method → when its calls must be confirmed. The key DESTRUCTIVE stands for all destructive tools."""
    found = ((kind, str(word)) for kind, word in as_object(server.get("confirm")).items() if kind in _KINDS)
    return {kind: _CONFIRM[word] for kind, word in found if word in _CONFIRM}


def _roles(value: JsonValue) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(name, str) and ROLE.fullmatch(name) for name in value):
        return tuple(sorted({str(name) for name in value}))
    return None


# -- login -------------------------------------------------------------------------------------------------------------


_PLACE = re.compile(r"/.*|body:text|(?:header|cookie):.+")
"""Where an answer has a value: a JSON Pointer, the whole text, or the name of a header field or a cookie."""


def read_login(value: JsonValue, where: Where, diagnostics: Diagnostics) -> LoginChoice | None:
    """Return the value of `login` at `where`, or None if it is missing, incomplete or wrong."""
    raw = as_object(value)
    operation, token = as_text(raw.get("operation")), as_text(raw.get("token"))
    fields = tuple(filter(None, (_field(name, each) for name, each in as_object(raw.get("fields")).items())))
    if not (operation and _PLACE.fullmatch(token) and fields):
        return None  # `schema_check` has reported what is missing or wrong
    given = as_object(raw.get("csrf"))
    csrf = as_text(given.get("from")), as_text(given.get("header"))
    kind = as_text(raw.get("content_type")).strip()
    if kind and (not content.is_media_type(kind) or "*" in kind):
        message, hint = f"'{clipped(kind)}' is not a media type.", "Name a media type, such as application/json."
        diagnostics.add("invalid-value", message, where.inside("content_type"), hint)
    for name in _with_fields_inside([each for each, _, _ in fields]):
        message = f"The field '{clipped(name)}' of the login has a value, and fields inside."
        diagnostics.add("invalid-value", message, where.inside("fields", name), "Leave out the value or the fields.")
    further = tuple((name, text) for name, (text, _) in server.headers(raw, where, diagnostics).items())
    request = Login(kind, fields, token, as_text(raw.get("expires")), csrf if all(csrf) else (), further)
    return LoginChoice(where, operation, as_text(raw.get("scheme")), request)


def _with_fields_inside(names: list[str]) -> Iterable[str]:
    """Return the names that are the beginning of another one, which is a JSON Pointer."""
    pointers = {name: name if name.startswith("/") else f"/{name}" for name in names}
    return (name for name, own in pointers.items() if any(each.startswith(f"{own}/") for each in pointers.values()))


def _field(name: str, value: JsonValue) -> tuple[str, str, str] | None:
    if isinstance(value, str):
        return (name, value.lower(), "")
    constant: JsonObject = as_object(value)
    return (name, "", as_text(constant["value"])) if "value" in constant else None
