"""Data types for the values of a Python script's expressions, as far as known without running the script."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mcpgen.base.secrets import is_secret_name


@dataclass(frozen=True, slots=True)
class Plain:
    """A constant: a string, number, boolean or None."""

    value: object


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable, and the default that is used if it is not set."""

    name: str
    default: "Value | None" = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A string made of parts, such as an f-string."""

    parts: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list, a tuple or a set."""

    items: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Members:
    """A dictionary with constant keys. `whole`: False if it may have further keys."""

    members: Mapping[str, "Value"] = field(default_factory=dict)
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Path:
    """A path that pathlib or os.path joins from `parts`. A first part None stands for the folder of the script
    itself.
    """

    parts: tuple["Value | None", ...]


@dataclass(frozen=True, slots=True)
class Content:
    """The content of the file or URL `place`, as text or parsed. `changed`: line on which the script changes it, 0 if
    none.
    """

    place: "Value"
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """An object that the script creates: the name of its class, and the values of the arguments."""

    name: str
    call: ast.Call
    arguments: Mapping[str, "Value"]
    positional: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that cannot be known without running the script, and its line."""

    line: int


Value: TypeAlias = Plain | Variable | Joined | Items | Members | Path | Content | Made | Unknown


def size(value: Value | None) -> int:
    """Return how many values `value` is made of, with a long string counted as several.

    A value that occurs several times counts each time, because the functions below visit it each time.
    """
    match value:
        case Plain(value=str() as plain):
            return 1 + len(plain) // 100
        case Variable(default=default):
            return 1 + size(default)
        case Joined(parts=parts) | Path(parts=parts) | Items(items=parts):
            return 1 + sum(map(size, parts))
        case Members(members=members):
            return 1 + sum(map(size, members.values()))
        case Content(place=place):
            return 1 + size(place)
        case Made(arguments=arguments, positional=positional):
            return 1 + sum(map(size, (*arguments.values(), *positional)))
        case _:
            return 1


def text(value: Value | None, environ: Mapping[str, str]) -> str | None:
    """Return `value` as a string, or None if it is unknown or not a string. `environ`: environment variables with known
    values.
    """
    match value:
        case Plain(value=str() as plain):
            return plain
        case Plain(value=int() | float() as number):
            return str(number)
        case Variable(name=name, default=default):
            return None if is_secret_name(name) else environ.get(name) or text(default, environ)
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
    """Return the names of the environment variables that a string is made of."""
    match value:
        case Variable(name=name, default=default):
            return (name, *variables(default))
        case Joined(parts=parts):
            return tuple(name for part in parts for name in variables(part))
        case _:
            return ()


def beginning(value: Value | None) -> str:
    """Return the constant text at the beginning of a string, up to its first part that is not constant."""
    match value:
        case Plain(value=str() as plain):
            return plain
        case Joined(parts=parts) if parts:
            return beginning(parts[0])
        case _:
            return ""
