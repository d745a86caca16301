"""Data types for resources and prompts, which a server offers beside its tools, and for webhooks, which it does not."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.api import Operation
from mcpgen.model.curation import Question

Values = Mapping[str, tuple[str, ...]]
"""Argument of a prompt, or variable of a URI → its possible values. A name without an entry may have any value."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource, or a resource template if its URI has `variables`.

    Either `content` is fixed at compile time, or `operation` fetches it: a GET whose parameters are the `variables`. An
    empty `uri` is derived later.

    `completes`: set if clients do not see the resource, because its operation only fetches values for completion. The
    tuple holds `prompt` or `resource`, the name of this prompt or resource, and the argument to complete. `pointer`:
    JSON Pointer to these values in the response. `extra`: members of its entry in `resources.json` for one wing of the
    runtime, such as `poll`: seconds after which the server checks again whether a subscribed resource has changed.
    """

    where: Where
    name: str
    uri: str
    title: str = ""
    description: str = ""
    media_type: str = ""
    content: bytes | str | None = None
    operation: Operation | None = None
    variables: tuple[str, ...] = ()
    values: Values = field(default_factory=dict)
    completes: tuple[str, str, str] | None = None
    pointer: str = ""
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    title: str = ""
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt. It is a text, the content of the resource named `resource`, or the content of a resource
    that arguments choose (`chosen`).

    The text, or the URI of a chosen resource, alternates `literals` and `arguments`, beginning and ending with a
    literal.
    """

    where: Where
    role: str
    literals: tuple[str, ...] = ("",)
    arguments: tuple[str, ...] = ()
    resource: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    where: Where
    name: str
    messages: tuple[Message, ...]
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()
    values: Values = field(default_factory=dict)
    ask: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Webhook:
    """A request that the API sends: a webhook of the document, or a callback of an operation. No server receives it.

    `says`: what it means. `after`: method and path of the operation whose callback it is, "" for a webhook.
    """

    name: str
    method: str
    says: str
    after: str = ""

    @property
    def meaning(self) -> str:
        """Return what it means, with the operation after which it is sent."""
        return f"{self.says} Sent after {self.after}.".strip() if self.after else self.says


MOST_WEBHOOKS = 20
"""Most webhooks that a text for people lists. Some documents have hundreds."""
