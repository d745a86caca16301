"""The environment variables of a generated server, for its README and for reports."""

from dataclasses import dataclass

from mcpgen.emit.table import server_variable
from mcpgen.model import BoundScheme, Catalog


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable. `required` means that some tool cannot be called without it."""

    variable: str
    purpose: str
    secret: bool
    required: bool


def environment(catalog: Catalog) -> tuple[Variable, ...]:
    """The variables that come from the API: credentials first, then the variables of its server URL."""
    needed = _always_needed(catalog)
    found = [
        Variable(variable, _purpose(scheme, role), secret=role != "username", required=scheme.name in needed)
        for scheme in catalog.schemes
        for role, variable in scheme.variables.items()
    ]
    for server in catalog.servers:
        for declared in server.variables:
            name = server_variable(declared, catalog.identity.prefix)
            purpose = f"{declared.name} in the server URL; {declared.default} if unset"
            found.append(Variable(name, purpose, secret=False, required=not declared.default))
    return tuple(dict.fromkeys(found))


def _always_needed(catalog: Catalog) -> frozenset[str]:
    """Schemes without which some tool has no way to authenticate."""
    needed: set[str] = set()
    for tool in catalog.tools:
        alternatives = tool.binding.security or ()
        if alternatives:
            needed |= set(alternatives[0]).intersection(*alternatives)
    return frozenset(needed)


def _purpose(scheme: BoundScheme, role: str) -> str:
    if scheme.type == "header":
        return "one more header for every request, as Name: value"
    if scheme.type == "basic":
        return f"{role} for HTTP basic authentication ({scheme.name})"
    if scheme.type == "bearer":
        return f"bearer token or ready access token ({scheme.name})"
    return f"API key, sent in the {scheme.location} {scheme.wire_name} ({scheme.name})"
