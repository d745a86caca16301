"""Let calls give the values of server variables, where the project's owner says so (`variables` of the tools file)."""

from collections.abc import Iterable
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Api, GivenVariable, Server, ServerVariable

_LIMIT = "Write `enum` with its values, or a `pattern` such as ^[a-z0-9-]{1,40}$."


def with_given_variables(api: Api, chosen: Iterable[GivenVariable], diagnostics: Diagnostics) -> Api:
    """Return `api`, in which calls give the variables of server URLs that `chosen` names.

    Report a variable that no URL has, or whose values nothing limits, and values that the document does not list.
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
        return replace(server, variables=tuple(replace(v, given=given.get(v.name)) for v in server.variables))

    own = tuple(map(marked, api.servers))
    return replace(api.changed(lambda each: replace(each, servers=tuple(map(marked, each.servers)))), servers=own)


def _limited(given: GivenVariable, variable: ServerVariable, diagnostics: Diagnostics) -> GivenVariable | None:
    """Return the decision with the values that the document allows, or None after a report."""
    listed = given.enum or variable.enum
    strange = [value for value in listed if variable.enum and value not in variable.enum]
    if strange:
        message = f"The document does not allow the value '{clipped(strange[0])}' of '{clipped(given.name)}'."
        diagnostics.add("invalid-value", message, given.where, nearest(strange[0], list(variable.enum)))
    elif not listed and not given.pattern:
        message = f"Nothing limits the values of '{clipped(given.name)}', which decide where calls are sent."
        diagnostics.add("invalid-value", message, given.where, _LIMIT)
    else:
        return replace(given, enum=listed, description=given.description or variable.description)
    return None
