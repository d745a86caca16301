"""Data types for the values of expressions, as far as they are known without running the script."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Plain:
    """A constant: a text, a number, a truth value or None."""

    value: object


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable, and the value where it is not set."""

    name: str
    default: "Value | None" = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A text made of parts, such as an f-string."""

    parts: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list, a tuple or a set."""

    items: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Members:
    """A dictionary with constant keys. `whole`: False if it may have others."""

    members: Mapping[str, "Value"] = field(default_factory=dict)
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Path:
    """A path, as pathlib joins it. `parts` begin with None for the folder of the script itself."""

    parts: tuple["Value | None", ...]


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file or a URL, as text or parsed. `changed`: the line where the script changes it."""

    place: "Value"
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """An object of a class, by its name, with the expressions of its arguments."""

    name: str
    call: ast.Call
    arguments: Mapping[str, "Value"]
    positional: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Whatever cannot be known without running the script, and its line."""

    line: int


Value: TypeAlias = Plain | Variable | Joined | Items | Members | Path | Content | Made | Unknown


def text(value: Value | None, environ: Mapping[str, str]) -> str | None:
    """Return the text that a value is. `environ`: variables that are known. None: it is not known, or no text."""
    match value:
        case Plain(value=str() as plain):
            return plain
        case Plain(value=int() | float() as number):
            return str(number)
        case Variable(name=name, default=default):
            return environ.get(name) or text(default, environ)
        case Joined(parts=parts):
            found = [text(part, environ) for part in parts]
            return None if None in found else "".join(part or "" for part in found)
        case Path(parts=parts):
            found = ["" if part is None else text(part, environ) for part in parts]
            if None in found:
                return None
            first, *rest = (part or "" for part in found)
            return "/".join(filter(None, [first.rstrip("/") if rest else first, *(part.strip("/") for part in rest)]))
        case _:
            return None


def variables(value: Value | None) -> tuple[str, ...]:
    """Return the environment variables that a text is made of."""
    match value:
        case Variable(name=name, default=default):
            return (name, *variables(default))
        case Joined(parts=parts):
            return tuple(name for part in parts for name in variables(part))
        case _:
            return ()


def beginning(value: Value | None) -> str:
    """Return the text before anything that is not a constant."""
    match value:
        case Plain(value=str() as plain):
            return plain
        case Joined(parts=parts) if parts:
            return beginning(parts[0])
        case _:
            return ""
