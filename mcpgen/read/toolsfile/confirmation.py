"""Read `confirm:` of the tools file: which calls need a person's confirmation.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Mapping
from typing import get_args

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.model import DESTRUCTIVE, Confirm

WORDS: Mapping[str, Confirm] = {word: word for word in get_args(Confirm)}
KINDS = ("GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE", DESTRUCTIVE)


def of_tool(entry: JsonObject) -> Confirm | None:
    """Return when calls of one tool must be confirmed, or None if the tool has no `confirm`."""
    return _word(entry.get("confirm"))


def of_server(server: JsonObject) -> dict[str, Confirm]:
    """Return HTTP method → when its calls must be confirmed. The key DESTRUCTIVE stands for all destructive tools."""
    found = {kind: _word(value) for kind, value in as_object(server.get("confirm")).items() if kind in KINDS}
    return {kind: word for kind, word in found.items() if word is not None}


def _word(value: JsonValue) -> Confirm | None:
    return WORDS.get(value) if isinstance(value, str) else None
