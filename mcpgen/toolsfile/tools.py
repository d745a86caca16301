"""`tools:` of the tools file: tools written by hand → operations.

A tool speaks OpenAPI's words, so OpenAPI's own readers read its parameters, bodies and responses.
"""

import re

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.errors import Unusable
from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.model import MediaType, Operation, RequestBody, SecurityScheme, Skipped
from mcpgen.names import WRITTEN_TOOL_NAME, clipped
from mcpgen.openapi import content, parameters, paths
from mcpgen.openapi.references import References
from mcpgen.toolsfile import confirmation, outputs, roles

_REQUEST = re.compile(r"(GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS) (/\S*)")


def read(
    value: JsonValue,
    where: Where,
    schemes: tuple[SecurityScheme, ...],
    references: References,
    diagnostics: Diagnostics,
) -> tuple[tuple[Operation, ...], tuple[Skipped, ...]]:
    """The operations of the `tools` at `where`, and those that had to be skipped. What has not the shape of a tool was
    told.
    """
    found: dict[str, Operation] = {}
    skipped: list[Skipped] = []
    for index, entry in enumerate(as_list(value)):
        place = where.inside(index)
        label = clipped(str(as_object(entry).get("name", f"tool {index + 1}")))
        try:
            operation = _read_tool(entry, place, schemes, references, diagnostics)
        except Unusable as unusable:
            skipped.append(Skipped(label, unusable.diagnostic))
            continue
        if operation is None:
            continue
        folded = operation.key.casefold()
        if folded in found:
            message = f"Two tools are called {operation.name}."
            diagnostics.add("duplicate-name", message, place.inside("name"), "Rename one of them.")
        found.setdefault(folded, operation)
    return tuple(found.values()), tuple(skipped)


def _read_tool(
    entry: JsonValue,
    where: Where,
    schemes: tuple[SecurityScheme, ...],
    references: References,
    diagnostics: Diagnostics,
) -> Operation | None:
    """One tool, None where what is wrong with it was reported as an error."""
    if not isinstance(entry, dict):
        return None
    name, request = entry.get("name"), _REQUEST.fullmatch(as_text(entry.get("request")).strip())
    if not isinstance(name, str) or not WRITTEN_TOOL_NAME.fullmatch(name) or request is None:
        return None  # which the shape of the file has told
    method, path = request.groups()
    template = paths.parse(path, where, diagnostics)
    api_keys = (scheme for scheme in schemes if scheme.type == "apiKey")
    filled = {parameters.place_of(scheme.location, scheme.wire_name): scheme for scheme in api_keys}
    lists = [(entry.get("parameters"), where.inside("parameters"))]
    read_parameters, keys_of_api = parameters.read(lists, filled, references, diagnostics)
    return Operation(
        key=f"tool {name}",
        method=method,
        path=path,
        template=template,
        where=where,
        name=name,
        title=as_text(entry.get("title")) or None,
        description=as_text(entry.get("description")),
        parameters=parameters.matched_with_path(read_parameters, template, where, diagnostics),
        body=_body(entry, where, references, diagnostics),
        responses=content.read_responses(
            as_object(entry.get("responses")), where.inside("responses"), references, diagnostics
        ),
        credentials=keys_of_api,
        output=outputs.output(entry),
        output_schema=outputs.schema(entry, where, diagnostics),
        fields=outputs.fields(entry),
        confirm=confirmation.of_tool(entry),
        roles=roles.of_tool(entry),
    )


def _body(entry: JsonObject, where: Where, references: References, diagnostics: Diagnostics) -> RequestBody | None:
    """OpenAPI's request body object, or a bare schema, which means JSON and required."""
    value = entry.get("body")
    if value is None:
        return None
    place = where.inside("body")
    if isinstance(value, dict) and "content" in value:
        return content.read_body(value, place, references, diagnostics)
    json_body = MediaType("application/json", references.schema(place))
    return RequestBody((json_body,), place, required=True)
