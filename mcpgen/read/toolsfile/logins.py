"""`login:` of the tools file: the operation that a credential comes from, and what it is sent.

What cannot be read here the shape of the file has told.
"""

from dataclasses import dataclass

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text


@dataclass(frozen=True, slots=True)
class LoginChoice:
    """Which operation logs in. `fields` are the members of its body: name, role of the variable, and a constant where
    that is empty. `scheme` is the security scheme that the token fills, "" where there is no doubt. `token` and
    `expires` are JSON Pointers into the answer.
    """

    where: Where
    operation: str
    scheme: str
    token: str
    expires: str
    fields: tuple[tuple[str, str, str], ...]


def read(value: JsonValue, where: Where) -> LoginChoice | None:
    """Return what the `login` at `where` says, None where there is none that is whole."""
    raw = as_object(value)
    operation, token = as_text(raw.get("operation")), as_text(raw.get("token"))
    fields = tuple(filter(None, (_field(name, each) for name, each in as_object(raw.get("fields")).items())))
    if not (operation and token and fields):
        return None
    return LoginChoice(where, operation, as_text(raw.get("scheme")), token, as_text(raw.get("expires")), fields)


def _field(name: str, value: JsonValue) -> tuple[str, str, str] | None:
    if isinstance(value, str):
        return (name, value.lower(), "")
    constant: JsonObject = as_object(value)
    return (name, "", as_text(constant["value"])) if "value" in constant else None
