"""What a person decides about the tool of an operation: the words of the tools file, read and checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.diagnostics import Where
from mcpgen.jsonvalue import JsonObject, JsonValue
from mcpgen.model.words import Confirm, Output

Given = tuple[JsonValue] | None
"""A value that was written, or None where none was: null is a value too."""


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """What changes in one argument. `value` is always sent in place of it, `default` where a call leaves it out."""

    where: Where
    name: str | None = None
    description: str | None = None
    required: bool = False
    hidden: bool = False
    default: Given = None
    value: Given = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a resource, its texts as templates."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class ResultView:
    """What is shown of a good answer: `remove` (JSON Pointers, `*` being every item or member) is taken out first;
    `select` is a pointer, or name → pointer; `text` a template in place of the JSON.
    """

    where: Where
    remove: tuple[str, ...] = ()
    select: str | Mapping[str, str] | None = None
    text: str | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Sends:
    """Where the arguments of a schema written by hand go, as templates, name → template."""

    where: Where
    query: Mapping[str, JsonValue] = field(default_factory=dict)
    headers: Mapping[str, JsonValue] = field(default_factory=dict)
    cookies: Mapping[str, JsonValue] = field(default_factory=dict)
    body: Given = None
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Change:
    """An override: what its owner says of the tool of one operation, which `key` names. None where nothing is said."""

    key: str
    where: Where
    hidden: bool = False
    name: str | None = None
    title: str | None = None
    description: str | None = None
    arguments: Mapping[str, ArgumentChange] = field(default_factory=dict)
    hints: Mapping[str, bool] = field(default_factory=dict)
    confirm: Confirm | None = None
    roles: tuple[str, ...] | None = None
    output: Output | None = None
    output_schema: JsonObject | None = None
    fields: bool | None = None
    result: ResultView | None = None
    timeout: float | None = None
    portable: bool | None = None
