"""Read `server:`, `base_url:`, `variables:`, `headers:` and `accounts:` of the tools file: the server and its API."""

import re
from collections.abc import Iterable, Mapping

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import SERVER_NAME, VERSION_NUMBER, clipped, environment_suffix, nearest
from mcpgen.base.runtime import settings_table
from mcpgen.model import Account, GivenVariable, Server, ServerVariable
from mcpgen.read.openapi import parameters, servers
from mcpgen.read.toolsfile import schema_check

_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")
_ACCOUNT = re.compile(r"[a-z][a-z0-9_-]{0,29}")
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


def logging(server: JsonObject) -> bool | None:
    """Return whether clients can ask for log messages, or None if `logging` is missing."""
    value = server.get("logging")
    return value if isinstance(value, bool) else None


Variables = Mapping[str, ServerVariable]
"""Name → Server Variable Object, for the variables of base URLs."""


def variables(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[Variables, tuple[GivenVariable, ...]]:
    """Return the `variables` of the tools file: Server Variable Objects (OpenAPI 3.1, 4.8.6). Also return those that
    are arguments.
    """
    found: dict[str, ServerVariable] = {}
    given: list[GivenVariable] = []
    for name, entry in as_object(value).items():
        raw, place = as_object(entry), where.inside(name)
        is_given = entry == "argument" or raw.get("argument") is True
        enum, text = _texts(raw.get("enum")), as_text(raw.get("description"))
        default = raw.get("default", "" if is_given else None)
        if is_given:
            pattern, is_required = as_text(raw.get("pattern")), raw.get("required") is not False
            given.append(GivenVariable(name, place, enum, pattern, text, as_text(default), is_required))
        if not isinstance(default, str):
            continue  # invalid variable, skipped: schema_check has already reported it
        if enum and default not in enum and "default" in raw:
            message = f"The default of '{clipped(name)}' is not one of its values."
            diagnostics.add("invalid-value", message, place.inside("default"), nearest(default, list(enum)))
        found[name] = ServerVariable(name, default, enum, text)
    return found, tuple(given)


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


def headers(root: JsonObject, top: Where, diagnostics: Diagnostics) -> Mapping[str, tuple[str, Where]]:
    """Return the header fields of all requests: name → text and place.

    The text of a secret never comes here: it is left out when the file is read (`document.redaction`).
    """
    found: dict[str, tuple[str, Where]] = {}
    for name, value in as_object(root.get("headers")).items():
        if not isinstance(value, str):
            continue
        where, text, hint = top.inside("headers", name), value, ""
        if not parameters.is_field_name(name):
            reason = "it is not a valid name of a header"
        elif parameters.is_of_http(name):
            reason = "it belongs to HTTP or carries a credential"
            hint = "Leave it out. Describe a credential under `security`."
        elif not text.strip() or not text.isascii() or not text.isprintable():
            reason = "its text must be printable ASCII characters"
        else:
            found[name] = text.strip(), where
            continue
        diagnostics.add("invalid-value", f"`headers` cannot set '{clipped(name)}': {reason}.", where, hint)
    return found


def accounts(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[Account, ...]:
    """Return the accounts at `where`. Report names that cannot be used, and prefixes that cannot be told apart."""
    found: list[Account] = []
    for name, entry in as_object(value).items():
        raw, place = as_object(entry), where.inside(name)
        prefix = raw.get("prefix", environment_suffix(name))
        if not isinstance(prefix, str) or not schema_check.is_valid("account", "prefix", prefix):
            continue  # schema_check has already reported it
        if not _ACCOUNT.fullmatch(name):
            message = f"'{clipped(name)}' cannot be the name of an account."
            hint = "Use at most 30 lower-case letters, digits, hyphens and underscores, beginning with a letter."
            diagnostics.add("invalid-name", message, place, hint)
        elif taken := _taken(prefix, found):
            message = f"The variables of the account '{clipped(name)}' cannot be told apart from those of {taken}."
            diagnostics.add("invalid-value", message, place, "Write another `prefix`, such as EU.")
        else:
            fields = {field: text for field, (text, _) in headers(raw, place, diagnostics).items()}
            found.append(Account(name, prefix, place, as_text(raw.get("description")), fields))
    return tuple(found)


def _taken(prefix: str, others: list[Account]) -> str:
    """Return whose environment variables begin as those of an account with `prefix`, or ""."""
    for other in others:
        if f"{prefix}_".startswith(f"{other.prefix}_") or f"{other.prefix}_".startswith(f"{prefix}_"):
            return f"the account '{other.name}'"
    names = [row.name for row in settings_table.SETTINGS] + ["VAR_"]
    return "the server" if any(f"{name}_".startswith(f"{prefix}_") for name in names) else ""
