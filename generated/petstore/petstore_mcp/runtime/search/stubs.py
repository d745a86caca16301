# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe tools as typed Python functions. A model-written program is checked against these functions before it runs.

The model and the type checker read the same text. A schema that Python's types cannot express becomes `Any`, so that no
correct program is refused. The arguments of each call are also checked by their schema. An object without additional
properties becomes a TypedDict, so that a misspelt member is an error.

Required arguments come first, in the order of the schema, and may be given by position. Optional arguments are given by
name.
"""

from __future__ import annotations

import builtins
import re
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HEAD = "from typing import Any, Literal, NotRequired, TypedDict\n"
MOST_LITERALS = 60
MOST_ALTERNATIVES = 6
DEPTH = 6
"""Maximum depth of nested objects that get a class of their own."""

OWN = "__mcp_"
"""Prefix of names that this server defines in programs. No function of a tool has it."""

_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_TAKEN = frozenset({*dir(builtins), "Any", "Literal", "NotRequired", "TypedDict"})
_NO_NAME = re.compile(r"[^A-Za-z0-9_]")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


# No coroutines: one that is never awaited makes no call, although the program looks as if it did
# (docs/decisions/search.md).
class Function:
    """A tool as a Python function that a model's program can call.

    - `parameters`: maps each name in Python to the name of the argument.
    - `required`: names in Python of the required parameters. Only these parameters may be positional.
    - `line`: the `def` line. `classes`: definitions of the types in this line.
    """

    __slots__ = ("classes", "form", "line", "name", "parameters", "required", "tool")

    def __init__(self, name: str, entry: dict[str, Any], form: str = "", taken: set[str] | None = None) -> None:
        """Create the function for an entry of `tools/list`. `form`: how the result is wrapped (words.OutputForm).

        `taken` holds the class names of other functions; this function's class names are added.
        """
        self.name = name
        self.form = form
        self.tool = str(entry["name"])
        schema = entry.get("inputSchema", {})
        members = schema.get("properties", {})
        self.required = [each for each in schema.get("required", ()) if each in members]
        names = [*self.required, *(each for each in members if each not in self.required)]
        self.parameters = dict(zip(spelled(names), names, strict=True))
        types = _Types("".join(part[:1].upper() + part[1:] for part in name.split("_")), taken)
        parts = []
        for place, (each, argument) in enumerate(self.parameters.items()):
            kind = types.of(members[argument], each)
            if place == len(self.required):
                parts.append("*")
            parts.append(f"{each}: {kind}{'' if place < len(self.required) else ' = ...'}")
        self.required = list(self.parameters)[: len(self.required)]
        types.told = form in ("", "written")
        result = types.of(_unwrapped(entry.get("outputSchema", True), form), "result")
        self.line = f"def {name}({', '.join(parts)}) -> {result}: ..."
        self.classes = types.written

    @property
    def stub(self) -> str:
        """Return the definitions of the function and of all types that it uses."""
        return "\n".join([*self.classes, self.line])

    def arguments(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of the tool, as JSON values. Raise TypeError with a description if they are wrong."""
        if len(given) > len(self.required):
            raise TypeError(f"{self.name} takes {len(self.required)} arguments by position, and got {len(given)}")
        found = dict(zip(self.required, given, strict=False))
        for name, value in named.items():
            if name not in self.parameters:
                raise TypeError(f"{self.name} has no argument {name[:64]!r}")
            if name in found:
                raise TypeError(f"{self.name} got the argument {name!r} twice")
            found[name] = value
        return {self.parameters[name]: as_json(value) for name, value in found.items()}


class _Types:
    """Types that one function uses. `written` holds definitions of its classes, each after those that it uses.

    `told`: True if null in a schema becomes `None`. It is False for a schema derived from the API's response schema,
    where null was added to every type.
    """

    def __init__(self, prefix: str, taken: set[str] | None) -> None:
        self.written: list[str] = []
        self.told = True
        self._prefix = prefix
        self._names = set() if taken is None else taken

    def of(self, schema: Any, role: str, depth: int = 0) -> str:
        """Return the Python type for a schema. `role`: part of the class name, if the type needs a class."""
        if not isinstance(schema, dict) or "allOf" in schema or "$ref" in schema:
            return "Any"
        if "const" in schema or "enum" in schema:
            return _literal(schema.get("enum", [schema.get("const")]), schema)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return _union(self.of(each, f"{role}_{number}", depth) for number, each in enumerate(schema[key], 1))
        kinds = schema.get("type")
        if isinstance(kinds, list):
            kinds = kinds if self.told else [kind for kind in kinds if kind != "null"] or kinds
            return _union(self.of({**schema, "type": kind}, role, depth) for kind in kinds)
        if kinds == "array":
            return f"list[{self.of(schema.get('items', True), role, depth)}]"
        if kinds == "object":
            return self._object(schema, role, depth)
        return _SIMPLE.get(str(kinds), "Any")

    def _object(self, schema: dict[str, Any], role: str, depth: int) -> str:
        members, more = schema.get("properties"), schema.get("additionalProperties", False)
        if not members or more is not False or depth >= DEPTH:
            return f"dict[str, {self.of(more, role, depth + 1) if more and not members else 'Any'}]"
        name = self._named(role)
        required = schema.get("required", ())
        types = {key: self.of(member, f"{role}_{key}", depth + 1) for key, member in members.items()}
        total = any(key in required for key in types)
        if total:
            types = {key: kind if key in required else f"NotRequired[{kind}]" for key, kind in types.items()}
        if all(key.isidentifier() and key.isascii() and not iskeyword(key) for key in types):
            lines = "\n".join(f"    {key}: {kind}" for key, kind in types.items())
            self.written.append(f"class {name}(TypedDict{'' if total else ', total=False'}):\n{lines}")
        else:
            inner = ", ".join(f"{key!a}: {kind}" for key, kind in types.items())
            self.written.append(f"{name} = TypedDict({name!a}, {{{inner}}}{'' if total else ', total=False'})")
        return name

    def _named(self, role: str) -> str:
        words = "".join(part[:1].upper() + part[1:] for part in _NO_NAME.sub("_", role).split("_"))
        name, number = f"{self._prefix}{words}"[:80], 2
        while name in self._names or name in _TAKEN:
            name, number = f"{self._prefix}{words}"[:80] + str(number), number + 1
        self._names.add(name)
        return name


