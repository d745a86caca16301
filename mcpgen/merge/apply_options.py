"""Apply options for choices that a document leaves open.

The options concern media types of bodies, optional bodies, server variables, decisions for all tools, and header
fields of all requests.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped, nearest
from mcpgen.model import (
    Api,
    ArgumentChange,
    Decisions,
    GivenVariable,
    MediaType,
    Operation,
    Parameter,
    RequestBody,
    Server,
    ServerVariable,
    Template,
)
from mcpgen.model.curation import UNDECIDED
from mcpgen.model.options import Options
from mcpgen.read.openapi import servers

_LIMIT = "Write `enum` with its values, or a `pattern` such as ^[a-z0-9-]{1,40}$."


def with_body_types(operations: tuple[Operation, ...], wanted: Iterable[str]) -> tuple[Operation, ...]:
    """Reduce the media types of each body to the media types that match the first applicable glob in `wanted`.

    A body that no glob matches keeps all media types. `wanted`: globs in order of preference.
    """
    globs = list(wanted)
    return tuple(_with_body_type(operation, globs) for operation in operations) if globs else operations


def _with_body_type(operation: Operation, globs: list[str]) -> Operation:
    if operation.body is None:
        return operation
    for glob in globs:
        if chosen := offered(operation.body, glob):
            return replace(operation, body=replace(operation.body, content=chosen))
    return operation


def offered(body: RequestBody, glob: str) -> tuple[MediaType, ...]:
    """Return the media types of `body` that match `glob`, ignoring case."""
    return tuple(each for each in body.content if fnmatchcase(each.name.lower(), glob.lower()))


def with_optional_bodies(api: Api, wanted: bool) -> Api:
    """If `wanted`, make bodies optional where the document does not say whether they are required.

    Otherwise return `api` unchanged.
    """
    return replace(api, operations=tuple(map(_with_optional_body, api.operations))) if wanted else api


def _with_optional_body(operation: Operation) -> Operation:
    if operation.body is None or operation.body.required is not None:
        return operation
    return replace(operation, body=replace(operation.body, required=False))


def with_variables(api: Api, chosen: Iterable[str], where: Where | None = None) -> Api:
    """Return `api` with server variables fixed to the values given in `chosen`, as NAME=VALUE.

    Fixed variables are no longer settings of the server. `where`: place of these values in a tools file. Raises
    FatalError for an unknown name, or a value that is not in the variable's `enum`.
    """
    values = dict(_variable(text) for text in chosen)
    if not values:
        return api
    every = dict.fromkeys((*api.servers, *(server for operation in api.all_operations for server in operation.servers)))
    known = {variable.name: variable for server in every for variable in server.variables}
    code = "invalid-value" if where else "invalid-flag"
    for name, value in values.items():
        place = where.inside(name) if where else None
        if name not in known:
            hint = f"There are: {_listed(known)}."
            raise FatalError(code, f"No server URL has the variable {name}.", place, hint)
        if known[name].enum and value not in known[name].enum:
            hint = f"Use one of {_listed(known[name].enum)}."
            raise FatalError(code, f"{value!r} is not one of the allowed values of {name}.", place, hint)

    def settled(operation: Operation) -> Operation:
        return replace(operation, servers=_resolved(operation.servers, values))

    return replace(api.changed(settled), servers=_resolved(api.servers, values))


def with_given_variables(api: Api, chosen: Iterable[GivenVariable], diagnostics: Diagnostics) -> Api:
    """Return `api`, in which calls give the variables of server URLs that `chosen` names.

    Report a variable that no URL has, that has no default, or whose values nothing limits, and values that the
    document does not list.
    """
    servers = dict.fromkeys((*api.servers, *(each for operation in api.all_operations for each in operation.servers)))
    known = {variable.name: variable for server in servers for variable in server.variables}
    given: dict[str, GivenVariable] = {}
    for each in chosen:
        if each.name not in known:
            message = f"No server URL has the variable '{clipped(each.name)}'."
            diagnostics.add("unused-variable", message, each.where, nearest(each.name, list(known)))
        elif limited := _limited(each, known[each.name], diagnostics):
            given.setdefault(each.name, limited)
    if not given:
        return api

    def marked(server: Server) -> Server:
        return replace(server, variables=tuple(_given(v, given.get(v.name)) for v in server.variables))

    own = tuple(map(marked, api.servers))
    return replace(api.changed(lambda each: replace(each, servers=tuple(map(marked, each.servers)))), servers=own)


def _given(variable: ServerVariable, given: GivenVariable | None) -> ServerVariable:
    return replace(variable, given=given, default=given.default or variable.default) if given else variable


def _limited(given: GivenVariable, variable: ServerVariable, diagnostics: Diagnostics) -> GivenVariable | None:
    """Return the decision with the values that the document allows, or None after a report."""
    listed = given.enum or variable.enum
    wanted = (*listed, given.default) if given.default else listed
    strange = [value for value in wanted if variable.enum and value not in variable.enum]
    if strange:
        message = f"The document does not allow the value '{clipped(strange[0])}' of '{clipped(given.name)}'."
        diagnostics.add("invalid-value", message, given.where, nearest(strange[0], list(variable.enum)))
    elif not listed and not given.pattern:
        message = f"Nothing limits the values of '{clipped(given.name)}', which decide where calls are sent."
        diagnostics.add("invalid-value", message, given.where, _LIMIT)
    elif not (given.default or variable.default):
        message = f"The variable '{clipped(given.name)}' has no default, which requests without arguments need."
        hint = "Write `default` with the value for logins and resources, which the operator can replace."
        diagnostics.add("invalid-value", message, given.where, hint)
    else:
        return replace(given, enum=listed, description=given.description or variable.description)
    return None


def with_defaults(api: Api, options: Options) -> Api:
    """Let each operation have the decisions for all tools where it has none of its own: those of `options`, else those
    of the tools file.

    Without `pages`: a tool that fetches only single pages is reported only if the decision is its own.
    """
    flags = Decisions(
        output="structured" if options.structured else None,
        fields=options.fields or None,
        lookups=options.lookups or None,
    )
    chosen = replace(flags.over(api.defaults), pages=None)
    if chosen == UNDECIDED:
        return api
    decided = (replace(each, decided=each.decided.over(chosen)) for each in api.operations)
    return replace(api, operations=tuple(decided))


def with_headers(api: Api) -> Api:
    """Let each request carry the header fields of the tools file, unless its own tool or override says otherwise."""

    def carrying(operation: Operation) -> Operation:
        decided, given = operation.decided, api.headers
        if decided.sends is not None:  # its header fields are templates
            own = {name.lower() for name in decided.sends.headers}
            texts: dict[str, Template] = {name: {"value": text} for name, (text, _) in given.items()}
            headers = {name: node for name, node in texts.items() if name.lower() not in own}
            sends = replace(decided.sends, headers={**decided.sends.headers, **headers})
            return replace(operation, decided=replace(decided, sends=sends))
        known = {each.name.lower(): each.name for each in operation.parameters if each.location == "header"}
        fixed = {
            known.get(name.lower(), name): ArgumentChange(where, by_rule=True, value=(text,))
            for name, (text, where) in given.items()
        }
        new = tuple(
            Parameter(name, "header", {"type": "string"}, where, style="simple")
            for name, (_, where) in given.items()
            if name.lower() not in known
        )
        arguments = {**fixed, **decided.arguments}
        return replace(operation, parameters=operation.parameters + new, decided=replace(decided, arguments=arguments))

    return api.changed(carrying) if api.headers else api


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise FatalError(
            "invalid-flag",
            f"{text!r} is not of the form NAME=VALUE.",
            hint="Write the name of a server variable, `=` and its value.",
        )
    return name, value


def _resolved(found_servers: tuple[Server, ...], values: Mapping[str, str]) -> tuple[Server, ...]:
    found = []
    for server in found_servers:
        url = server.url
        for name, value in values.items():
            url = url.replace(f"{{{name}}}", value)
        left = tuple(variable for variable in server.variables if variable.name not in values)
        chosen = replace(server, url=url, variables=left)
        if reason := servers.refusal(servers.with_defaults(chosen)):
            raise FatalError("invalid-flag", f"The server URL would be {url!r}, which cannot be used: {reason}.")
        found.append(chosen)
    return tuple(found)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
