"""Read short settings of one tool, or of all tools: `annotations:`, `timeout:`, `confirm:`, `output:` and others.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Mapping
from typing import get_args

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import ALIAS, clipped
from mcpgen.model import DESTRUCTIVE, Capability, Confirm, Consent, Output, Pages, Redirects
from mcpgen.read.openapi import parameters
from mcpgen.read.toolsfile import schema_check

_REDIRECTS: Mapping[str, Redirects] = {word: word for word in get_args(Redirects)}
_CAPABILITIES: Mapping[str, Capability] = {word: word for word in get_args(Capability)}
_PAGES: Mapping[str, Pages] = {word: word for word in get_args(Pages)}
LONGEST = 3600
"""Longest timeout of one call, in seconds."""
_CONFIRM: Mapping[str, Confirm] = {word: word for word in get_args(Confirm)}
KINDS = ("GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE", DESTRUCTIVE)
_CONSENT: Mapping[str, Consent] = {word: word for word in get_args(Consent)}
_OUTPUTS: Mapping[str, Output] = {word: word for word in get_args(Output)}


# The author of a handwritten tool knows how it behaves, so its hints count as written.
def annotations(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Mapping[str, bool]:
    """Return the tool annotations of a tool in the tools file: name in MCP (such as `readOnlyHint`) → value."""
    found = as_object(entry.get("annotations"))
    if found.get("readOnlyHint") is True and found.get("destructiveHint") is True:
        message = (
            "A tool cannot have both readOnlyHint and destructiveHint: a tool that changes nothing destroys nothing."
        )
        place = where.inside("annotations", "destructiveHint")
        diagnostics.add("invalid-value", message, place, "Leave one of readOnlyHint and destructiveHint out.")
    return {name: value for name, value in found.items() if isinstance(value, bool)}


def headers(root: JsonObject, top: Where, diagnostics: Diagnostics) -> Mapping[str, tuple[str, Where]]:
    """Return the header fields of all requests: name → text and place.

    The text of a secret never comes here: it is left out when the file is read (`document.redaction`).
    """
    found: dict[str, tuple[str, Where]] = {}
    for name, value in as_object(root.get("headers")).items():
        if not isinstance(value, str):
            continue
        where, text = top.inside("headers", name), value
        if not parameters.is_field_name(name):
            reason = "it is not a valid name of a header"
        elif parameters.is_of_http(name):
            reason = "it belongs to HTTP or carries a credential"
        elif not text.strip() or not text.isascii() or not text.isprintable():
            reason = "its text must be printable ASCII characters"
        else:
            found[name] = text.strip(), where
            continue
        diagnostics.add("invalid-value", f"`headers` cannot set '{clipped(name)}': {reason}.", where)
    return found


def timeout(entry: JsonObject) -> float | None:
    """Return how many seconds a call may take, or None if `timeout` is missing."""
    value = entry.get("timeout")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= LONGEST:
        return value
    return None


def logging(entry: JsonObject) -> bool | None:
    """Return whether clients can ask for log messages, or None if `logging` is missing."""
    value = entry.get("logging")
    return value if isinstance(value, bool) else None


def requires(entry: JsonObject) -> tuple[Capability, ...] | None:
    """Return the client capabilities that a tool needs, or None if `requires` is missing."""
    value = entry.get("requires")
    if not isinstance(value, list):
        return None
    return tuple(
        dict.fromkeys(_CAPABILITIES[each] for each in value if isinstance(each, str) and each in _CAPABILITIES)
    )


def redirects(entry: JsonObject) -> Redirects | None:
    """Return which redirects a call follows (`redirects`), or None if the key is missing."""
    value = entry.get("redirects")
    return _REDIRECTS.get(value) if isinstance(value, str) else None


def listed(entry: JsonObject) -> bool | None:
    """Return whether clients see the tool, or None if `listed` is missing."""
    value = entry.get("listed")
    return value if isinstance(value, bool) else None


def lookups(entry: JsonObject) -> bool | None:
    """Return whether a call may give names in place of ids, or None if `lookups` is missing."""
    value = entry.get("lookups")
    return value if isinstance(value, bool) else None


def pages(entry: JsonObject) -> Pages | None:
    """Return whether a call fetches one page or all pages, or None if `pages` is missing."""
    value = entry.get("pages")
    return _PAGES.get(value) if isinstance(value, str) else None


def portable(entry: JsonObject) -> bool | None:
    """Return whether a handwritten schema must work with every client, or None if `portable` is missing."""
    value = entry.get("portable")
    return value if isinstance(value, bool) else None


def confirm(entry: JsonObject) -> Confirm | None:
    """Return when calls of one tool must be confirmed, or None if the tool has no `confirm`."""
    return _word(entry.get("confirm"))


def consent(entry: JsonObject) -> Consent | None:
    """Return how often the user of a workflow is asked, or None if the tool has no `consent`."""
    value = entry.get("consent")
    return _CONSENT.get(value) if isinstance(value, str) else None


def confirm_of_kinds(server: JsonObject) -> dict[str, Confirm]:
    """Return HTTP method → when its calls must be confirmed. The key DESTRUCTIVE stands for all destructive tools."""
    found = {kind: _word(value) for kind, value in as_object(server.get("confirm")).items() if kind in KINDS}
    return {kind: word for kind, word in found.items() if word is not None}


def _word(value: JsonValue) -> Confirm | None:
    return _CONFIRM.get(value) if isinstance(value, str) else None


def output(entry: JsonObject) -> Output | None:
    """Return the value of `output`, the form of results. Return None if it is missing or invalid; `schema_check` has
    reported invalid ones.
    """
    value = entry.get("output")
    return _OUTPUTS.get(value) if isinstance(value, str) else None


def fields(entry: JsonObject) -> bool | None:
    """Return whether calls may select parts of results, or None if `fields` is missing."""
    value = entry.get("fields")
    return value if isinstance(value, bool) else None


def output_schema(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> JsonObject | None:
    """Return the output schema as it was written, or None if there is none."""
    value = entry.get("outputSchema")
    if not isinstance(value, dict):
        return None
    if entry.get("output") == "text":
        message = "A tool with an outputSchema cannot have the output `text`."
        diagnostics.add(
            "invalid-value", message, where.inside("output"), "Leave out either the outputSchema or `output: text`."
        )
    if entry.get("fields") is True:
        message = (
            "A tool with an outputSchema cannot have `fields`: a part of a result would not match the output schema."
        )
        diagnostics.add(
            "invalid-value", message, where.inside("fields"), "Leave out either the outputSchema or `fields`."
        )
    return value


def view(entry: JsonObject) -> JsonObject | None:
    """Return how clients show the results of a tool, or None if `view` is missing."""
    given, keys = as_object(entry.get("view")), schema_check.keys("view")
    found = {key: value for key, value in given.items() if key in keys and schema_check.is_valid("view", key, value)}
    return found if "view" in entry else None


def aliases(entry: JsonObject, where: Where) -> Mapping[str, Where]:
    """Return alias → its place in the tools file, for each alias of a tool. `where`: the place of the tool or
    override.
    """
    place = where.inside("aliases")
    return {
        name: place.inside(index)
        for index, name in enumerate(as_list(entry.get("aliases")))
        if isinstance(name, str) and ALIAS.fullmatch(name)
    }
