# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Build the `tools/list` entries of the tools that find and call other tools (`--tools search`), and unwrap calls of
`call_tool`.

The compiler writes these entries to the project (`described`), so that the server starts as fast as one that lists all
tools. If tools are hidden from a caller, the runtime makes the entries anew, for the tools that this caller may use.

`call_tool(name, arguments)` is replaced by the inner call before it begins (`inner`). So consent, roles, hooks, audit,
limits and results are those of the inner tool, under its own name. A call that cannot be unwrapped, such as one of an
unknown tool, stays a call of `call_tool`; `search/tools.py` answers it with the reason.
"""

from __future__ import annotations

from ..core.jsonrpc import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Protocol

    class Table(Protocol):
        """Interface of a catalog (`catalog.Catalog`) that this module uses."""

        finders: Mapping[str, str]
        hidden: list[str]
        looker: str
        private: bool
        reader: str

        def has(self, name: str) -> bool:
            """Return True if there is a tool of this name."""

        def resolve_alias(self, name: str) -> str:
            """Return the name of the tool that `name` is an alias of, or `name`."""

        def writes(self, name: str) -> bool:
            """Return True unless the tool only reads."""


SEARCH, DESCRIBE, CALL, CALL_WRITING = "search_tools", "describe_tools", "call_tool", "call_writing_tool"
RUN, RUN_READS = "run_program", "run_reads"
PROGRAMS = (RUN, RUN_READS)
"""Kinds of the tools that run programs written by the model."""

MOST_QUERIES, MOST_NAMES, MOST_ROWS, ROWS = 8, 10, 20, 5
MOST_GROUPS = 25
"""Most groups of tools that a list or an answer names."""

LONGEST_QUERY = 400
"""Longest query, group or name in characters."""

LONGEST_PROGRAM = 20_000
"""Longest program in characters."""

_TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST_QUERY}
_CALLED = {
    "type": "object",
    "properties": {
        "name": {**_TEXT, "description": "Name of the tool."},
        # State `additionalProperties` explicitly: without it, strict modes of some model providers forbid undeclared
        # members.
        "arguments": {"type": "object", "additionalProperties": True, "description": "Arguments of that tool."},
    },
    "required": ["name"],
}
_PROGRAM = {
    "type": "object",
    "properties": {"code": {"type": "string", "minLength": 1, "maxLength": LONGEST_PROGRAM}},
    "required": ["code"],
}
_RUN = (
    "Run Python with {tools} as a function: many steps in one call. You get prints and the last line's value. No await,"
    " files or network. Failed calls raise.{more}"
)


def described(called: Mapping[str, str], groups: Mapping[str, int], others: int, starts: Iterable[str]) -> list[Any]:
    """Return the `tools/list` entries of the tools that find and call other tools.

    `called`: name -> kind of each such tool. `groups`: group -> number of its tools. `others`: number of tools in
    groups that `groups` does not name. `starts`: signatures of the tools that clients probably call first.
    """
    name = {kind: each for each, kind in called.items()}
    count = sum(groups.values()) + others
    missing = "1 tool that is" if count == 1 else f"{count:,} tools that are"
    shown = ", ".join(f"{group} {number}" for group, number in groups.items())
    begin = "".join(f"\n- {each}" for each in starts)
    told = {
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
        RUN: (
            "Run a program",
            _RUN.format(tools="every tool", more=" Users confirm writes where due."),
            _PROGRAM,
            (False, True, True),
        ),
        RUN_READS: (
            "Run a program that reads",
            _RUN.format(tools="every tool that reads", more=""),
            _PROGRAM,
            (True, False, True),
        ),
    }
    brief = any(kind in PROGRAMS for kind in called.values())
    return [_entry(each, *told[kind], brief) for each, kind in called.items()]


def _entry(
    name: str, title: str, says: str, schema: dict[str, Any], hints: tuple[bool, bool, bool], brief: bool
) -> dict[str, Any]:
    """Return the entry of one tool in `tools/list`. `brief`: leave out annotations that repeat other members."""
    reads, destroys, reaches = hints
    told: dict[str, object] = {} if brief else {"title": title}
    told |= {"readOnlyHint": reads, "destructiveHint": destroys}
    told |= {} if brief else {"idempotentHint": reads}
    told["openWorldHint"] = reaches
    return {"name": name, "title": title, "description": says, "inputSchema": schema, "annotations": told}


def inner(catalog: Table, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of the call inside a call of `call_tool`. Return any other call unchanged.

    A call that cannot be unwrapped is returned unchanged too. The inner arguments may be JSON text, as some models send
    them.
    """
    kind = catalog.finders.get(name)
    if kind not in (CALL, CALL_WRITING) or not arguments.keys() <= {"name", "arguments"}:
        return name, arguments
    called, given = arguments.get("name"), arguments.get("arguments")
    if given is None:
        given = {}
    if isinstance(given, str):
        try:
            given, _ = loads(given)
        except ValueError:
            return name, arguments
    if not isinstance(called, str) or not isinstance(given, dict):
        return name, arguments
    called = catalog.resolve_alias(called)
    if called in catalog.finders or not catalog.has(called) or (kind == CALL and catalog.writes(called)):
        return name, arguments
    return called, given
