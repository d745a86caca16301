"""The header by which an upstream knows a request that comes twice: where the server can make its value by itself.

Then the argument may be left out, whatever the document says: a model has no use for it before a call has failed, and
the server needs one to try the call again.
"""

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.lower.schema.compose import Composer, alternatives, types
from mcpgen.lower.schema.patterns import matches
from mcpgen.model import Parameter

NOTE = "Made by the server if left out."

_NAME = "idempotency-key"
_UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


# Decision 0036: The server makes idempotency keys.
def is_made(parameter: Parameter, composer: Composer) -> bool:
    """Whether the server fills this parameter in with a new UUID where a call does not: it is an `Idempotency-Key`
    (draft-ietf-httpapi-idempotency-key-header), and its schema takes one.
    """
    if (parameter.location, parameter.name.lower()) != ("header", _NAME) or parameter.content is not None:
        return False
    node, _ = composer.node(parameter.schema)
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
