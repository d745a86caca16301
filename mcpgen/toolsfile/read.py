"""A tools file → `Api`.

The file speaks OpenAPI's words, so OpenAPI's own readers read its parameters, bodies and security schemes. What a
person wrote is taken seriously: an unknown key or a value of the wrong kind is an error with its place and the nearest
key, never skipped over.
"""

import re

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.document import Document
from mcpgen.errors import CannotGoOn, Unusable
from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.model import Api, MediaType, Operation, Output, RequestBody, SecurityScheme, Server, Skipped
from mcpgen.names import SERVER_NAME, VERSION_NUMBER, WRITTEN_TOOL_NAME, clipped
from mcpgen.openapi import content, parameters, paths, security, servers
from mcpgen.openapi.references import References
from mcpgen.openapi.schemas import Definitions
from mcpgen.toolsfile import confirmation, keys, roles

VERSION = 1
_REQUEST = re.compile(r"(GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS) (\S.*)")


def is_tools_file(value: JsonValue) -> bool:
    """Whether a document calls itself a tools file."""
    return isinstance(value, dict) and "mcpgen" in value


def read(document: Document, definitions: Definitions, diagnostics: Diagnostics) -> Api:
    """The API that a tools file defines, its schemas in `definitions`. CannotGoOn for another version of the format;
    errors are added to `diagnostics`.
    """
    root = as_object(document.value)
    if root.get("mcpgen") != VERSION:
        raise CannotGoOn(
            "unsupported-version",
            f"This compiler reads version {VERSION} of the tools file.",
            document.where("/mcpgen"),
            f"Write `mcpgen: {VERSION}`.",
        )
    top = document.where("")
    keys.check(root, keys.FILE, top, diagnostics)
    server = as_object(root.get("server"))
    keys.check(server, keys.SERVER, top.inside("server"), diagnostics)
    references = definitions.references
    schemes = security.read_schemes(root.get("security"), top.inside("security"), references, diagnostics)
    operations, skipped = _read_tools(root.get("tools"), top.inside("tools"), schemes, references, diagnostics)
    base_url = root.get("base_url")
    url_list: list[JsonValue] = [{"url": base_url}] if isinstance(base_url, str) else []
    return Api(
        title=as_text(server.get("title")),
        version=_version(server, document, diagnostics),
        name=_server_name(server, document, diagnostics),
        instructions=as_text(server.get("instructions")),
        operations=operations,
        definitions=definitions,
        servers=_servers(url_list, document, diagnostics),
        schemes=schemes,
        security=(tuple(scheme.name for scheme in schemes),) if schemes else None,
        scopes={scheme.name: scheme.scopes for scheme in schemes if scheme.scopes},
        skipped=skipped,
        output=_output(server, top.inside("server"), diagnostics),
        fields=_fields(server),
        confirm=confirmation.of_server(server, top.inside("server"), diagnostics),
        roles=roles.of_server(server, top.inside("server"), diagnostics),
    )


def _server_name(server: JsonObject, document: Document, diagnostics: Diagnostics) -> str | None:
    name = server.get("name")
    if name is None:
        return None
    if isinstance(name, str) and SERVER_NAME.fullmatch(name):
        return name
    diagnostics.add(
        "invalid-name",
        f"'{clipped(str(name))}' cannot be the name of a server.",
        document.where("/server/name"),
        "Use lower-case letters, digits and hyphens, a letter first, at most 40.",
    )
    return None


def _version(server: JsonObject, document: Document, diagnostics: Diagnostics) -> str:
    version = as_text(server.get("version"))
    if version and not VERSION_NUMBER.fullmatch(version):
        diagnostics.add(
            "invalid-value",
            f"'{clipped(version)}' cannot be the version of a Python package.",
            document.where("/server/version"),
            "Write it as 1.2.3.",
        )
        return ""
    return version


def _servers(url_list: list[JsonValue], document: Document, diagnostics: Diagnostics) -> tuple[Server, ...]:
    """The base URL as a server, placed at its own key."""
    for entry in url_list:
        url = as_text(as_object(entry).get("url")).strip()
        reason = servers.refusal(url) or ("" if "//" in url else "it is not absolute")
        if reason:
            diagnostics.add(
                "invalid-value", f"The base URL '{clipped(url)}' cannot be used: {reason}.", document.where("/base_url")
            )
            return ()
        return (Server(url),)
    return ()


def _read_tools(
    value: JsonValue,
    where: Where,
    schemes: tuple[SecurityScheme, ...],
    references: References,
    diagnostics: Diagnostics,
) -> tuple[tuple[Operation, ...], tuple[Skipped, ...]]:
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
        diagnostics.add("invalid-value", "A tool is a mapping.", where, "Write `- name: …` and `request: …`.")
        return None
    keys.check(entry, keys.TOOL, where, diagnostics)
    name, request = entry.get("name"), _REQUEST.fullmatch(as_text(entry.get("request")).strip())
    if not isinstance(name, str) or not WRITTEN_TOOL_NAME.fullmatch(name):
        diagnostics.add(
            "invalid-name",
            f"'{clipped(str(name))}' cannot be the name of a tool.",
            where.inside("name"),
            "Use letters, digits, `_` and `-`, at most 64 of them.",
        )
        return None
    if request is None:
        diagnostics.add(
            "invalid-value",
            f"The request of {name} is not a method and a path.",
            where.inside("request"),
            "Write it as `GET /alerts/{region}`.",
        )
        return None
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
        output=_output(entry, where, diagnostics),
        output_schema=_output_schema(entry, where, diagnostics),
        fields=_fields(entry),
        confirm=confirmation.of_tool(entry, where, diagnostics),
        roles=roles.of_tool(entry, where, diagnostics),
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


def _output(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Output | None:
    """What results are to be, of a server or of a tool; None where nothing is said."""
    value = entry.get("output")
    if value == "structured":
        return "structured"
    if value == "text":
        return "text"
    if isinstance(value, str):  # what is no text was reported with the other keys
        message = f"'{clipped(value)}' is not what results can be."
        diagnostics.add("invalid-value", message, where.inside("output"), "Write `structured` or `text`.")
    return None


def _fields(entry: JsonObject) -> bool | None:
    """Whether parts of results may be asked for; what is no boolean was reported with the other keys."""
    value = entry.get("fields")
    return value if isinstance(value, bool) else None


def _output_schema(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> JsonObject | None:
    """The output schema as it was written."""
    value = entry.get("outputSchema")
    if not isinstance(value, dict):
        return None
    if entry.get("output") == "text":
        message = "A tool with an outputSchema cannot have the output `text`."
        diagnostics.add("invalid-value", message, where.inside("output"), "Leave one of the two out.")
    if entry.get("fields") is True:
        message = "A tool with an outputSchema cannot have `fields`: a part of a result would break its promise."
        diagnostics.add("invalid-value", message, where.inside("fields"), "Leave one of the two out.")
    return value
