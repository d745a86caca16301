"""What a server offers beside tools, in MCP's words: resources and prompts, small and static."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.model.api import Operation

Values = Mapping[str, tuple[str, ...]]
"""Argument of a prompt, or variable of a URI → its possible values. Names that are missing here may have any value."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource, or a resource template if its URI has `variables`.

    It holds `content` as of compile time, or the answer of `operation`, a GET whose parameters are those variables.
    `uri` is empty if it is to be derived.
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


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    title: str = ""
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt.

    It is text, with `literals` around the `arguments` and one literal more than arguments, or the content of the named
    `resource`.
    """

    where: Where
    role: str
    literals: tuple[str, ...] = ("",)
    arguments: tuple[str, ...] = ()
    resource: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    where: Where
    name: str
    messages: tuple[Message, ...]
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()
    values: Values = field(default_factory=dict)
