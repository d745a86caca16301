"""Write the tool list of a server with `--tools search`: the search tools, and the tools that the project's owner keeps
listed (`pin`).

The server sends the list unchanged, so it starts as fast as a server that lists all tools. If some tools are hidden
from a caller, the runtime makes the list itself (`runtime/core/search_listing.py`). Its texts are the same, but count
and name only the tools that this caller may use. A test compares the two implementations.
"""

from collections.abc import Iterable, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue

SEARCH, DESCRIBE, CALL, CALL_WRITING = "search_tools", "describe_tools", "call_tool", "call_writing_tool"
FINDERS = (SEARCH, DESCRIBE, CALL, CALL_WRITING)

MOST_QUERIES, MOST_NAMES, MOST_ROWS, ROWS = 8, 10, 20, 5
LONGEST_QUERY = 400
"""Limit on the characters of a query, a group or a name in calls of the search tools."""

_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": LONGEST_QUERY}
_CALLED: JsonObject = {
    "type": "object",
    "properties": {
        "name": {**_TEXT, "description": "Name of the tool."},
        # State `additionalProperties` explicitly: without it, strict modes of some model providers forbid undeclared
        # members.
        "arguments": {"type": "object", "additionalProperties": True, "description": "Arguments of that tool."},
    },
    "required": ["name"],
}


def entries(
    called: Mapping[str, str], groups: Mapping[str, int], others: int, starts: Iterable[str]
) -> list[JsonValue]:
    """Return the entries of the search tools in `tools/list`.

    `called`: name of a search tool → what it does. `groups`: group → number of its tools. `others`: number of tools in
    groups that are not listed. `starts`: signatures of the tools that clients probably call first.
    """
    name = {kind: each for each, kind in called.items()}
    count = sum(groups.values()) + others
    missing = "1 tool that is" if count == 1 else f"{count:,} tools that are"
    shown = ", ".join(f"{group} {number}" for group, number in groups.items())
    begin = "".join(f"\n- {each}" for each in starts)
    told: dict[str, tuple[str, str, JsonObject, tuple[bool, bool, bool]]] = {
        SEARCH: (
            "Find tools",
            f"This server has {missing} not listed here. Find them by what they do: several queries in"
            f" one call, one for each step of the task. Each answer has signatures; the best hit is described. Call"
            f" tools marked [writes] with {name[CALL_WRITING]}, and all others with {name[CALL]}."
            + (f"\nOften first:{begin}" if begin else "")
            + f"\nGroups: {shown}{', and smaller ones' if others else ''}.",
            {
                "type": "object",
                "properties": {
                    "queries": {
                        "type": "array",
                        "items": _TEXT,
                        "minItems": 1,
                        "maxItems": MOST_QUERIES,
                        "description": 'What a tool should do, such as "list open issues of a repository".',
                    },
                    "group": {**_TEXT, "description": "Only tools of this group."},
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST_ROWS,
                        "default": ROWS,
                        "description": "Tools for each query.",
                    },
                },
                "required": ["queries"],
            },
            (True, False, False),
        ),
        DESCRIBE: (
            "Describe tools",
            "Show what tools do, and all of their arguments.",
            {
                "type": "object",
                "properties": {"names": {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": MOST_NAMES}},
                "required": ["names"],
            },
            (True, False, False),
        ),
        CALL: ("Call a tool that reads", "Call a tool that only reads.", _CALLED, (True, False, True)),
        CALL_WRITING: (
            "Call a tool that writes",
            "Call a tool that creates, changes or deletes something.",
            _CALLED,
            (False, True, True),
        ),
    }
    return [_entry(each, *told[kind]) for each, kind in called.items()]


def _entry(name: str, title: str, says: str, schema: JsonObject, hints: tuple[bool, bool, bool]) -> JsonObject:
    reads, destroys, reaches = hints
    return {
        "name": name,
        "title": title,
        "description": says,
        "inputSchema": schema,
        "annotations": {
            "title": title,
            "readOnlyHint": reads,
            "destructiveHint": destroys,
            "idempotentHint": reads,
            "openWorldHint": reaches,
        },
    }
