"""Data types for the owner's decisions in a tools file: changes of arguments, bodies, results and requests,
and questions that a user answers before a call is sent (MCP's elicitation).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.model.words import Capability, Confirm, Consent, Output, Pages, Part, Redirects, Without
from mcpgen.model.workflow import Workflow


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a question, as the tools file has it. `schema` holds only the keywords that the file gives it."""

    name: str
    where: Where
    schema: JsonObject
    required: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a tool, as the tools file has it.

    `fields`: empty if `missing` is set; such a question asks for required arguments that a call leaves out. `when`:
    argument → schema that its value must match for the question to be asked. `without`: what happens to a call if the
    client cannot ask its user.
    """

    name: str
    where: Where
    message: tuple[Part, ...]
    fields: tuple[FormField, ...] = ()
    when: Mapping[str, JsonObject] = field(default_factory=dict)
    without: Without = "refuse"
    missing: bool = False


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of a tool, as the generated server asks it.

    `form`: field → its schema in MCP's elicitation; a field has the name of its argument. `arguments`: argument →
    schema, for arguments that the user fills in and that the input schema therefore lacks. `required`: fields that the
    user must fill in.
    """

    name: str
    message: tuple[Part, ...]
    form: Mapping[str, JsonObject]
    arguments: Mapping[str, JsonObject] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    when: Mapping[str, JsonObject] = field(default_factory=dict)
    without: Without = "refuse"
    missing: bool = False


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


Text = tuple[Part, ...]
"""Text in a rule for results: literal texts and placeholders for arguments and for values of the response."""

RuleValue: TypeAlias = "Mapping[str, RuleValue] | Sequence[RuleValue] | str | int | float | bool | None"
"""Value of a rule for results, in the form of `bindings.json`. A tuple is a text; every other value is JSON."""


@dataclass(frozen=True, slots=True)
class ResultView:
    """The owner's rules for the result of a tool: name of the rule → its value.

    The rules are the keys of `result` in the schema of tools files. The compiler adds `graphql`: true if the response
    is one of GraphQL, which lists errors in `errors`.
    """

    where: Where
    rules: Mapping[str, RuleValue] = field(default_factory=dict)

    @property
    def remove(self) -> tuple[str, ...]:
        """Return JSON Pointers to the parts that are removed first; `*` stands for every item or member."""
        found = self.rules.get("remove")
        return tuple(map(str, found)) if isinstance(found, list) else ()

    @property
    def select(self) -> str | dict[str, str] | None:
        """Return the pointer, or name → pointer, to the parts that are returned; None for the whole response."""
        found = self.rules.get("select")
        if isinstance(found, dict):
            return {name: str(pointer) for name, pointer in found.items()}
        return found if isinstance(found, str) else None

    @property
    def replaces(self) -> bool:
        """Return True if a text or blocks that the project's owner wrote are shown in place of the response's JSON."""
        blocks = self.rules.get("blocks")
        hides = isinstance(blocks, list) and not any(isinstance(each, dict) and "answer" in each for each in blocks)
        return "text" in self.rules or hides

    def texts(self) -> Iterator[tuple[tuple[str | int, ...], Text]]:
        """Yield each text in the rules, with the path of keys and indexes that leads to it."""
        return _texts(self.rules, ())

    def with_texts(self, change: Callable[[Text], Any]) -> dict[str, Any]:
        """Return the rules with each text replaced by what `change` returns for it."""
        return {name: _with_texts(value, change) for name, value in self.rules.items()}


def _texts(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Text]]:
    if isinstance(value, tuple):
        yield path, value
    elif isinstance(value, (dict, list)):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(member, (*path, key))


def _with_texts(value: Any, change: Callable[[Text], Any]) -> Any:
    if isinstance(value, tuple):
        return change(value)
    if isinstance(value, dict):
        return {key: _with_texts(member, change) for key, member in value.items()}
    return [_with_texts(each, change) for each in value] if isinstance(value, list) else value


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
    ended; conditions have the form of `bindings.json`. `result` fetches the result; None: the response to `poll` is the
    result. `values`: variable of a request → pointer into a response. `message`: pointer to a text on the state.
    `interval` and `ttl`: in seconds.
    """

    where: Where
    poll: TaskTarget
    done: tuple[JsonValue, ...] = ()
    failed: tuple[JsonValue, ...] = ()
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
class Decisions:
    """Decisions of the project's owner about one operation. Where a value is empty or None, mcpgen decides.

    `prefix` is put before a derived name, `told` replaces summary and description, `hints` are annotations.
    `arguments`: argument → changes of it; `former_arguments`: names that arguments had in earlier versions of the
    project. `scopes`: OAuth scopes that a caller over HTTP needs. `sends`: where the arguments of `input_schema` are
    sent. `timeout`: in seconds. `lookups`: names may be given in place of ids. `hidden`: False if the operation is a
    tool even if mcpgen would hide it. `changed_by`: keys of the overrides that match, the one with the highest
    precedence last. `aliases`: other names by which the tool can be called, with their places. `workflow`: the steps of
    a tool that calls other tools and sends no request of its own. `listed`: False if only workflows call the tool.
    """

    name: str | None = None
    title: str | None = None
    told: str | None = None
    hidden: bool | None = None
    listed: bool | None = None
    output: Output | None = None
    output_schema: JsonObject | None = None
    fields: bool | None = None
    result: ResultView | None = None
    view: JsonObject | None = None
    pages: Pages | None = None
    redirects: Redirects | None = None
    lookups: bool | None = None
    task: TaskRule | None = None
    timeout: float | None = None
    confirm: Confirm | None = None
    consent: Consent | None = None
    ask: tuple[Question, ...] | None = None
    roles: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    requires: tuple[Capability, ...] | None = None
    portable: bool | None = None
    input_schema: JsonObject | None = None
    sends: Sends | None = None
    workflow: Workflow | None = None
    prefix: str = ""
    hints: Mapping[str, bool] = field(default_factory=dict)
    aliases: Mapping[str, Where] = field(default_factory=dict)
    arguments: Mapping[str, ArgumentChange] = field(default_factory=dict)
    former_arguments: Collection[str] = ()
    changed_by: tuple[str, ...] = ()

    def over(self, other: "Decisions") -> "Decisions":
        """Return the decisions of both. If both decide a field, or a key of a mapping, the value of `self` is used."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        given = {name: value for name, value in given.items() if value != getattr(UNDECIDED, name)}
        merged = {name: {**getattr(other, name), **given[name]} for name in _MERGED & given.keys()}
        return replace(other, **{**given, **merged})


UNDECIDED = Decisions()
_MERGED = {"hints", "aliases", "arguments"}
"""Fields that `over` merges, key by key. A value of any other field replaces the other one."""


@dataclass(frozen=True, slots=True)
class Change:
    """An override: the owner's decisions about the tools of the operations that `key` names.

    `unsecured`: True if requests carry no credential.
    """

    key: str
    where: Where
    decided: Decisions = UNDECIDED
    body: BodyChange | None = None
    unsecured: bool = False


@dataclass(frozen=True, slots=True)
class PreviousNames:
    """Names of tools and arguments in the last version of the project.

    An override that uses one of these names is reported as out of date, since the API has changed, and not as a
    mistake. `tools`: operation key, operationId or `METHOD /path` → tool name. `arguments`: operation key → former
    names of arguments and parameters.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Collection[str]] = field(default_factory=dict)
