# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe tools for a model, in a tenth of the tokens of JSON Schema.

A signature lists the required arguments, each with its type unless the type is `str`. Then it lists the names of the
optional arguments, each with `?`. If there are more than three, it lists two of them, preferably those that the query
mentions, and counts the others (`+4?`):

    list_movie_credits(movie_id:int, language?)

A row is a signature and a sentence that says more than the name. A description has a line for each argument, and for
each member of an object:

    get_search_person(
     query: str  // Text to search.
     page?: int=1
    )  // Search for people.
"""

from __future__ import annotations

from ..core.jsonrpc import dumps
from .stems import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MOST_OPTIONAL = 3
"""Maximum number of optional arguments in a signature."""

SHORTEST_STEM = 4
"""Minimum length of a query word for moving an optional argument to the front. It excludes words such as `run`."""

ENOUGH = 3
"""Minimum number of words in a title that replaces the description's first sentence. `Get Details` says too little."""

LONGEST_SENTENCE = 110
LONGEST_LINE = 160
LONGEST_DESCRIPTION = 500
LONGEST_END = 300
LONGEST_ENUM = 120
DEPTH = 2
"""Maximum depth of members below an argument that are described."""

MOST_MEMBERS = 40
MOST_ALTERNATIVES = 4
WRITES = " [writes]"

SHORT = {"string": "str", "integer": "int", "number": "num", "boolean": "bool", "object": "{}", "array": "[]"}
_ENDS = (". ", "\n")


def signature(tool: dict[str, Any], asked: Iterable[str] = ()) -> str:
    """Return the signature of a tool: its name and arguments. `tool`: its entry in `tools/list`.

    `asked`: stems of the query that found the tool. If there is no room for all optional arguments, those that contain
    these stems come first.
    """
    schema = tool.get("inputSchema", {})
    members, required = schema.get("properties", {}), schema.get("required", [])
    parts = [_typed(name, members.get(name, {})) for name in required]
    optional = [name for name in members if name not in required]
    words = [word for word in asked if len(word) >= SHORTEST_STEM]
    if len(optional) > MOST_OPTIONAL:
        first = [name for name in optional if words and _is_spoken_of(name, members[name], words)]
        optional = [*first, *(name for name in optional if name not in first)]
    shown = optional if len(optional) <= MOST_OPTIONAL else optional[: MOST_OPTIONAL - 1]
    parts += [f"{name}?" for name in shown]
    if len(optional) > len(shown):
        parts.append(f"+{len(optional) - len(shown)}?")
    return f"{tool['name']}({', '.join(parts)})"


def _is_spoken_of(name: str, schema: Any, words: list[str]) -> bool:
    """Return True if a word of the query is the beginning of a word in the argument's name or enum values."""
    values = [value for value in _values(schema) if isinstance(value, str)]
    return any(own.startswith(word) for own in stems(" ".join([name, *values])) for word in words)


