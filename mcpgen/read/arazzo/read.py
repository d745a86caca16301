"""Read the workflows of an Arazzo document: their steps, with parameters, criteria and actions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast, get_args

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, compact, pointer
from mcpgen.base.names import clipped, nearest
from mcpgen.base.runtime import criteria, expressions
from mcpgen.model import Decisions, MediaType, Operation, PathTemplate, RequestBody, Skipped
from mcpgen.model.words import Location
from mcpgen.model.workflow import (
    Action,
    ActionKind,
    Criterion,
    CriterionKind,
    Invocation,
    StepParameter,
    Target,
    Workflow,
    WorkflowStep,
)
from mcpgen.read.arazzo.facts import Facts
from mcpgen.read.arazzo.keys import invalid, read_list, read_object, read_text, unsupported
from mcpgen.read.arazzo.values import read_outputs, read_payload, read_selector, read_value
from mcpgen.read.document import Document
from mcpgen.read.openapi.references import References

_CALLS = ("operationId", "operationPath", "workflowId", "channelPath")
_ASYNC = ("channelPath", "correlationId", "action")
_NO_ASYNC = "Leave this workflow out; mcpgen calls operations of OpenAPI documents."
_KINDS = {"success action": ("end", "goto"), "failure action": ("end", "goto", "retry")}
_CRITERIA = ("simple", "regex", "jsonpath")

_LONGEST_ID = 64
_OUTSIDE_OF_IDS = re.compile(r"[^A-Za-z0-9_-]")
_USED = re.compile(r"\$steps\.([A-Za-z0-9_-]+)\.")

_Named = tuple[str, Action]
"""An action with its name."""


@dataclass(frozen=True, slots=True)
class _Context:
    """A workflow whose steps are read: its object, its place, and the actions that its steps have by default."""

    entry: JsonObject
    where: Where
    defaults: Mapping[str, list[_Named]]
    facts: Facts


def read(document: Document, facts: Facts, references: References) -> tuple[tuple[Operation, ...], tuple[Skipped, ...]]:
    """Return the workflows of an Arazzo document as operations, and those that are left out with the reason."""
    top = document.where("")
    found: dict[str, Operation] = {}
    skipped = []
    for index, raw in enumerate(as_list(as_object(document.value).get("workflows"))):
        where = top.inside("workflows", index)
        label = as_text(as_object(raw).get("workflowId")) or str(index + 1)
        try:
            workflow = _workflow(raw, where, facts, references)
            if workflow.id in found:
                raise invalid(f"Two workflows are called '{clipped(label)}'.", where.inside("workflowId"))
            found[workflow.id] = _operation(workflow)
        except SkipOperation as unusable:
            skipped.append(Skipped(f"workflow {clipped(label)}", unusable.diagnostic))
    return tuple(found.values()), tuple(skipped)


# Its inputs are lowered like the members of a JSON body, so they get the same names and limits as arguments of tools.
def _operation(workflow: Workflow) -> Operation:
    """Return a workflow as an operation, which sends no request of its own."""
    path = f"/{workflow.id}"
    content = (MediaType("application/json", workflow.inputs),)
    return Operation(
        key=f"workflow {workflow.id}",
        method="POST",
        path=path,
        template=PathTemplate((path,)),
        where=workflow.where,
        id=workflow.id,
        summary=workflow.summary,
        description=workflow.description,
        body=RequestBody(content, workflow.where.inside("inputs"), required=True) if workflow.inputs else None,
        decided=Decisions(workflow=workflow),
    )


def _workflow(raw: JsonValue, where: Where, facts: Facts, references: References) -> Workflow:
    entry = read_object(raw, "workflow", where)
    id_ = read_text(entry, "workflowId", "workflow", where)
    defaults = {
        key: _actions(entry.get(key), key, where.inside(key), facts) for key in ("successActions", "failureActions")
    }
    around = _Context(entry, where, defaults, facts)
    steps = [
        _step(each, where.inside("steps", index), around)
        for index, each in enumerate(read_list(entry.get("steps"), "steps", where.inside("steps")))
    ]
    if not steps:
        raise invalid(f"The workflow '{clipped(id_)}' has no steps.", where)
    return Workflow(
        id=id_,
        where=where,
        steps=_ordered([*_depended(entry, where, facts, references), *steps]),
        document=facts.document,
        summary=as_text(entry.get("summary")),
        description=as_text(entry.get("description")),
        inputs=_inputs(entry.get("inputs"), where.inside("inputs"), references),
        outputs=read_outputs(entry.get("outputs"), where.inside("outputs"), facts.constants),
    )


# A server keeps nothing between calls, so what "MUST be completed before" is done in the same call.
def _depended(entry: JsonObject, where: Where, facts: Facts, references: References) -> Iterator[WorkflowStep]:
    """Yield a step for each workflow that this one depends on. It gets the inputs that both have by name."""
    own = _input_names(entry, where, references)
    place = where.inside("dependsOn")
    for index, written in enumerate(read_list(entry.get("dependsOn"), "dependsOn", place)):
        target = facts.workflow(str(written), place.inside(index))
        there = Where(target.document, "/workflows")
        for number, other in enumerate(map(as_object, as_list(references.at(there, place.inside(index))))):
            if other.get("workflowId") == target.name:
                names = own & _input_names(other, there.inside(number), references)
                given = (
                    StepParameter(name, {"expression": f"$inputs#{pointer('', name)}"}, target.where)
                    for name in sorted(names)
                )
                id_ = f"dependsOn-{index + 1}"
                yield WorkflowStep(id_, target.where, Invocation(target, tuple(given)))


def _input_names(entry: JsonObject, where: Where, references: References) -> set[str]:
    if "inputs" not in entry:
        return set()
    return {*as_object(references.resolve(entry["inputs"], where.inside("inputs"))[0].get("properties"))}


def _inputs(value: JsonValue, where: Where, references: References) -> JsonObject:
    """Return the schema of the inputs by its place. Raises SkipOperation if it is no schema of an object."""
    if value is None:
        return {}
    schema, place = references.resolve(value, where)
    if schema.get("type", "object") != "object":
        raise invalid("The inputs of a workflow must be an object.", place)
    return references.schema(where)


# -- steps ------------------------------------------------------------------------------------------------------------


def _step(raw: JsonValue, where: Where, around: _Context) -> WorkflowStep:
    facts, defaults = around.facts, around.defaults
    entry = read_object(raw, "step", where)
    success = None
    if "successCriteria" in entry:
        success = _criteria(entry["successCriteria"], "successCriteria", where.inside("successCriteria"))
    own = {key: _actions(entry.get(key), key, where.inside(key), facts) for key in ("onSuccess", "onFailure")}
    return WorkflowStep(
        id=_identifier(read_text(entry, "stepId", "step", where), where.inside("stepId")),
        where=where,
        call=_call(entry, where, around),
        description=as_text(entry.get("description")),
        success=success or None,
        on_success=_with_defaults(own["onSuccess"], defaults["successActions"]),
        on_failure=_with_defaults(own["onFailure"], defaults["failureActions"]),
        outputs=read_outputs(entry.get("outputs"), where.inside("outputs"), facts.constants),
        after=_after(entry.get("dependsOn"), where.inside("dependsOn")),
        seconds=_seconds(entry.get("timeout"), where.inside("timeout")),
    )


# Results name steps, so an id must not bring blanks, line ends or hidden characters into them.
def _identifier(written: str, where: Where) -> str:
    """Return the id of a step in the characters that Arazzo recommends. Raises SkipOperation if it is too long."""
    if len(written) > _LONGEST_ID:
        raise invalid(f"A `stepId` has at most {_LONGEST_ID} characters.", where)
    return _OUTSIDE_OF_IDS.sub("-", written)


def _call(entry: JsonObject, where: Where, around: _Context) -> Invocation:
    facts = around.facts
    target = _target(entry, where, facts)
    of_workflow = target.kind == "workflow"
    own, inherited = (
        _parameters(holder.get("parameters"), place.inside("parameters"), facts, of_workflow=of_workflow)
        for holder, place in ((entry, where), (around.entry, around.where))
    )
    body, content_type = None, ""
    if "requestBody" in entry:
        if of_workflow:
            raise invalid("A step that calls a workflow has no `requestBody`.", where.inside("requestBody"))
        body, content_type = read_payload(as_object(entry["requestBody"]), where.inside("requestBody"), facts.constants)
    return Invocation(target, _with_inherited(own, inherited), body, content_type)


def _target(entry: JsonObject, where: Where, facts: Facts) -> Target:
    """Return what a step calls. Raises SkipOperation unless it is exactly one operation or workflow."""
    for key in _ASYNC:
        if key in entry:
            message = f"The step has `{key}`, but mcpgen neither sends nor receives messages of AsyncAPI."
            raise unsupported(message, where.inside(key), _NO_ASYNC)
    given = [key for key in _CALLS if key in entry]
    if len(given) != 1:
        hint = "Give exactly one of `operationId`, `operationPath` and `workflowId`."
        raise invalid("The step names " + ("two things to call." if given else "nothing to call."), where, hint)
    key, place = given[0], where.inside(given[0])
    written = read_text(entry, key, "step", where)
    if key == "workflowId":
        return facts.workflow(written, place)
    return facts.operation(written, place) if key == "operationId" else facts.operation_at(written, place)


def _after(value: JsonValue, where: Where) -> tuple[str, ...]:
    found = []
    for index, each in enumerate(read_list(value, "dependsOn", where)):
        if not isinstance(each, str):
            raise invalid("`dependsOn` of a step names steps by their ids.", where.inside(index))
        if each.startswith("$"):
            message = "A step cannot depend on a step of another workflow."
            hint = "Let a step call the other workflow, or name the workflow in `dependsOn` of this workflow."
            raise unsupported(message, where.inside(index), hint)
        found.append(_identifier(each, where.inside(index)))
    return tuple(found)


def _seconds(value: JsonValue, where: Where) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise invalid("`timeout` must be a positive number of milliseconds.", where)
    return value / 1000


def _ordered(steps: list[WorkflowStep]) -> tuple[WorkflowStep, ...]:
    """Return the steps in their order, but each after the steps that it depends on (Arazzo 1.1, 4.8.5.2).

    If a step has `dependsOn`, steps also depend on those whose outputs they use. Raises SkipOperation if a step depends
    on an unknown step or on itself, or if two steps have one id.
    """
    known: dict[str, WorkflowStep] = {}
    for step in steps:
        if step.id in known:
            raise invalid(f"Two steps are called '{clipped(step.id)}'.", step.where.inside("stepId"))
        known[step.id] = step
    for step in steps:
        for target in (*step.after, *(each.step for each in (*step.on_success, *step.on_failure) if each.step)):
            if target not in known:
                message = f"The step '{clipped(step.id)}' names the step '{clipped(target)}', which does not exist."
                raise invalid(message, step.where, nearest(target, list(known)))
    needed = {each.id: set(each.after) for each in steps}
    if any(needed.values()):
        for each in steps:
            values = compact([*(parameter.value for parameter in each.call.parameters), each.call.body])
            needed[each.id] |= known.keys() & set(_USED.findall(values)) - {each.id}
    found: dict[str, WorkflowStep] = {}
    while len(found) < len(steps):
        ready = next((each for each in steps if each.id not in found and needed[each.id] <= found.keys()), None)
        if ready is None:
            left = next(each for each in steps if each.id not in found)
            raise invalid(f"The step '{clipped(left.id)}' depends on itself.", left.where.inside("dependsOn"))
        found[ready.id] = ready
    return tuple(found.values())


# -- parameters -------------------------------------------------------------------------------------------------------


def _parameters(value: JsonValue, where: Where, facts: Facts, *, of_workflow: bool) -> tuple[StepParameter, ...]:
    """Return the parameters in a list. Raises SkipOperation if one is invalid, or given twice.

    `of_workflow`: True if they are inputs of a workflow, which have no location.
    """
    found: dict[tuple[str, str], StepParameter] = {}
    for index, raw in enumerate(read_list(value, "parameters", where)):
        each = _parameter(raw, where.inside(index), facts, of_workflow)
        if _identity(each) in found:
            raise invalid(f"The parameter '{clipped(each.name)}' is given twice.", where.inside(index))
        found[_identity(each)] = each
    return tuple(found.values())


def _with_inherited(own: Iterable[StepParameter], inherited: Iterable[StepParameter]) -> tuple[StepParameter, ...]:
    """Return the parameters of a step: its own, and those of its workflow that it does not replace."""
    own = tuple(own)
    taken = {_identity(each) for each in own}
    return own + tuple(each for each in inherited if _identity(each) not in taken)


def _identity(parameter: StepParameter) -> tuple[str, str]:
    """Return what makes a parameter the same as another: name and location. Names of header fields ignore case."""
    name = parameter.name.lower() if parameter.location == "header" else parameter.name
    return name, parameter.location or ""


def _parameter(raw: JsonValue, where: Where, facts: Facts, of_workflow: bool) -> StepParameter:
    raw, where, values = facts.component(raw, "parameters", where)
    entry = {**read_object(raw, "parameter", where), **values}
    name = read_text(entry, "name", "parameter", where)
    if "value" not in entry:
        raise invalid(f"The parameter '{clipped(name)}' has no `value`.", where)
    location = entry.get("in")
    if not of_workflow and location not in get_args(Location):
        hint = f"`in` is one of {', '.join(get_args(Location))}."
        raise invalid(f"The parameter '{clipped(name)}' has no valid `in`.", where, hint)
    value = read_value(entry["value"], where.inside("value"), facts.constants)
    return StepParameter(name, value, where, None if of_workflow else cast(Location, location))


# -- criteria and actions ---------------------------------------------------------------------------------------------


def _criteria(value: JsonValue, key: str, where: Where) -> tuple[Criterion, ...]:
    """Return the criteria in the list under `key`. Raises SkipOperation if one can never be evaluated."""
    entries = enumerate(read_list(value, key, where))
    return tuple(_criterion(read_object(raw, "criterion", where.inside(i)), where.inside(i)) for i, raw in entries)


def _criterion(entry: JsonObject, where: Where) -> Criterion:
    condition = read_text(entry, "condition", "criterion", where)
    kind = read_selector(entry.get("type", "simple"), where.inside("type"))
    if kind not in _CRITERIA:
        raise invalid(f"'{clipped(kind)}' is no type of a criterion.", where.inside("type"))
    context = read_text(entry, "context", "criterion", where) if kind != "simple" or "context" in entry else ""
    if context and not expressions.is_expression(context):
        raise invalid(f"The context '{clipped(context)}' is no runtime expression.", where.inside("context"))
    if problem := criteria.problem(kind, condition):
        message = f"The condition '{clipped(condition)}' can never be evaluated: {problem}."
        raise invalid(message, where.inside("condition"))
    return Criterion(cast(CriterionKind, kind), condition, where, context)


def _actions(value: JsonValue, key: str, where: Where, facts: Facts) -> list[_Named]:
    """Return the actions in the list under `key`, such as `onSuccess`. Raises SkipOperation if one is invalid."""
    kind = "success action" if "uccess" in key else "failure action"
    return [_action(raw, kind, where.inside(index), facts) for index, raw in enumerate(read_list(value, key, where))]


def _with_defaults(own: Iterable[_Named], defaults: Iterable[_Named]) -> tuple[Action, ...]:
    """Return the actions of a step: its own, then those of its workflow that it does not replace by name."""
    own = list(own)
    names = {name for name, _ in own}
    return tuple(action for _, action in own) + tuple(each for name, each in defaults if name not in names)


def _action(raw: JsonValue, kind: str, where: Where, facts: Facts) -> _Named:
    raw, where, _ = facts.component(raw, "successActions" if kind == "success action" else "failureActions", where)
    entry = read_object(raw, kind, where)
    name, written = (read_text(entry, key, kind, where) for key in ("name", "type"))
    if written not in _KINDS[kind]:
        known = ", ".join(f"`{each}`" for each in _KINDS[kind])
        raise invalid(f"The type of a {kind} is one of {known}.", where.inside("type"))
    step = _identifier(read_text(entry, "stepId", kind, where), where) if "stepId" in entry else ""
    target = None
    if "workflowId" in entry:
        target = facts.workflow(read_text(entry, "workflowId", kind, where), where.inside("workflowId"))
    if written == "end" and (step or target):
        step, target = "", None  # they are "only relevant" for the other types
    if step and target:
        raise invalid(f"A {kind} has both a `stepId` and a `workflowId`.", where)
    if written == "goto" and not (step or target):
        raise invalid(f"A {kind} of the type `goto` needs a `stepId` or a `workflowId`.", where)
    return name, Action(
        kind=cast(ActionKind, written),
        where=where,
        step=step,
        target=target,
        seconds=_number(entry, "retryAfter", 0, where),
        most=int(_number(entry, "retryLimit", 1, where)),
        criteria=_criteria(entry.get("criteria"), "criteria", where.inside("criteria")),
        parameters=_parameters(entry.get("parameters"), where.inside("parameters"), facts, of_workflow=True)
        if target
        else (),
    )


def _number(entry: JsonObject, key: str, default: int, where: Where) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        raise invalid(f"`{key}` must be a number that is not negative.", where.inside(key))
    if key == "retryLimit" and value != int(value):
        raise invalid("`retryLimit` must be a whole number.", where.inside(key))
    return value
