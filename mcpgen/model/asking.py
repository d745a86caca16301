"""Questions with fields that a user answers before a call is sent (MCP's elicitation)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.words import Part, Without


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a question, as its owner wrote it. `schema` holds only what was written; `required` as well."""

    name: str
    where: Where
    schema: JsonObject
    required: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a tool.

    `fields`: empty if `missing`, which asks for required arguments that a call leaves out. `when`: argument → schema
    that its value must fit.
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
    """One question of a finished tool.

    `form`: field → schema as MCP's elicitation writes it; a field is called like its argument. `arguments`: argument →
    schema, for those that the input schema lacks because the user fills them in. `required`: fields that must be filled
    in.
    """

    name: str
    message: tuple[Part, ...]
    form: Mapping[str, JsonObject]
    arguments: Mapping[str, JsonObject] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    when: Mapping[str, JsonObject] = field(default_factory=dict)
    without: Without = "refuse"
    missing: bool = False