def _values(schema: Any) -> list[Any]:
    """Return the enum values of a schema, or of the schemas of its items or alternatives."""
    if not isinstance(schema, dict):
        return []
    inside = [schema.get("items"), *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return [*schema.get("enum", ()), *(value for each in inside for value in _values(each))]


def row(tool: dict[str, Any], asked: Iterable[str] = ()) -> str:
    """Return a tool's signature followed by a sentence about it, unless the sentence only spells the tool's name."""
    said = sentence(tool)
    start = f"{signature(tool, asked)}{_mark(tool)}"
    return start if stems(said) == stems(tool["name"]) != [] else f"{start} \u2014 {said}"


def sentence(tool: dict[str, Any], longest: int = LONGEST_SENTENCE) -> str:
    """Return what a tool does in a few words: its title if that has enough words, else the first sentence of its
    description.
    """
    title, text = str(tool.get("title", "")), str(tool.get("description", ""))
    if len(title.partition(" (")[0].split()) >= ENOUGH or not text:
        return _clipped(title, longest)
    text = text.removeprefix("Deprecated. ")
    for end in _ENDS:
        text = text.partition(end)[0]
    return _clipped(text.rstrip("."), longest)


def described(tool: dict[str, Any]) -> str:
    """Return a full description of a tool, with all that a call needs."""
    schema = tool.get("inputSchema", {})
    lines = _members(schema, 1, schema)
    text = _shortened(" ".join(str(tool.get("description", "")).split()))
    body = "\n".join(["(", *lines, ")"]) if lines else "()"
    return f"{tool['name']}{body}{_mark(tool)}  // {text}"


def _shortened(text: str) -> str:
    """Return the beginning of a long description, and a short description unchanged.

    Keep the end of the description too if it is a short list of the response's members: ` Returns {...}`.
    """
    if len(text) <= LONGEST_DESCRIPTION:
        return text
    sketch = max(text.rfind(f" Returns {each}") for each in ("{", "a list of {"))
    end = text[sketch:] if sketch > 0 and len(text) - sketch <= LONGEST_END else ""
    start = text[: LONGEST_DESCRIPTION - len(end)]
    stop = start.rfind(". ")
    kept = start[: stop + 1] if stop > len(start) // 2 else _clipped(text[: len(text) - len(end)], len(start))
    return kept + end


def _mark(tool: dict[str, Any]) -> str:
    return "" if tool.get("annotations", {}).get("readOnlyHint") is True else WRITES


def _members(schema: dict[str, Any], level: int, root: dict[str, Any]) -> list[str]:
    """Return a line for each member of an object, each followed by lines for its own members."""
    required = schema.get("required", [])
    found: list[str] = []
    members = schema.get("properties", {})
    for name, member in list(members.items())[:MOST_MEMBERS]:
        if not isinstance(member, dict):
            continue
        default = f"={_clipped(dumps(member['default']).decode(), 40)}" if "default" in member else ""
        about = _clipped(" ".join(str(member.get("description", "")).split()), LONGEST_LINE)
        mark = "" if name in required else "?"
        line = f"{' ' * level}{name}{mark}: {type_of(member)}{default}"
        found.append(f"{line}  // {about}" if about else line)
        below = _below(member)
        if below.get("properties") and level <= DEPTH:
            found += _members(below, level + 1, root)
    if len(members) > MOST_MEMBERS:
        found.append(f"{' ' * level}// and {len(members) - MOST_MEMBERS} more")
    return found


def _below(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the items of an array; of an array of arrays, that of the innermost items (up to three
    levels). Return any other schema unchanged.
    """
    for _ in range(3):
        items = schema.get("items")
        if not isinstance(items, dict):
            break
        schema = items
    return schema


def _typed(name: str, schema: dict[str, Any]) -> str:
    kind = type_of(schema, short=True)
    return name if kind == "str" else f"{name}:{kind}"


def type_of(schema: Any, short: bool = False) -> str:
    """Return a short notation for the type of a schema's values, such as `int`, `str[]` or `"open"|"closed"`."""
    if not isinstance(schema, dict):
        return "any"
    if "const" in schema:
        return _clipped(dumps(schema["const"]).decode(), 60)
    if "enum" in schema:
        if short:
            return "str"
        return _clipped("|".join(dumps(each).decode() for each in schema["enum"]), LONGEST_ENUM)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            several = dict.fromkeys(type_of(each, short) for each in schema[key])
            return "|".join(several) if len(several) <= MOST_ALTERNATIVES else "any"
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return "|".join(SHORT.get(str(each), str(each)) for each in kinds)
    if kinds == "array":
        return f"{type_of(schema.get('items', {}), short)}[]" if not short else "[]"
    if kinds == "string" and "format" in schema and not short:
        return str(schema["format"]) if str(schema["format"]).startswith("date") else "str"
    return SHORT.get(str(kinds), str(kinds))


def _clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}\u2026"
