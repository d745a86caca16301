"""`confirm:` of the tools file: which calls a person is asked about before they are sent.

What cannot be read here the shape of the file has told.
"""

from collections.abc import Mapping
from typing import get_args

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.model import DESTRUCTIVE, Confirm

WORDS: Mapping[str, Confirm] = {word: word for word in get_args(Confirm)}
KINDS = ("GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE", DESTRUCTIVE)


def of_tool(entry: JsonObject) -> Confirm | None:
    """What is said of one tool; None where nothing is."""
    return _word(entry.get("confirm"))


def of_server(server: JsonObject) -> dict[str, Confirm]:
    """What is said of methods, and of all tools that are destructive."""
    found = {kind: _word(value) for kind, value in as_object(server.get("confirm")).items() if kind in KINDS}
    return {kind: word for kind, word in found.items() if word is not None}


def _word(value: JsonValue) -> Confirm | None:
    return WORDS.get(value) if isinstance(value, str) else None
