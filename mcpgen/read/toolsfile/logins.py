"""Read `login:` of the tools file: the operation that returns a token, and the fields of its request.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.read.openapi import content
from mcpgen.read.toolsfile import settings


@dataclass(frozen=True, slots=True)
class LoginChoice:
    """The operation that logs in, and its request.

    `scheme`: the security scheme that the token is for, or "" if there is only one. `content_type`: "" for that of the
    operation. The other attributes: as in `model.Login`.
    """

    where: Where
    operation: str
    scheme: str
    token: str
    expires: str
    fields: tuple[tuple[str, str, str], ...]
    csrf: tuple[str, str] | tuple[()]
    content_type: str
    headers: tuple[tuple[str, str], ...]


def read(value: JsonValue, where: Where, diagnostics: Diagnostics) -> LoginChoice | None:
    """Return the value of `login` at `where`, or None if it is missing or incomplete."""
    raw = as_object(value)
    operation, token = as_text(raw.get("operation")), as_text(raw.get("token"))
    fields = tuple(filter(None, (_field(name, each) for name, each in as_object(raw.get("fields")).items())))
    if not (operation and token and fields):
        return None
    scheme, expires, csrf = as_text(raw.get("scheme")), as_text(raw.get("expires")), as_object(raw.get("csrf"))
    place, header = as_text(csrf.get("from")), as_text(csrf.get("header"))
    kind = as_text(raw.get("content_type")).strip()
    if kind and (not content.is_media_type(kind) or "*" in kind):
        message, hint = f"'{clipped(kind)}' is not a media type.", "Name a media type, such as application/json."
        diagnostics.add("invalid-value", message, where.inside("content_type"), hint)
    for name in _with_fields_inside([each for each, _, _ in fields]):
        message = f"The field '{clipped(name)}' of the login has a value, and fields inside."
        diagnostics.add("invalid-value", message, where.inside("fields", name), "Leave out the value or the fields.")
    further = tuple((name, text) for name, (text, _) in settings.headers(raw, where, diagnostics).items())
    return LoginChoice(
        where, operation, scheme, token, expires, fields, (place, header) if place and header else (), kind, further
    )


def _with_fields_inside(names: list[str]) -> Iterable[str]:
    """Return the names that are the beginning of another one, which is a JSON Pointer."""
    pointers = {name: name if name.startswith("/") else f"/{name}" for name in names}
    return (name for name, own in pointers.items() if any(each.startswith(f"{own}/") for each in pointers.values()))


def _field(name: str, value: JsonValue) -> tuple[str, str, str] | None:
    if isinstance(value, str):
        return (name, value.lower(), "")
    constant: JsonObject = as_object(value)
    return (name, "", as_text(constant["value"])) if "value" in constant else None
