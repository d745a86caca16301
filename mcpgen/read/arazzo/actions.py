"""Read criteria, and what follows a step: success actions and failure actions (Arazzo 1.1, 4.6.7, 4.6.8, 4.6.11)."""

from collections.abc import Iterable
from typing import cast

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.names import clipped
from mcpgen.base.runtime import criteria, expressions
from mcpgen.model.workflow import Action, ActionKind, Criterion, CriterionKind
from mcpgen.read.arazzo.facts import Facts
from mcpgen.read.arazzo.keys import invalid, read_list, read_object, read_text
from mcpgen.read.arazzo.parameters import read_parameters
from mcpgen.read.arazzo.values import read_selector

_KINDS = {"success action": ("end", "goto"), "failure action": ("end", "goto", "retry")}
_CRITERIA = ("simple", "regex", "jsonpath")

Named = tuple[str, Action]
"""An action with its name."""


def read_criteria(value: JsonValue, key: str, where: Where) -> tuple[Criterion, ...]:
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


def read_actions(value: JsonValue, key: str, where: Where, facts: Facts) -> list[Named]:
    """Return the actions in the list under `key`, such as `onSuccess`. Raises SkipOperation if one is invalid."""
    kind = "success action" if "uccess" in key else "failure action"
    return [_action(raw, kind, where.inside(index), facts) for index, raw in enumerate(read_list(value, key, where))]


def with_defaults(own: Iterable[Named], defaults: Iterable[Named]) -> tuple[Action, ...]:
    """Return the actions of a step: its own, then those of its workflow that it does not replace by name."""
    own = list(own)
    names = {name for name, _ in own}
    return tuple(action for _, action in own) + tuple(each for name, each in defaults if name not in names)


def _action(raw: JsonValue, kind: str, where: Where, facts: Facts) -> Named:
    raw, where, _ = facts.component(raw, "successActions" if kind == "success action" else "failureActions", where)
    entry = read_object(raw, kind, where)
    name, written = (read_text(entry, key, kind, where) for key in ("name", "type"))
    if written not in _KINDS[kind]:
        known = ", ".join(f"`{each}`" for each in _KINDS[kind])
        raise invalid(f"The type of a {kind} is one of {known}.", where.inside("type"))
    step = read_text(entry, "stepId", kind, where) if "stepId" in entry else ""
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
        criteria=read_criteria(entry.get("criteria"), "criteria", where.inside("criteria")),
        parameters=read_parameters(entry.get("parameters"), where.inside("parameters"), facts, of_workflow=True)
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
