"""Data types for questions with fields that a user answers before a call is sent (MCP's elicitation)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.words import Part, Without


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
