"""Data types for the owner's decisions in a tools file: changes of arguments, bodies, results and requests."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.model.asking import Question
from mcpgen.model.words import Capability, Confirm, Output, Pages, Part, Redirects

Given = tuple[JsonValue] | None
"""Optional JSON value: a tuple of the value, or None if there is no value. So JSON null, `(None,)`, differs from no
value.
"""

Template = JsonObject
"""How a value of a request is built from arguments, as the generated table writes it.

`{argument: NAME}` sends an argument unchanged and `{value: CONSTANT}` a constant. `{text: [PART, …]}` builds a string,
`{items: [TEMPLATE, …]}` an array, `{members: {NAME: TEMPLATE}}` an object.
"""


def arguments_of(node: Template) -> Iterator[str]:
    """Yield the names of the arguments in a template or a part of a text, in the order of their use."""
    if "argument" in node:
        yield str(node["argument"])
    inner = [*as_list(node.get("text")), *as_list(node.get("items")), *as_object(node.get("members")).values()]
    for each in inner:
        yield from arguments_of(as_object(each))


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """The owner's changes of one argument.

    `value`: a constant that is always sent in place of the argument. `default`: sent if a call omits the argument.
    `media_type`: chosen for a parameter that the document describes by `content`. `allow_empty`: True if an empty text
    is allowed in the path. `by_rule`: True if the change applies to every operation that has the argument.
    `credential`: True if the parameter carries a credential, which the environment supplies; False if it does not.
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
    """An MCP resource link in a result.

    Each field is a sequence of parts: literal text, and placeholders for values of the result. A field that becomes an
    empty text is omitted.
    """

    uri: tuple[Part, ...]
    name: tuple[Part, ...]
    title: tuple[Part, ...] = ()
    description: tuple[Part, ...] = ()
    media_type: tuple[Part, ...] = ()

    def texts(self) -> dict[str, tuple[Part, ...]]:
        """Return the non-empty fields of the resource link: MCP's field name → literal texts and placeholders."""
        names = ("uri", "name", "title", "description", "mimeType")
        texts = (self.uri, self.name, self.title, self.description, self.media_type)
        return {name: parts for name, parts in zip(names, texts, strict=True) if parts}


BlockKind = Literal["answer", "text", "image", "audio", "resource", "link"]
"""Kinds of content blocks. `answer` stands for the content that a result without a `blocks` setting would have."""


@dataclass(frozen=True, slots=True)
class ResultBlock:
    """One entry of `result.blocks` in the tools file. Each entry becomes one or several content blocks of a result.

    `each`: JSON Pointer to a list; a block is made for every item, and other pointers are relative to the item.
    `pointer`: JSON Pointer to the base64 data of an image, a sound or a resource. `text`: parts of a text, or of a
    resource's text.
    """

    kind: BlockKind
    each: str = ""
    pointer: str = ""
    text: tuple[Part, ...] = ()
    uri: tuple[Part, ...] = ()
    media_type: tuple[Part, ...] = ()
    link: Link | None = None
    audience: tuple[str, ...] = ()
    priority: float | None = None
    last_modified: tuple[Part, ...] = ()

    def texts(self) -> dict[tuple[str, ...], tuple[Part, ...]]:
        """Return the non-empty texts of the content block: keys in the tools file, such as `("link", "uri")` → the
        text's parts (literal texts and placeholders).
        """
        of_kind = ("resource",) if self.kind == "resource" else ()
        found: dict[tuple[str, ...], tuple[Part, ...]] = {
            (*of_kind, "text"): self.text,
            ("resource", "uri"): self.uri,
            ("resource", "mimeType"): self.media_type,
            ("annotations", "lastModified"): self.last_modified,
        }
        found |= {("link", key): parts for key, parts in (self.link.texts() if self.link else {}).items()}
        return {keys: parts for keys, parts in found.items() if parts}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a response: its HTTP status (`of_status`), or the value at `pointer`, is one of `values`; if
    `negated`, none of them.

    If `values` is empty, the value at `pointer` must exist and not be null, false or empty.
    """

    pointer: str = ""
    values: tuple[JsonValue, ...] = ()
    of_status: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ResultView:
    """Which parts of a successful response are returned, and how, and when the call has failed nevertheless.

    `failed`: conditions of which any means that the call has failed. `graphql`: True if the response is one of GraphQL,
    which lists errors in `errors`. `remove`: JSON Pointers of parts that are removed first; `*` stands for every item
    or member. `select`: one pointer, or name → pointer, to the parts that are returned. `text`: parts of a text that
    replaces the JSON. `blocks`: content blocks that replace the content.
    """

    where: Where
    failed: tuple[Condition, ...] = ()
    graphql: bool = False
    remove: tuple[str, ...] = ()
    select: str | Mapping[str, str] | None = None
    text: tuple[Part, ...] | None = None
    links: tuple[Link, ...] = ()
    blocks: tuple[ResultBlock, ...] = ()

    @property
    def replaces(self) -> bool:
        """Return True if a text or blocks that the project's owner wrote are shown in place of the response's JSON."""
        hides = bool(self.blocks) and all(block.kind != "answer" for block in self.blocks)
        return self.text is not None or hides


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A further request about a job that a call started. Its path alternates percent-encoded `literals` and
    `variables`.

    `query`: name → template. A variable is an argument of the call, or comes from a response (`TaskRule.values`).
    `operation`: an operationId that is not resolved yet, else "".
    """

    where: Where
    method: str = ""
    literals: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    query: Mapping[str, Template] = field(default_factory=dict)
    operation: str = ""

    def names(self) -> tuple[str, ...]:
        """Return the distinct names of the path's variables and of the arguments in the query."""
        inner = (name for node in self.query.values() for name in arguments_of(node))
        return tuple(dict.fromkeys((*self.variables, *inner)))


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """Where a response holds a URL or a result: in a header field, or at a JSON Pointer into the body."""

    header: str = ""
    pointer: str = ""


