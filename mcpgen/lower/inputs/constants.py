"""Find values that a document fixes: inputs with only one possible value, a version of the API in `Accept`, and
parameters by which a caller only consents, such as `confirm=true`.
"""

import re

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import words
from mcpgen.lower.inputs.bodies import BodyPlan
from mcpgen.lower.schema.compose import Composer, types
from mcpgen.model import Operation

_FIELD_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_MEDIA_TYPE = re.compile(r"[^\s/;,]+/[^\s/;,]+")

_CONSENT = frozenset(["confirm", "confirmed", "confirmation", "acknowledge", "acknowledged", "force", "sure"])
"""Words in the names of inputs by which a caller only consents to what the operation does."""


def only_value(schema: JsonObject, composer: Composer) -> JsonValue:
    """Return the only value that a schema allows, or None if it allows several."""
    node, _ = composer.node(schema)
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    return values[0] if len(values) == 1 and "null" not in types(node) else None


def accept(operation: Operation, composer: Composer) -> str:
    """Return the `Accept` header that a document fixes by a constant or default, such as a version of the API. Return
    "" if there is none.
    """
    for each in operation.withheld:
        if each.location == "header" and each.name.lower() == "accept":
            value = only_value(each.schema, composer) or composer.node(each.schema)[0].get("default")
            if isinstance(value, str) and _FIELD_VALUE.fullmatch(value) and _MEDIA_TYPE.match(value):
                return value
    return ""


def fixed_consents(operation: Operation, plan: BodyPlan | None, composer: Composer) -> list[str]:
    """Return the names of required inputs that ask for consent (`confirm`) and allow only one value.

    The server fills in this value.
    """
    inputs = {each.name: each.schema for each in operation.parameters if each.required}
    body, _ = composer.node(plan.schema) if plan is not None and plan.schema else ({}, ())
    members = as_object(body.get("properties"))
    inputs |= {str(name): as_object(members.get(str(name))) for name in as_list(body.get("required"))}
    named = (name for name in inputs if _CONSENT.intersection(words(name)))
    return [name for name in named if only_value(inputs[name], composer) is not None]
