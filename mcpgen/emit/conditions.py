"""Write conditions on a response in the form of `bindings.json`."""

from collections.abc import Iterable

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model import Condition


def conditions(listed: Iterable[Condition]) -> list[JsonValue]:
    """Return conditions on a response in the form of `bindings.json`."""
    return [_condition(each) for each in listed]


def _condition(condition: Condition) -> JsonObject:
    result: JsonObject = {"pointer": condition.pointer} if not condition.of_status else {}
    if condition.values:
        result["values"] = list(condition.values)
    return {**result, "not": True} if condition.negated else result
