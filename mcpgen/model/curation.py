"""What a person decides about the tool of an operation: the words of the tools file, read and checked."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.model.words import Confirm, Output, Redirects

Given = tuple[JsonValue] | None
"""A one-tuple of the value that was written, or None if none was. The tuple is needed because null is a value too."""


Part = str | JsonObject
"""Part of a text with placeholders: literal text, `{argument: NAME}`, or `{pointer: POINTER}` into the answer."""

Template = JsonObject
"""How a value is built, as the table writes it.

`{argument: NAME}` as it is, `{value: CONSTANT}`, `{text: [PART, …]}`, `{items: [TEMPLATE, …]}` or `{members: {NAME:
TEMPLATE}}`.
"""


def arguments_of(node: Template) -> Iterator[str]:
    """Yield the arguments that a template, or a part of a text, needs, in their order."""
    if "argument" in node:
        yield str(node["argument"])
    inner = [*as_list(node.get("text")), *as_list(node.get("items")), *as_object(node.get("members")).values()]
    for each in inner:
        yield from arguments_of(as_object(each))


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """What changes in one argument.

    `value`: always sent in its place. `default`: sent if a call leaves it out. `media_type`: how a parameter is written
    for which the document declares `content`. `allow_empty`: a path may hold an empty text for it. `by_rule`: the
    change applies to every operation that has the argument. `credential`: whether the parameter is a credential, which
    the environment fills.
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
    """A link to a resource. Each text is a sequence of parts; empty texts are left out of the result."""

    uri: tuple[Part, ...]
    name: tuple[Part, ...]
    title: tuple[Part, ...] = ()
    description: tuple[Part, ...] = ()
    media_type: tuple[Part, ...] = ()

    def texts(self) -> dict[str, tuple[Part, ...]]:
        """Return the texts of the link that are not empty, by their names in MCP."""
        names = ("uri", "name", "title", "description", "mimeType")
        texts = (self.uri, self.name, self.title, self.description, self.media_type)
        return {name: parts for name, parts in zip(names, texts, strict=True) if parts}


@dataclass(frozen=True, slots=True)
class ResultView:
    """What is shown of a successful answer.

    `remove`: JSON Pointers of what is taken out first, `*` for every item or member. `select`: a pointer, or name →
    pointer. `text`: parts of a text that replaces the JSON.
    """

    where: Where
    remove: tuple[str, ...] = ()
    select: str | Mapping[str, str] | None = None
    text: tuple[Part, ...] | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class SentArgument:
    """An argument in short form. It is sent only where templates name it."""

    name: str
    schema: JsonObject
    required: bool = False


@dataclass(frozen=True, slots=True)
class Sends:
    """What is sent beside parameters and body: name → template for each place.

    `arguments`: the arguments in short form that the templates use. `open`: where arguments go that a handwritten
    schema allows without naming them, if anywhere.
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
    """What changes in the body of an operation. `media_type`: a glob over the media types that it offers."""

    where: Where
    required: bool | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """An override: the owner's decisions about the tool of the operation `key`.

    None: no decision. `unsecured`: its requests carry no credential. `scopes`: what a caller over HTTP needs.
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
    scopes: tuple[str, ...] | None = None
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
    """Names of the last generation. An override that concerns one of them is reported as orphaned, not as a mistake.

    `tools`: operation key, operationId or `METHOD /path` → tool name. `arguments`: operation key → its former argument
    names, in the tool and in the request.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Collection[str]] = field(default_factory=dict)
