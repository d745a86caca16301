"""What a person decides about the tool of an operation: the words of the tools file, read and checked."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.model.words import Confirm, Output, Redirects

Given = tuple[JsonValue] | None
"""A value that was written, or None where none was: null is a value too."""


Part = str | JsonObject
"""Of a text with places in it: a literal text, `{argument: NAME}`, or `{pointer: POINTER}` into the answer."""

Template = JsonObject
"""What a value is made of, as the table holds it: `{argument: NAME}` as it is, `{value: CONSTANT}`,
`{text: [PART, …]}`, `{items: [TEMPLATE, …]}` or `{members: {NAME: TEMPLATE}}`.
"""


def arguments_of(node: Template) -> Iterator[str]:
    """The arguments that a template, or a part of a text, needs, in its order."""
    if "argument" in node:
        yield str(node["argument"])
    inner = [*as_list(node.get("text")), *as_list(node.get("items")), *as_object(node.get("members")).values()]
    for each in inner:
        yield from arguments_of(as_object(each))


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """What changes in one argument. `value` is always sent in place of it, `default` where a call leaves it out.

    Of a parameter `media_type` says how its value is written where the document declares `content`, and `allow_empty`
    that a path may hold an empty text for it. `by_rule` it is meant for every operation that has it.
    `credential` says whether the parameter is one, which the environment fills.
    """

    where: Where
    name: str | None = None
    description: str | None = None
    required: bool | None = None
    hidden: bool | None = None
    schema: JsonObject | None = None
    media_type: str | None = None
    allow_empty: bool = False
    by_rule: bool = False
    default: Given = None
    value: Given = None
    credential: bool | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a resource, each of its texts in parts; what is empty is not said."""

    uri: tuple[Part, ...]
    name: tuple[Part, ...]
    title: tuple[Part, ...] = ()
    description: tuple[Part, ...] = ()
    media_type: tuple[Part, ...] = ()

    def texts(self) -> dict[str, tuple[Part, ...]]:
        """Its texts by their names in MCP."""
        names = ("uri", "name", "title", "description", "mimeType")
        texts = (self.uri, self.name, self.title, self.description, self.media_type)
        return {name: parts for name, parts in zip(names, texts, strict=True) if parts}


@dataclass(frozen=True, slots=True)
class ResultView:
    """What is shown of a good answer: `remove` (JSON Pointers, `*` being every item or member) is taken out first;
    `select` is a pointer, or name → pointer; `text`, in parts, stands in place of the JSON.
    """

    where: Where
    remove: tuple[str, ...] = ()
    select: str | Mapping[str, str] | None = None
    text: tuple[Part, ...] | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class SentArgument:
    """An argument in short form that goes where templates name it, and nowhere else."""

    name: str
    schema: JsonObject
    required: bool = False


@dataclass(frozen=True, slots=True)
class Sends:
    """What is sent beside parameters and body, name → template, and the `arguments` in short form that it takes there.
    `open` are those that a schema written by hand allows without naming them: where they go, if anywhere.
    """

    where: Where
    query: Mapping[str, Template] = field(default_factory=dict)
    headers: Mapping[str, Template] = field(default_factory=dict)
    cookies: Mapping[str, Template] = field(default_factory=dict)
    body: Template | None = None
    content_type: str = "application/json"
    arguments: tuple[SentArgument, ...] = ()
    open: Literal["query", "body"] | None = None


@dataclass(frozen=True, slots=True)
class BodyChange:
    """What changes in the body of an operation. `media_type` is a glob over those that it offers."""

    where: Where
    required: bool | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """An override: what its owner says of the tool of one operation, which `key` names. None where nothing is said.
    `unsecured` means that its request carries no credential.
    """

    key: str
    where: Where
    hidden: bool | None = None
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
    redirects: Redirects | None = None
    result: ResultView | None = None
    timeout: float | None = None
    portable: bool | None = None
    body: BodyChange | None = None
    unsecured: bool = False


@dataclass(frozen=True, slots=True)
class Former:
    """What there was before: an override that concerns it is no mistake of whoever wrote it. `tools` are operation
    key, operationId or `METHOD /path` → the name of the tool; `arguments` are operation key → what its arguments were
    called, in the tool and in the request.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Collection[str]] = field(default_factory=dict)