def spelled(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return each name as a valid and unique Python identifier. A number is added if two would be the same."""
    found: list[str] = []
    used = set(taken)
    for name in names:
        plain = _NO_NAME.sub("_", name) or "_"
        plain = f"tool{plain}" if plain.startswith(OWN) else plain
        plain = f"_{plain}" if plain[0].isdigit() else f"{plain}_" if iskeyword(plain) or plain in used else plain
        free, number = plain, 2
        while free in used:
            free, number = f"{plain}_{number}", number + 1
        used.add(free)
        found.append(free)
    return found


def functions(names: Iterable[str]) -> dict[str, str]:
    """Return a mapping from function names to tool names. No function has the name of a builtin."""
    ordered = sorted(names)
    return dict(zip(spelled(ordered, _TAKEN), ordered, strict=True))


def define(runs: str, others: str, spelled: Mapping[str, str], tools: Sequence[tuple[dict[str, Any], str, int]]) -> str:
    """Return the Python function definitions of these tools, as text for the model. `runs` is the name of the tool that
    runs a model's program.

    - `spelled`: maps the name of each tool to the name of its function.
    - `tools`: entries of `tools/list`, each with how its result is wrapped (words.OutputForm), and the maximum number
      of characters for its types. Longer types are left out.
    - `others`: phrase for found tools that programs may call too, but that are not in `tools`, such as "tools above";
      "" if there are none.
    """
    if not tools:
        return f"\n\nFunctions for {runs} are the {others}."
    lines, taken = [f"\n\nFunctions for {runs}{others and f' (so are the other {others})'}:"], set[str]()
    for tool, form, longest in tools:
        function = Function(spelled[tool["name"]], tool, form, taken)
        lines += function.classes if len("\n".join(function.classes)) <= longest else []
        lines.append(function.line)
    return "\n".join(lines)


def words(code: str) -> set[str]:
    """Return all names that occur in a model's program. The program is not parsed, so this takes linear time."""
    return set(_WORD.findall(code))


MOST_NESTED = 60


def as_json(value: Any, depth: int = 0) -> Any:
    """Return a value of a model's program as a JSON value. Raise TypeError if JSON cannot express it."""
    if depth > MOST_NESTED:
        raise TypeError(f"a value is nested more than {MOST_NESTED} levels deep")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        if value != value or value in (float("inf"), float("-inf")):
            raise TypeError(f"JSON has no number {value}")
        return value
    if isinstance(value, dict):
        if strange := next((key for key in value if not isinstance(key, str)), None):
            raise TypeError(f"a member of an object is named by a text, not by {str(strange)[:64]}")
        return {key: as_json(member, depth + 1) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(each, depth + 1) for each in value]
    if isinstance(value, (set, frozenset)):
        return [as_json(each, depth + 1) for each in sorted(value, key=str)]
    if hasattr(value, "isoformat"):  # dates and times become text in ISO 8601
        return str(value.isoformat())
    raise TypeError(f"a value of the type {type(value).__name__} cannot be written as JSON")


def _literal(values: Any, schema: dict[str, Any]) -> str:
    if not isinstance(values, list) or not values or len(values) > MOST_LITERALS:
        return _SIMPLE.get(str(schema.get("type")), "Any")
    if not all(each is None or isinstance(each, (bool, int, str)) for each in values):
        return "Any"
    return f"Literal[{', '.join(ascii(each) for each in values)}]"


def _union(kinds: Iterable[str]) -> str:
    several = list(dict.fromkeys(kinds))
    return "Any" if "Any" in several or len(several) > MOST_ALTERNATIVES else " | ".join(several)


def _unwrapped(schema: Any, form: str) -> Any:
    """Return the schema of the value in a result, without the wrapper `items` or `value`."""
    member = {"items": "items", "value": "value"}.get(form)
    if member is None or not isinstance(schema, dict):
        return schema
    return schema.get("properties", {}).get(member, True)
