"""Make required arguments optional if the document gives their default. The server sends the default instead.

A path parameter must be required (OpenAPI 3.1, 4.8.12.2), so its default can only mean this. But some documents write
an example as the default. So an argument that names the object of a call stays required, unless its default is a word
such as `me`: without its id, a call would change an object that nobody named.
"""

from collections.abc import Iterable, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import words
from mcpgen.lower.inputs.changes import misfit
from mcpgen.lower.inputs.slots import WHOLE, Input, Slot
from mcpgen.lower.schema.compose import Composer
from mcpgen.model import Operation

_IDENTIFIES = frozenset(["id", "ids", "uuid", "guid", "slug"])
_WORDS = frozenset(["me", "@me", "self", "current", "default", "all", "-", "_", "~"])
"""Defaults that stand for an object of the caller, or for all objects."""


def filled_in(
    operation: Operation,
    schema: JsonObject,
    inputs: Iterable[Input],
    names: Mapping[Slot, str],
    demanded: set[Slot],
    composer: Composer,
) -> tuple[JsonObject, JsonObject]:
    """Return the input schema in which required arguments with a default are optional, and argument → this default.

    `demanded`: slots that the owner makes required.
    """
    properties, required = as_object(schema.get("properties")), [str(name) for name in as_list(schema.get("required"))]
    defaults: JsonObject = {}
    for entry in inputs:
        name = names[entry.slot]
        if name not in required or entry.slot in demanded:
            continue
        # the schema that is shown leaves out some defaults, such as those of unions
        default = composer.node(entry.schema)[0].get("default")
        if default not in (None, "") and not _must_be_given(operation, entry, default):
            defaults[name] = default
    defaults = {name: value for name, value in defaults.items() if not misfit(schema, name, value)}
    if not defaults:
        return schema, {}
    left = [name for name in required if name not in defaults]
    ordered = {name: properties[name] for name in [*left, *(name for name in properties if name not in left)]}
    changed: JsonObject = {**schema, "properties": ordered, "required": list[JsonValue](left)}
    return {key: value for key, value in changed.items() if left or key != "required"}, defaults


def _must_be_given(operation: Operation, entry: Input, default: JsonValue) -> bool:
    """Return True if a call must give a required argument although the document has a default for it."""
    place, name = entry.slot
    if entry.slot == WHOLE or entry.file or place == "part":
        return True
    *_, last = operation.template.variables or ("",)
    ends_path = place == "path" and name == last and not operation.template.literals[-1]
    names_object = ends_path or (words(name) or [""])[-1] in _IDENTIFIES
    return names_object and str(default) not in _WORDS
