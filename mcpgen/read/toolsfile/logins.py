"""Read `login:` of the tools file: the operation that returns a token, and the fields of its request.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from dataclasses import dataclass

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text


@dataclass(frozen=True, slots=True)
class LoginChoice:
    """The operation that logs in, and its request.

    `fields`: members of its body, as (name, role, constant). The role's environment variable gives the value; if the
    role is empty, the constant does. `scheme`: the security scheme that the token is for, or "" if there is only one.
    `token`, `expires` and `csrf`: as in `model.Login`.
    """

    where: Where
    operation: str
    scheme: str
    token: str
    expires: str
    fields: tuple[tuple[str, str, str], ...]
    csrf: tuple[str, str] | tuple[()] = ()


def read(value: JsonValue, where: Where) -> LoginChoice | None:
    """Return the value of `login` at `where`, or None if it is missing or incomplete."""
    raw = as_object(value)
    operation, token = as_text(raw.get("operation")), as_text(raw.get("token"))
    fields = tuple(filter(None, (_field(name, each) for name, each in as_object(raw.get("fields")).items())))
    if not (operation and token and fields):
        return None
    scheme, expires, csrf = as_text(raw.get("scheme")), as_text(raw.get("expires")), as_object(raw.get("csrf"))
    place, header = as_text(csrf.get("from")), as_text(csrf.get("header"))
    return LoginChoice(where, operation, scheme, token, expires, fields, (place, header) if place and header else ())


def _field(name: str, value: JsonValue) -> tuple[str, str, str] | None:
    if isinstance(value, str):
        return (name, value.lower(), "")
    constant: JsonObject = as_object(value)
    return (name, "", as_text(constant["value"])) if "value" in constant else None
