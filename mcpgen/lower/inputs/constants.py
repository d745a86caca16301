"""Find values that the server fills in itself. A document fixes some: inputs with only one possible value, a version of
the API in `Accept`, and parameters by which a caller only consents, such as `confirm=true`.

The server makes the values of headers by which an API detects repeated requests, or numbers them. Such an argument is
optional even if the document requires the header. A model needs it only to repeat a failed call.
"""

import re

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.names import fold, words
from mcpgen.lower.inputs.bodies import BodyPlan
from mcpgen.lower.schema.compose import Composer, alternatives, types
from mcpgen.lower.schema.patterns import matches
from mcpgen.model import Operation, Parameter
from mcpgen.read.openapi.credentials import REQUEST_IDS

NOTE = "Made by the server if left out."

_NAME = "idempotency-key"
_UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

_FIELD_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_MEDIA_TYPE = re.compile(r"[^\s/;,]+/[^\s/;,]+")

_CONSENT = frozenset(["confirm", "confirmed", "confirmation", "acknowledge", "acknowledged", "force", "sure"])
"""Words in the names of inputs by which a caller only consents to what the operation does."""


def accept(operation: Operation, composer: Composer) -> str:
    """Return the `Accept` header that a document fixes by a constant or default, such as a version of the API. Return
    "" if there is none.
    """
    for each in operation.withheld:
        if each.location == "header" and each.name.lower() == "accept":
            value = composer.only_value(each.schema) or composer.node(each.schema)[0].get("default")
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
    return [name for name in named if composer.only_value(inputs[name]) is not None]


# -- values that the server makes --------------------------------------------------------------------------------------


# A model gains nothing from inventing a key. If a call may have been executed, its error names the key to use again.
def is_made(parameter: Parameter, composer: Composer) -> bool:
    """Return True if the server fills this parameter in with a new UUID by default.

    The parameter must be an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) whose schema allows a UUID,
    or a required header such as `X-Request-Id` whose schema is a UUID.
    """
    is_key = parameter.name.lower() == _NAME
    if parameter.location != "header" or parameter.content is not None:
        return False
    if not is_key and not (parameter.required and fold(parameter.name) in REQUEST_IDS):
        return False
    node, _ = composer.node(parameter.schema)
    if not is_key and node.get("format") != "uuid":
        return False
    if alternatives(node) or "enum" in node or "const" in node or node.get("format", "uuid") != "uuid":
        return False
    return "string" in (types(node) or ["string"]) and _takes_uuid(node)


def _takes_uuid(node: JsonObject) -> bool:
    least, most, pattern = (node.get(keyword) for keyword in ("minLength", "maxLength", "pattern"))
    if isinstance(least, (int, float)) and least > len(_UUID):
        return False
    if isinstance(most, (int, float)) and most < len(_UUID):
        return False
    return pattern is None or matches(str(pattern), _UUID)
