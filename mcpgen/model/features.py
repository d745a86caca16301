"""What a server offers beside tools, in MCP's words: resources and prompts, small and static."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.model.api import Operation

Values = Mapping[str, tuple[str, ...]]
"""Argument of a prompt, or variable of a URI → the values that it can have; what is not there can have any."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource; a template where its URI has `variables`. It holds `content` as it was at compile time, or what
    `operation`, a GET whose parameters are those variables, answers. `uri` is empty where it is to be derived.
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
    """A text, `literals` around the `arguments` that are filled in, one more of them than of these; or the content of
    the `resource` of that name.
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
