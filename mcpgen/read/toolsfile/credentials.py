"""Read `security:` of one tool: the credentials of its requests, written as in OpenAPI."""

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.names import clipped, nearest
from mcpgen.model import NO_CREDENTIALS, UNDECLARED, Security, SecurityScheme
from mcpgen.read.openapi import security


def of_tool(entry: JsonObject, where: Where, schemes: tuple[SecurityScheme, ...], diagnostics: Diagnostics) -> Security:
    """Return the security of the tool `entry` at `where`. If `security` is an empty list, the requests carry no
    credential.
    """
    value, place = entry.get("security"), where.inside("security")
    if value == "none":
        return NO_CREDENTIALS
    if not isinstance(value, list):
        return UNDECLARED
    names = [scheme.name for scheme in schemes]
    for index, alternative in enumerate(as_list(value)):
        for name in as_object(alternative):
            if names and name not in names:
                message = f"There is no security scheme '{clipped(name)}'."
                diagnostics.add("invalid-value", message, place.inside(index, name), nearest(name, names))
    mappings = [each for each in value if isinstance(each, dict)]
    known = {name for each in mappings for name in each} if names else ()  # the loop above reports unknown names
    found = security.read_security(list(mappings), schemes, known, place, diagnostics)
    return found if found.alternatives else NO_CREDENTIALS
