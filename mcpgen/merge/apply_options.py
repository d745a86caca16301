"""Apply options for choices that a document leaves open.

The options concern media types of bodies, optional bodies, server variables, decisions for all tools, and header
fields of all requests.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.model import (
    Api,
    ArgumentChange,
    Decisions,
    MediaType,
    Operation,
    Parameter,
    RequestBody,
    Server,
    Template,
)
from mcpgen.model.curation import UNDECIDED
from mcpgen.model.options import Options
from mcpgen.read.openapi import servers


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
    known = {variable.name: variable for server in api.all_servers for variable in server.variables}
    code = "invalid-value" if where else "invalid-flag"
    for name, value in values.items():
        place = where.inside(name) if where else None
        if name not in known:
            hint = f"There are: {_listed(known)}."
            raise FatalError(code, f"No server URL has the variable {name}.", place, hint)
        if known[name].enum and value not in known[name].enum:
            hint = f"Use one of {_listed(known[name].enum)}."
            raise FatalError(code, f"{value!r} is not one of the allowed values of {name}.", place, hint)
    return api.with_servers(lambda server: _resolved(server, values))


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


def _resolved(server: Server, values: Mapping[str, str]) -> Server:
    url = server.url
    for name, value in values.items():
        url = url.replace(f"{{{name}}}", value)
    left = tuple(variable for variable in server.variables if variable.name not in values)
    chosen = replace(server, url=url, variables=left)
    if reason := servers.refusal(servers.with_defaults(chosen)):
        raise FatalError("invalid-flag", f"The server URL would be {url!r}, which cannot be used: {reason}.")
    return chosen


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
