"""Read parameters: the values that a step passes to an operation or a workflow (Arazzo 1.1, 4.8.6)."""

from collections.abc import Iterable
from typing import cast, get_args

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.names import clipped
from mcpgen.model.words import Location
from mcpgen.model.workflow import StepParameter
from mcpgen.read.arazzo.facts import Facts
from mcpgen.read.arazzo.keys import invalid, read_list, read_object, read_text
from mcpgen.read.arazzo.values import read_value


def read_parameters(value: JsonValue, where: Where, facts: Facts, *, of_workflow: bool) -> tuple[StepParameter, ...]:
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


def with_inherited(own: Iterable[StepParameter], inherited: Iterable[StepParameter]) -> tuple[StepParameter, ...]:
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
