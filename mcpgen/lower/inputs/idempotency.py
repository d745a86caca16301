"""Recognise headers by which an API detects repeated requests, or numbers them, if the server can make their values.

Such an argument is optional even if the document requires the header. A model needs it only to repeat a failed call,
and the server needs the header to retry.
"""

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.names import fold
from mcpgen.lower.schema.compose import Composer, alternatives, types
from mcpgen.lower.schema.patterns import matches
from mcpgen.model import Parameter
from mcpgen.read.openapi.credentials import REQUEST_IDS

NOTE = "Made by the server if left out."

_NAME = "idempotency-key"
_UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


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
