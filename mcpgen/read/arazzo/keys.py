"""The objects of Arazzo with their fixed fields, and how an invalid one is refused."""

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.names import clipped, nearest

_ACTION = ("name", "type", "workflowId", "stepId", "parameters", "criteria")

FIELDS = {
    "document": ("arazzo", "$self", "info", "sourceDescriptions", "workflows", "components"),
    "source description": ("name", "url", "type"),
    "workflow": (
        *("workflowId", "summary", "description", "inputs", "dependsOn", "steps", "successActions", "failureActions"),
        *("outputs", "parameters"),
    ),
    "step": (
        *("description", "stepId", "operationId", "operationPath", "channelPath", "workflowId", "parameters"),
        *("requestBody", "successCriteria", "onSuccess", "onFailure", "outputs", "timeout", "correlationId", "action"),
        "dependsOn",
    ),
    "parameter": ("name", "in", "value"),
    "request body": ("contentType", "payload", "replacements"),
    "payload replacement": ("target", "targetSelectorType", "value"),
    "success action": _ACTION,
    "failure action": (*_ACTION, "retryAfter", "retryLimit"),
    "criterion": ("context", "condition", "type"),
    "expression type": ("type", "version"),
    "components": ("inputs", "parameters", "successActions", "failureActions"),
}
"""Name of each object → its fields (Arazzo 1.1, 4.8)."""


def invalid(message: str, where: Where, hint: str = "") -> SkipOperation:
    """Return the exception that leaves out a workflow because it is invalid."""
    return SkipOperation("invalid-workflow", message, where, hint or "Correct the Arazzo document at this place.")


def unsupported(message: str, where: Where, hint: str) -> SkipOperation:
    """Return the exception that leaves out a workflow because it needs what mcpgen does not have."""
    return SkipOperation("unsupported-workflow", message, where, hint)


def read_object(value: JsonValue, kind: str, where: Where) -> JsonObject:
    """Return an object of Arazzo. Raises SkipOperation if it is none, or has a field that Arazzo does not define."""
    if not isinstance(value, dict):
        raise invalid(f"A {kind} must be an object.", where)
    for key in value:
        if key not in FIELDS[kind] and not key.startswith("x-"):
            message = f"A {kind} has no field '{clipped(key)}'."
            raise invalid(message, where.inside(key), nearest(key, FIELDS[kind]))
    return value


def read_list(value: JsonValue, key: str, where: Where) -> list[JsonValue]:
    """Return the list under `key`, or an empty list if there is none. Raises SkipOperation for any other value."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise invalid(f"`{key}` must be a list.", where)
    return value


def read_text(entry: JsonObject, key: str, kind: str, where: Where) -> str:
    """Return the text under `key` of an object, which must have one. Raises SkipOperation otherwise."""
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        problem = "needs a text as" if key in entry else "has no"
        raise invalid(f"A {kind} {problem} `{key}`.", where.inside(key) if key in entry else where)
    return value
