"""`server:` and `base_url:` of the tools file: what the server is called, and where its API is."""

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.jsonvalue import JsonObject, JsonValue, as_text
from mcpgen.model import Server
from mcpgen.names import SERVER_NAME, VERSION_NUMBER, clipped
from mcpgen.openapi import servers


def name(server: JsonObject) -> str | None:
    """The name; None where there is none, or one that the shape of the file has told."""
    found = server.get("name")
    return found if isinstance(found, str) and SERVER_NAME.fullmatch(found) else None


def version(server: JsonObject, where: Where, diagnostics: Diagnostics) -> str:
    """The version, empty where there is none that a Python package can have."""
    found = as_text(server.get("version"))
    if not found or VERSION_NUMBER.fullmatch(found):
        return found
    message = f"'{clipped(found)}' cannot be the version of a Python package."
    diagnostics.add("invalid-value", message, where.inside("version"), "Write it as 1.2.3.")
    return ""


def base_url(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[Server, ...]:
    """The base URL as a server; nothing where there is none that can be used."""
    if not isinstance(value, str):
        return ()
    url = value.strip()
    reason = servers.refusal(url) or ("" if "//" in url else "it is not absolute")
    if not reason:
        return (Server(url),)
    shown = "" if "@" in url else f" '{clipped(url)}'"  # a password is not repeated
    message = f"The base URL{shown} cannot be used: {reason}."
    diagnostics.add("invalid-value", message, where, "Write it as https://api.example.com/v1.")
    return ()
