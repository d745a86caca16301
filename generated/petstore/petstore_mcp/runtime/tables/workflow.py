# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Types of the member `workflow` in bindings.json: a tool whose calls make calls of other tools of the server.

Like `table`, this module is for type checking, and for the JSON Schema of the tables.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict, final

from .keywords import Has, Name, NonEmpty, NonEmptyMap, Seconds, Text

Expression = Annotated[str, "Runtime expression of Arazzo, or `$item` or `$index`.", Has(pattern="^\\$")]


@final
class LiteralNode(TypedDict):
    """A constant. A text in it that begins with `$` is no expression."""

    literal: Any


@final
class ExpressionNode(TypedDict):
    """The value of a runtime expression."""

    expression: Expression
    asText: NotRequired[Annotated[Literal[True], "A number or a truth value becomes a text."]]


class JoinedNode(TypedDict):
    """A text of literal parts and the values of expressions."""

    text: NonEmpty["str | ExpressionNode"]


class ObjectNode(TypedDict):
    """An object."""

    members: dict[str, "WorkflowValue"]


class SpreadNode(TypedDict):
    """Arguments of a call: `members`, and the members of an object, which is the body of the request.

    `names`: member -> argument. `rest`: the argument for all other members.
    """

    members: dict[str, "WorkflowValue"]
    spread: "WorkflowValue"
    names: dict[str, str]
    rest: NotRequired[Name]


class ArrayNode(TypedDict):
    """An array."""

    items: list["WorkflowValue"]


class SelectedNode(TypedDict):
    """Values that a JSONPath selects in the value of an expression."""

    selected: Text
    of: Expression


class PatchedNode(TypedDict):
    """A value in which other values are put at JSON Pointers or JSONPaths."""

    patched: "WorkflowValue"
    at: NonEmptyMap["WorkflowValue"]


WorkflowValue = (
    LiteralNode | ExpressionNode | JoinedNode | ObjectNode | SpreadNode | ArrayNode | SelectedNode | PatchedNode
)


class Criterion(TypedDict):
    """Condition on the state of a workflow (Arazzo 1.0.1, 4.6.11)."""

    kind: Literal["simple", "regex", "jsonpath"]
    condition: Text
    context: NotRequired[Expression]


class WorkflowAction(TypedDict):
    """What follows a call of a step, if all `criteria` hold."""

    kind: Literal["end", "goto", "retry"]
    step: NotRequired[Annotated[Text, "Step to go to, or to make before a retry."]]
    tool: NotRequired[Annotated[Name, "Workflow to go to, or to call before a retry."]]
    arguments: NotRequired[Annotated["WorkflowValue", "Its arguments, instead of the inputs of this workflow."]]
    seconds: NotRequired[Annotated[float, "Seconds before a retry.", Has(minimum=0)]]
    most: NotRequired[Annotated[int, "How often the step is retried.", Has(minimum=0)]]
    criteria: NotRequired[NonEmpty[Criterion]]


_Items = TypedDict("_Items", {"in": "WorkflowValue"})


class WorkflowLoop(_Items):
    """Items of a list, for each of which a step is made."""

    most: Annotated[int, "Maximum number of items.", Has(minimum=1)]


class Undo(TypedDict):
    """Call that takes back what a step has done."""

    tool: Name
    arguments: WorkflowValue


class WorkflowStep(TypedDict):
    """Step of a workflow: a call of a tool."""

    id: Annotated[str, Has(pattern="^[A-Za-z0-9_-]{1,64}$")]
    tool: Name
    arguments: WorkflowValue
    when: NotRequired[NonEmpty[Criterion]]
    each: NotRequired[WorkflowLoop]
    success: NotRequired[Annotated[NonEmpty[Criterion], "Instead of: the status is below 400, and no error is told."]]
    onSuccess: NotRequired[NonEmpty[WorkflowAction]]
    onFailure: NotRequired[NonEmpty[WorkflowAction]]
    outputs: NotRequired[NonEmptyMap[WorkflowValue]]
    undo: NotRequired[Undo]
    seconds: NotRequired[Annotated[Seconds, "Seconds that the call may take."]]
    after: NotRequired[Annotated[NonEmpty[str], "Steps that must have succeeded."]]


class Workflow(TypedDict):
    """Steps of a workflow, and how its result is made."""

    steps: NonEmpty[WorkflowStep]
    outputs: NotRequired[NonEmptyMap[WorkflowValue]]
    inputs: NotRequired[Annotated[NonEmptyMap[str], "Argument -> the input, where the names differ."]]
    consent: NotRequired[
        Annotated[Literal["each"], "By the rule of `confirm`, the user is asked at each write, and not for the whole."]
    ]
    seconds: NotRequired[Annotated[Seconds, "Seconds that the workflow may take with all of its calls."]]
