"""`confirm:` of the tools file: which calls a person is asked about before they are sent."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import get_args

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.model import DESTRUCTIVE, Confirm
from mcpgen.names import clipped

WORDS: Mapping[str, Confirm] = {word: word for word in get_args(Confirm)}
KINDS = ("GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE", DESTRUCTIVE)
_WRITE = "Write `never`, `when-supported` or `always`."


def of_tool(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Confirm | None:
    """What is said of one tool; None where nothing is."""
    value = entry.get("confirm")
    # What is no text was reported with the other keys.
    return _word(value, where.inside("confirm"), diagnostics) if isinstance(value, str) else None


def of_server(server: JsonObject, where: Where, diagnostics: Diagnostics) -> dict[str, Confirm]:
    """What is said of methods, and of all tools that are destructive."""
    found: dict[str, Confirm] = {}
    for kind, value in as_object(server.get("confirm")).items():
        place = where.inside("confirm", kind)
        if kind_of(kind, place, diagnostics) and (word := _word(value, place, diagnostics)):
            found[kind] = word
    return found


def kind_of(key: str, place: Where, diagnostics: Diagnostics) -> str | None:
    """The kind of tools that a key names; None where it names none, which is reported."""
    if key in KINDS:
        return key
    near = get_close_matches(key.upper(), KINDS, 1) or get_close_matches(key, KINDS, 1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Use one of {', '.join(KINDS)}."
    diagnostics.add("unknown-key", f"'{clipped(key)}' is neither a method nor '{DESTRUCTIVE}'.", place, hint)
    return None


def _word(value: JsonValue, where: Where, diagnostics: Diagnostics) -> Confirm | None:
    if isinstance(value, str) and value in WORDS:
        return WORDS[value]
    diagnostics.add("invalid-value", f"'{clipped(str(value))}' does not say when to confirm.", where, _WRITE)
    return None
