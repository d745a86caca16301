"""Check handwritten schemas. Such schemas are passed on unchanged; a schema for which clients would drop the whole list
of tools is an error.

Clients compile all schemas of a list before they show any tool. So the root must be a plain object whose properties are
schemas. The schema must compile in a dialect that clients know, without references to other documents.
"""

from collections.abc import Iterator

from mcpgen.base.confined import Stopped, run_confined
from mcpgen.base.jsonvalue import JsonObject, as_object, as_text, pointer
from mcpgen.base.names import clipped
from mcpgen.lower.schema import branching

DIALECTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
)
_LONGEST_REASON = 160
_SECONDS, _MEBIBYTES = 5, 256
"""Limits on seconds and MiB of memory for compiling a schema that applies itself to the same value."""


def broken(schema: JsonObject) -> Iterator[str]:
    """Yield every reason why clients would refuse `schema`, as the end of a sentence about the schema."""
    if schema.get("type") != "object":
        yield "is not a plain object at its root; write `type: object` there"
    for key, member in as_object(schema.get("properties")).items():
        if not isinstance(member, dict):
            yield f"has a property {clipped(key)} that is not an object; to allow any value, write {{}}"
    dialect = schema.get("$schema", DIALECTS[0])
    if as_text(dialect).rstrip("#") not in DIALECTS:
        yield f"is in a dialect that clients do not know, {clipped(str(dialect))}"
    elif reason := _uncompilable(schema):
        yield f"cannot be compiled: {reason}"


def _uncompilable(schema: JsonObject) -> str:
    """Return why a schema cannot be compiled, and where, or "" if it can."""
    if not branching.leads_back(schema):
        return _fault(schema)
    try:  # in a child process: compiling a schema that applies itself to the same value may never end
        return "".join(map(str, run_confined(lambda tell: tell(_fault(schema)), _SECONDS, _MEBIBYTES)))
    except Stopped as end:
        return f"it {end.args[0]}, because parts of it refer back to themselves for the same value"


def _fault(schema: JsonObject) -> str:
    import jsonschema_rs  # imported here, since only handwritten schemas need it

    try:
        jsonschema_rs.meta.validate(schema)
        jsonschema_rs.validator_for(schema, offline=True)
    except jsonschema_rs.ValidationError as problem:
        place = pointer("", *problem.instance_path)
        return clipped(problem.message, _LONGEST_REASON) + (f" (at {clipped(place)})" if place else "")
    except (jsonschema_rs.ReferencingError, ValueError) as problem:
        return clipped(str(problem), _LONGEST_REASON)
    return ""
