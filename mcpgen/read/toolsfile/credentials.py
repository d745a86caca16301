"""Read `security:` of one tool: the credentials of its requests, written as in OpenAPI."""

from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.names import clipped, nearest
from mcpgen.model import NO_CREDENTIALS, CallerScopes, Scopes, SecurityRequirement, SecurityScheme
from mcpgen.read.openapi import security
from mcpgen.read.openapi.caller_scopes import read_caller_scopes


@dataclass(frozen=True, slots=True)
class RequiredCredentials:
    """The credentials of a request: alternatives of security schemes, and OAuth scopes by scheme.

    A field is None where the setting of the whole file applies. `caller_scopes`: OAuth scopes that callers over HTTP
    need.
    """

    security: tuple[SecurityRequirement, ...] | None = None
    scopes: Scopes = field(default_factory=dict)
    caller_scopes: CallerScopes = ()


def of_tool(
    entry: JsonObject, where: Where, schemes: tuple[SecurityScheme, ...], diagnostics: Diagnostics
) -> RequiredCredentials:
    """Return the security of the tool `entry` at `where`. If `security` is an empty list, the requests carry no
    credential.
    """
    value, place = entry.get("security"), where.inside("security")
    if value == "none":
        return RequiredCredentials(NO_CREDENTIALS)
    if not isinstance(value, list):
        return RequiredCredentials()
    names = [scheme.name for scheme in schemes]
    for index, alternative in enumerate(as_list(value)):
        for name in as_object(alternative):
            if names and name not in names:
                message = f"There is no security scheme '{clipped(name)}'."
                diagnostics.add("invalid-value", message, place.inside(index, name), nearest(name, names))
    mappings = [each for each in value if isinstance(each, dict)]
    known = frozenset(names) if not names else frozenset(name for each in mappings for name in each)
    found = security.read_requirements(list(mappings), known, place, diagnostics) or ((),)
    scopes = security.read_scopes(list(mappings), place, diagnostics)
    return RequiredCredentials(found, scopes, read_caller_scopes(list(mappings), schemes))
