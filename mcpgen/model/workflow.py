"""Data types for a workflow: one tool whose call makes several calls of the server's other tools.

Both front ends, Arazzo documents and `steps:` of a tools file, are read into these types. A step still names what it
calls as its document does; `lower.workflows` finds the tools, and writes the normal form that the runtime executes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.words import Location

Value = JsonObject
"""How a value is built when a workflow runs, as the generated table writes it.

- `{literal: JSON}`: a constant. Text that begins with `$` is no expression here.
- `{expression: TEXT}`: a runtime expression of Arazzo (1.0.1, 4.7), or `$item` or `$index` of a step with `each`.
- `{text: [PART, …]}`: a string of literal parts and `{expression: TEXT}`.
- `{members: {NAME: VALUE}}`, `{items: [VALUE, …]}`: an object, an array.
- `{patched: VALUE, at: {TARGET: VALUE}}`: a value with some places replaced (Arazzo 1.1, 4.8.15). A target is a JSON
  Pointer, or a JSONPath, which begins with `$`.
- `{selected: JSONPATH, of: EXPRESSION}`: what a JSONPath selects: one value, or a list (Arazzo 1.1, 4.8.13).

In an object or an array, a member is left out if its expression refers to an input that the caller left out, or to a
step that did not run. Any other expression that finds nothing is an error.
"""

TargetKind = Literal["tool", "operation", "workflow"]
"""What a step calls: a tool by its name, an operation of a document, or another workflow."""

ActionKind = Literal["end", "goto", "retry"]
CriterionKind = Literal["simple", "regex", "jsonpath"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a step, an action or an undo calls.

    `name`: name of a tool; operationId or `METHOD /path` of an operation; id of a workflow. `document`: file or URL of
    the document that has the operation or workflow, as the inputs name it; "" for the only one, or for tools.
    """

    kind: TargetKind
    name: str
    where: Where
    document: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A condition (Arazzo 1.0.1, 4.6.11). `context`: the expression that `regex` and `jsonpath` are applied to."""

    kind: CriterionKind
    condition: str
    where: Where
    context: str = ""


@dataclass(frozen=True, slots=True)
class StepParameter:
    """One value that a step sends. `location`: None if `name` is an argument of a tool, or an input of a workflow."""

    name: str
    value: Value
    where: Where
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What follows a step (Arazzo 1.0.1, 4.6.7 and 4.6.8), if all `criteria` hold.

    `step`: id of the step to go to, or to run before a retry. `target`: the workflow to go to, or to call before a
    retry, with `parameters`. `seconds`: the wait before a retry. `most`: number of retries.
    """

    kind: ActionKind
    where: Where
    step: str = ""
    target: Target | None = None
    seconds: float = 0
    most: int = 1
    criteria: tuple[Criterion, ...] = ()
    parameters: tuple[StepParameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call that a step or an undo makes: of what, and with which values.

    `body`: the whole body of the request, for the target `operation`; other targets have `parameters` only.
    `content_type`: "" if the document does not choose one.
    """

    target: Target
    parameters: tuple[StepParameter, ...] = ()
    body: Value | None = None
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """One step, in the words of the normal form.

    `call`: the call that it makes. `when`: the step is skipped unless all of these hold. `items`: the value whose items
    the step is repeated for, at most `most` times; None for one call. `success`: None if the answer's status decides.
    `on_success`, `on_failure`: actions, with the defaults of the workflow after the step's own. `undo`: the call that
    takes the step back, only if the owner wrote one. `after`: ids of steps that must have succeeded. `seconds`: limit
    on the call; None for the tool's own.
    """

    id: str
    where: Where
    call: Invocation
    description: str = ""
    when: tuple[Criterion, ...] = ()
    items: Value | None = None
    most: int = 0
    success: tuple[Criterion, ...] | None = None
    on_success: tuple[Action, ...] = ()
    on_failure: tuple[Action, ...] = ()
    outputs: Mapping[str, Value] = field(default_factory=dict)
    undo: Invocation | None = None
    after: tuple[str, ...] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Workflow:
    """One workflow.

    `id`: its name in its document; the name of the tool is derived from it, unless `tool` is set. `document`: its file.
    `inputs`: JSON Schema of the tool's arguments.
    """

    id: str
    where: Where
    steps: tuple[WorkflowStep, ...]
    document: str = ""
    tool: str = ""
    summary: str = ""
    description: str = ""
    inputs: JsonObject = field(default_factory=dict)
    outputs: Mapping[str, Value] = field(default_factory=dict)