TaskTarget = TaskRequest | TaskPlace


@dataclass(frozen=True, slots=True)
class TaskRule:
    """How the job that a call starts is followed to its end.

    `poll` asks for the state of the job. If any condition of `done` or `failed` holds for the response, the job has
    ended. `result` fetches the result; None: the response to `poll` is the result. `values`: variable of a request →
    pointer into a response. `message`: pointer to a text on the state. `interval` and `ttl`: in seconds.
    """

    where: Where
    poll: TaskTarget
    done: tuple[Condition, ...] = ()
    failed: tuple[Condition, ...] = ()
    result: TaskTarget | None = None
    cancel: TaskRequest | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    interval: float | None = None
    ttl: float | None = None

    def requests(self) -> tuple[TaskRequest, ...]:
        """Return those of `poll`, `result` and `cancel` that are requests, not None or a place (URL in a response)."""
        return tuple(each for each in (self.poll, self.result, self.cancel) if isinstance(each, TaskRequest))


@dataclass(frozen=True, slots=True)
class SentArgument:
    """An argument that the tools file declares by name and schema. It is sent only where templates use it."""

    name: str
    schema: JsonObject
    required: bool = False

    @property
    def default(self) -> Given:
        """Return the default value in the schema, which is sent if a call omits the argument."""
        return (self.schema["default"],) if "default" in self.schema else None


@dataclass(frozen=True, slots=True)
class Sends:
    """What is sent beside parameters and body: name → template, for each place in the request.

    `arguments`: arguments that the templates use. `open`: where undeclared arguments are sent, if the handwritten
    schema allows such arguments, else None.
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
    """Changes of an operation's body by an override. `media_type`: glob that selects among the media types offered."""

    where: Where
    required: bool | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """An override: the owner's decisions about the tools of the operations that `key` names.

    A field is None if the project's owner decided nothing. `unsecured`: True if requests carry no credential. `scopes`:
    OAuth scopes that a caller over HTTP needs. `aliases`: other names of the tool → their places in the file.
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
    ask: tuple[Question, ...] | None = None
    roles: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    output: Output | None = None
    output_schema: JsonObject | None = None
    fields: bool | None = None
    redirects: Redirects | None = None
    lookups: bool | None = None
    pages: Pages | None = None
    result: ResultView | None = None
    task: TaskRule | None = None
    requires: tuple[Capability, ...] | None = None
    timeout: float | None = None
    portable: bool | None = None
    body: BodyChange | None = None
    unsecured: bool = False
    aliases: Mapping[str, Where] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreviousNames:
    """Names of tools and arguments in the last version of the project.

    An override that uses one of these names is reported as out of date, since the API has changed, and not as a
    mistake. `tools`: operation key, operationId or `METHOD /path` → tool name. `arguments`: operation key → former
    names of arguments and parameters.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Collection[str]] = field(default_factory=dict)
