"""Check handwritten schemas. Such schemas are passed on unchanged; a schema for which clients would drop a tool, or the
whole list of tools, is an error.

Clients compile all schemas of a list before they show any tool. So the root must be a plain object whose properties are
schemas. The schema must compile in a dialect that clients know, without references to other documents.

HTTP clients also send an argument with the annotation `x-mcp-header` in a header, `Mcp-Param-NAME` (MCP 2026-07-28,
SEP-2243). Official clients drop a tool with an invalid annotation, even over stdio.
"""

import re
from collections.abc import Iterator

from mcpgen.base.confined import Stopped, run_confined
from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text, pointer
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


HEADER_KEYWORD = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Pattern of a token (RFC 9110, section 5.6.2)."""

_TYPES = ("string", "integer", "boolean")
_DATA = frozenset({"enum", "const", "default", "example", "examples"})
"""Keywords whose values are data, not schemas."""

_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose values map names to schemas."""


def invalid_header_annotations(schema: JsonObject, where: Where) -> Iterator[Diagnostic]:
    """Yield a finding for each invalid `x-mcp-header`, for which clients drop the tool, in the schema at `where`."""
    taken: set[str] = set()
    for node, place, is_reached in _schemas(schema, where, is_reached=False, is_root=True):
        if HEADER_KEYWORD not in node:
            continue
        value = node[HEADER_KEYWORD]
        if reason := _refusal(value, node, is_reached) or _twice(str(value), taken):
            message = f"The {HEADER_KEYWORD} {clipped(str(value))!r} {reason}: clients would drop the tool."
            yield Diagnostic(
                "invalid-header-name", message, "Correct the x-mcp-header, or remove it.", place.inside(HEADER_KEYWORD)
            )
        taken.add(str(value).lower())


def _refusal(value: JsonValue, node: JsonObject, is_reached: bool) -> str:
    """Return why `value`, the `x-mcp-header` of `node`, is invalid, or "". `_twice` finds values that occur twice."""
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        return "is not the name of a header"
    if not is_reached:
        return "is not at a property that is reached through `properties` alone"
    return "" if node.get("type") in _TYPES else "is not at a property of type string, integer or boolean"


def _twice(value: str, taken: set[str]) -> str:
    return "occurs twice in the schema" if value.lower() in taken else ""


def _schemas(
    value: JsonValue, where: Where, *, is_reached: bool, is_root: bool = False
) -> Iterator[tuple[JsonObject, Where, bool]]:
    """Yield every schema in `value`, its place, and True if the path to it goes only through `properties`."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _schemas(item, where.inside(index), is_reached=False)
    if not isinstance(value, dict):
        return
    yield value, where, is_reached
    for keyword, inner in value.items():
        if keyword in _NAMED and isinstance(inner, dict):
            leads = keyword == "properties" and (is_reached or is_root)
            for name, member in inner.items():
                yield from _schemas(member, where.inside(keyword, name), is_reached=leads)
        elif keyword not in _DATA:
            yield from _schemas(inner, where.inside(keyword), is_reached=False)
