"""Schemas written by hand: passed on untouched, unless they would make a client drop the whole list of tools.

Clients compile the schemas of a list before they show any of its tools. So the root must be a plain object, each of its
properties an object too, and the whole must compile in a dialect that clients know, with nothing but what is in it.
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
"""What compiling a schema may take that leads back to itself."""


def broken(schema: JsonObject) -> Iterator[str]:
    """Every reason why clients would refuse `schema`, as what follows its name in a sentence."""
    if schema.get("type") != "object":
        yield "is not a plain object at its root; write `type: object` there"
    for key, member in as_object(schema.get("properties")).items():
        if not isinstance(member, dict):
            yield f"has a property {clipped(key)} that is no object; write {{}} for anything"
    dialect = schema.get("$schema", DIALECTS[0])
    if as_text(dialect).rstrip("#") not in DIALECTS:
        yield f"is in a dialect that clients do not know, {clipped(str(dialect))}"
    elif reason := _uncompilable(schema):
        yield f"cannot be compiled: {reason}"


def _uncompilable(schema: JsonObject) -> str:
    """Why a schema cannot be compiled, and where; empty where it can."""
    if not branching.leads_back(schema):
        return _fault(schema)
    try:  # what leads back to itself many times may take the library forever
        return "".join(map(str, run_confined(lambda tell: tell(_fault(schema)), _SECONDS, _MEBIBYTES)))
    except Stopped as end:
        return f"it {end.args[0]}, since parts of it lead back to themselves for one value"


def _fault(schema: JsonObject) -> str:
    import jsonschema_rs  # only what is written by hand pays for it

    try:
        jsonschema_rs.meta.validate(schema)
        jsonschema_rs.validator_for(schema, offline=True)
    except jsonschema_rs.ValidationError as problem:
        place = pointer("", *problem.instance_path)
        return clipped(problem.message, _LONGEST_REASON) + (f" (at {clipped(place)})" if place else "")
    except (jsonschema_rs.ReferencingError, ValueError) as problem:
        return clipped(str(problem), _LONGEST_REASON)
    return ""
