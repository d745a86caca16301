"""Read `output:`, `outputSchema:` and `fields:` of the tools file, for a server or a tool."""

from collections.abc import Mapping
from typing import get_args

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model import Output

_WORDS: Mapping[str, Output] = {word: word for word in get_args(Output)}


def output(entry: JsonObject) -> Output | None:
    """Return the value of `output`, the form of results. Return None if it is missing or invalid; `schema_check` has
    reported invalid ones.
    """
    value = entry.get("output")
    return _WORDS.get(value) if isinstance(value, str) else None


def fields(entry: JsonObject) -> bool | None:
    """Return whether calls may select parts of results, or None if `fields` is missing."""
    value = entry.get("fields")
    return value if isinstance(value, bool) else None


def schema(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> JsonObject | None:
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
