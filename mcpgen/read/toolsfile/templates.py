"""Parse texts with placeholders into `Template`s, which the compiler writes into the JSON files of the server.

`{name}` as a whole text is the argument's value with its JSON type; inside other text, the value is inserted as text.
`{{` and `}}` stand for braces. In texts about results, `{/pointer}` is a value of the response.
"""

import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Part, Template

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_NONE = "Describe the argument under `arguments`, or in an inputSchema."
_HINT = "Write {name} for an argument, {{ and }} for braces."


def text(
    value: str, where: Where, diagnostics: Diagnostics, known: list[str] | None = None, *, pointers: bool = False
) -> tuple[Part, ...]:
    """Return the parts of a text: literal texts, adjacent ones joined, and placeholders.

    A lone brace, a placeholder without a name, and a name that is not in `known` (if given) are reported as errors.
    """
    parts: list[Part] = []
    for piece in _PIECE.finditer(value):
        name = piece[1]
        if name is not None:
            is_place = bool(name) and (pointers or not name.startswith("/"))
            if not is_place:
                message = f"'{clipped(piece[0])}' is not the name of an argument."
                diagnostics.add("invalid-value", message, where, _HINT)
                return ()
            if known is not None and name not in known:
                message = f"There is no argument '{clipped(name)}'."
                diagnostics.add("invalid-value", message, where, nearest(name, known) or _NONE)
            parts.append({"pointer" if name.startswith("/") else "argument": name})
        elif piece[0] in ("{", "}"):
            message = f"'{clipped(value)}' contains a single brace."
            diagnostics.add("invalid-value", message, where, _HINT)
            return ()
        else:
            literal = piece[0][0] if piece[0] in ("{{", "}}") else piece[0]
            parts[-1:] = [parts[-1] + literal] if parts and isinstance(parts[-1], str) else [*parts[-1:], literal]
    return tuple(parts)


def template(value: JsonValue, where: Where, diagnostics: Diagnostics, known: list[str]) -> Template:
    """Return a JSON value as a template. Texts in it may contain placeholders for the `known` arguments.

    A value without placeholders becomes one constant.
    """
    if isinstance(value, str):
        return _of_text(text(value, where, diagnostics, known))
    if isinstance(value, list):
        items = [template(item, where.inside(index), diagnostics, known) for index, item in enumerate(value)]
        if all("value" in item for item in items):
            return {"value": [item["value"] for item in items]}
        return {"items": list[JsonValue](items)}
    if isinstance(value, dict):
        if list(value.values()) == [None] and set(value) <= set(known):
            name = next(iter(value))
            message = f"Without quotes, YAML reads {{{clipped(name)}}} as a mapping."
            diagnostics.add("invalid-value", message, where, f"Write '{{{clipped(name)}}}'.")
        members = {name: template(member, where.inside(name), diagnostics, known) for name, member in value.items()}
        if all("value" in member for member in members.values()):
            return {"value": {name: member["value"] for name, member in members.items()}}
        return {"members": dict[str, JsonValue](members)}
    return {"value": value}


def _of_text(parts: tuple[Part, ...]) -> Template:
    if len(parts) == 1 and isinstance(parts[0], dict):
        return parts[0]
    if all(isinstance(part, str) for part in parts):
        return {"value": "".join(map(str, parts))}
    return {"text": list[JsonValue](parts)}


def places(parts: tuple[Part, ...], kind: str) -> Iterator[str]:
    """Yield the names or pointers of the placeholders of one `kind`: `argument` or `pointer`."""
    yield from (str(part[kind]) for part in parts if isinstance(part, dict) and kind in part)
