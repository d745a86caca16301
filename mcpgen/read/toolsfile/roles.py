"""`roles:` of the tools file: whose operators offer a tool, of one tool or of a kind of them.

What cannot be read here the shape of the file has told.
"""

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.base.names import ROLE
from mcpgen.read.toolsfile.confirmation import KINDS


def of_tool(entry: JsonObject) -> tuple[str, ...] | None:
    """What is said of one tool, an empty list being that it needs none; None where nothing is."""
    return _names(entry.get("roles"))


def of_server(server: JsonObject) -> dict[str, tuple[str, ...]]:
    """What is said of methods, and of all tools that are destructive."""
    found = {kind: _names(value) for kind, value in as_object(server.get("roles")).items() if kind in KINDS}
    return {kind: names for kind, names in found.items() if names is not None}


def _names(value: JsonValue) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(name, str) and ROLE.fullmatch(name) for name in value):
        return tuple(sorted({str(name) for name in value}))
    return None
