"""Read `server:`, `base_url:` and `variables:` of the tools file: the server's name, and the URL of its API."""

import re
from collections.abc import Iterable, Mapping

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import SERVER_NAME, VERSION_NUMBER, clipped, nearest
from mcpgen.model import GivenVariable, Server, ServerVariable
from mcpgen.read.openapi import servers

_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")
_DECLARE = "Declare the variable under `variables`, with a default."


def name(server: JsonObject) -> str | None:
    """Return the server's name. Return None if it is missing or invalid; `schema_check` has reported invalid ones."""
    found = server.get("name")
    return found if isinstance(found, str) and SERVER_NAME.fullmatch(found) else None


def version(server: JsonObject, where: Where, diagnostics: Diagnostics) -> str:
    """Return the server's version, or "" if it is missing or no version of a Python package."""
    found = as_text(server.get("version"))
    if not found or VERSION_NUMBER.fullmatch(found):
        return found
    message = f"'{clipped(found)}' cannot be the version of a Python package."
    diagnostics.add("invalid-value", message, where.inside("version"), "Write a version such as 1.2.3.")
    return ""


Variables = Mapping[str, ServerVariable]
"""Name → Server Variable Object, for the variables of base URLs."""


def variables(value: JsonValue, where: Where, diagnostics: Diagnostics) -> Variables:
    """Return the `variables` of the tools file: Server Variable Objects (OpenAPI 3.1, 4.8.6)."""
    found: dict[str, ServerVariable] = {}
    for name, entry in as_object(value).items():
        raw = as_object(entry)
        enum = _texts(raw.get("enum"))
        default = raw.get("default")
        if not isinstance(default, str):
            continue  # invalid variable, skipped: schema_check has already reported it
        if enum and default not in enum:
            message = f"The default of '{clipped(name)}' is not one of its values."
            place = where.inside(name, "default")
            diagnostics.add("invalid-value", message, place, nearest(default, list(enum)))
        found[name] = ServerVariable(name, default, enum, as_text(raw.get("description")))
    return found


def given_variables(value: JsonValue, where: Where) -> tuple[GivenVariable, ...]:
    """Return the `variables` of the tools file that are arguments, those of documents too."""
    found = []
    for name, entry in as_object(value).items():
        raw = as_object(entry)
        if entry == "argument" or raw.get("argument") is True:
            enum, pattern, text = _texts(raw.get("enum")), as_text(raw.get("pattern")), as_text(raw.get("description"))
            found.append(GivenVariable(name, where.inside(name), enum, pattern, text, raw.get("required") is not False))
    return tuple(found)


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(each for each in as_list(value) if isinstance(each, str))


def report_unused(variables: Iterable[str], urls: Iterable[JsonValue], where: Where, diagnostics: Diagnostics) -> None:
    """Report each of the `variables` declared at `where` that no base URL uses."""
    used = {name for url in urls for name in _PLACEHOLDER.findall(as_text(url))}
    for name in variables:
        if name not in used:
            message = f"No base URL has the variable '{clipped(name)}'."
            hint = f"Write {{{clipped(name)}}} into the `base_url`, or remove the variable."
            diagnostics.add("unused-variable", message, where.inside(name), hint)


def base_url(
    value: JsonValue, where: Where, diagnostics: Diagnostics, known: Variables | None = None
) -> tuple[Server, ...]:
    """Return a base URL as a list of one server with the variables that it uses, or [] if the URL is unusable.

    `known`: the declared variables.
    """
    if not isinstance(value, str):
        return ()
    url, declared = value.strip(), known or {}
    used = list(dict.fromkeys(_PLACEHOLDER.findall(url)))
    for name in (name for name in used if name not in declared):
        message = f"The base URL has a variable '{clipped(name)}', which is not declared."
        diagnostics.add("invalid-value", message, where, nearest(name, list(declared)) or _DECLARE)
        return ()
    server = Server(url, tuple(declared[name] for name in used))
    address = servers.with_defaults(server)
    reason = servers.refusal(address) or ("" if "//" in address else "it is not absolute")
    if not reason:
        return (server,)
    shown = "" if "@" in url else f" '{clipped(url)}'"  # the message must not repeat a password in the URL
    message = f"The base URL{shown} cannot be used: {reason}."
    diagnostics.add("invalid-value", message, where, "Write a URL such as https://api.example.com/v1.")
    return ()
