"""Offer an argument `fields`, with which a model asks for parts of a result.

A tool gets the argument if `fields` in the tools file (or `--fields`) is true for the tool, its response is a JSON
object or array, and its API has no such parameter. The runtime reads the argument; no request sends it.
"""

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.names import alphanumeric
from mcpgen.base.runtime import page_arguments
from mcpgen.lower.schema.compose import Composer, types
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.model import Operation

ARGUMENT = "fields"
SCHEMA: JsonObject = {
    "type": "string",
    "description": "Parts of the result to show, as up to 20 dotted paths: id,owner.name",
}


# If every tool had the argument `fields`, it would cost more tokens than it saves (docs/decisions/results.md).
def are_offered(operation: Operation, composer: Composer) -> bool:
    """Return True if the tool for `operation` gets the argument `fields`."""
    if not operation.decided.fields or operation.decided.output_schema is not None:
        return False  # a result with only some fields would not match a handwritten output schema
    if operation.decided.result is not None and operation.decided.result.replaces:
        return False  # a text or content blocks replace the JSON, so there are no fields to select
    query = (alphanumeric(each.name) for each in operation.parameters if each.location == "query")
    if any(map(page_arguments.FIELDS.fullmatch, query)):
        return False  # the API has an argument for this purpose
    good = [response for response in operation.responses if response.status[:1] == "2"]
    schemas = [
        media_type.schema
        for response in good
        for media_type in response.content
        if encoding_of(media_type.name) == "json"
    ]
    return not good or any(schema is None or _has_parts(schema, composer) for schema in schemas)


def _has_parts(schema: JsonObject, composer: Composer) -> bool:
    kinds = types(composer.node(schema)[0])
    return not kinds or bool({"object", "array"} & set(kinds))
