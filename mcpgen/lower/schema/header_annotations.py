"""Check `x-mcp-header` in handwritten schemas (MCP 2026-07-28, SEP-2243).

HTTP clients also send an argument with this annotation in a header, `Mcp-Param-NAME`. Official clients drop a tool with
an invalid annotation, even over stdio, so the compiler reports such an annotation with its line.
"""

import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.names import clipped

KEYWORD = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Pattern of a token (RFC 9110, section 5.6.2)."""

_TYPES = ("string", "integer", "boolean")
_DATA = frozenset({"enum", "const", "default", "example", "examples"})
"""Keywords whose values are data, not schemas."""

_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose values map names to schemas."""


def find_invalid(schema: JsonObject, where: Where) -> Iterator[Diagnostic]:
    """Yield a finding for each invalid `x-mcp-header`, for which clients drop the tool, in the schema at `where`."""
    taken: set[str] = set()
    for node, place, is_reached in _schemas(schema, where, is_reached=False, is_root=True):
        if KEYWORD not in node:
            continue
        value = node[KEYWORD]
        if reason := _refusal(value, node, is_reached) or _twice(str(value), taken):
            message = f"The {KEYWORD} {clipped(str(value))!r} {reason}: clients would drop the tool."
            yield Diagnostic(
                "invalid-header-name", message, "Correct the x-mcp-header, or remove it.", place.inside(KEYWORD)
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
