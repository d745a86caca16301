"""Take parameters that name the version of the API away from models, if all operations have the same default for them.

A required parameter, such as the header `X-Pinecone-Api-Version`, gets its default as its only value, which the server
sends. An optional one is left out, since the API assumes its default.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.names import clipped, fold
from mcpgen.model import Operation, Parameter
from mcpgen.read.openapi.credential_members import found_schema
from mcpgen.read.openapi.credentials import FEWEST, USUAL

Slot = tuple[str, str]


def fix_version_parameters(
    operations: tuple[Operation, ...], definitions: Mapping[str, JsonObject], diagnostics: Diagnostics
) -> tuple[Operation, ...]:
    """Return `operations` in which these parameters are constants or left out. Report each of them once."""
    counts, defaults = Counter[Slot](), dict[Slot, list[JsonValue]]()
    first: dict[Slot, Parameter] = {}
    for parameter in (each for operation in operations for each in operation.parameters if _names_version(each)):
        slot = _slot(parameter)
        counts[slot] += 1
        first.setdefault(slot, parameter)
        default = found_schema(parameter.schema, definitions).get("default")
        if default not in (known := defaults.setdefault(slot, [])):
            known.append(default)
    is_usual = len(operations) >= FEWEST
    fixed = {
        slot: values[0]
        for slot, values in defaults.items()
        if is_usual and counts[slot] > USUAL * len(operations) and len(values) == 1 and values[0] is not None
    }
    for slot, value in fixed.items():
        message = (
            f"The {slot[0]} parameter {first[slot].name} has the default {clipped(str(value))} in all operations, so it"
            " is not an argument."
        )
        hint = "To send another value, give the parameter a `value` in an override for all operations."
        diagnostics.add("credential-parameter", message, first[slot].where, hint)
    return tuple(_fixed(operation, fixed) for operation in operations) if fixed else operations


def _names_version(parameter: Parameter) -> bool:
    return parameter.location in ("header", "query") and fold(parameter.name).endswith("version")


def _slot(parameter: Parameter) -> Slot:
    return parameter.location, fold(parameter.name)


def _fixed(operation: Operation, values: Mapping[Slot, JsonValue]) -> Operation:
    kept: list[Parameter] = []
    left_out: list[Parameter] = []
    for each in operation.parameters:
        if _slot(each) not in values:
            kept.append(each)
        elif each.required:
            kept.append(replace(each, schema={**each.schema, "enum": [values[_slot(each)]]}))
        else:
            left_out.append(each)
    return replace(operation, parameters=tuple(kept), withheld=(*operation.withheld, *left_out))
